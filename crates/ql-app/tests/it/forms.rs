//! Visitors send forms: screened by stated rules, kept as long as said, and counted.

use ql_app::form::{Day, MetricsQuery, NewForm, Post, PublicForm, Received, ScreeningMetrics};
use ql_app::session::SiteRef;
use ql_core::form::{Answers, Decision, Field, FieldKind, Mark, Reason, Rules, Submission};
use ql_core::page::PageRequest;
use ql_core::role::Role;
use ql_core::time::{days, hours};
use ql_testkit::TestApp;

use crate::say::{code, problems};

fn contact(rules: Rules) -> NewForm {
    let field = |key: &str, kind, required| Field {
        key: key.to_owned(),
        label: String::new(),
        kind,
        required,
        max_length: None,
    };
    NewForm {
        key: "contact".to_owned(),
        title: String::new(),
        fields: vec![
            field("email", FieldKind::Email, true),
            field("message", FieldKind::LongText, true),
        ],
        rules,
    }
}

/// A site with a form, and a visitor before it.
struct Visited {
    test: TestApp,
    form: PublicForm,
}

impl Visited {
    async fn new(rules: Rules) -> Self {
        let test = TestApp::new().await;
        let editor = test.member(Role::Editor).await;
        let saved = test.app.save_form(&editor, contact(rules)).await;
        let form = Self::fetch(&test, &saved.expect("a form").key).await;
        Self { test, form }
    }

    async fn fetch(test: &TestApp, key: &str) -> PublicForm {
        let site = SiteRef::Id(test.home.site.id);
        test.app.public_form(&site, key).await.expect("a form")
    }

    /// A token of a form that was fetched the right time ago.
    fn token(&self) -> String {
        let token = self.test.app.fill_token(&self.form.form).expect("a token");
        self.test.advance(self.form.form.rules.min_fill());
        token.token
    }

    fn post(message: &str, token: Option<String>) -> Post {
        let answers = [("email", "ada@example.org"), ("message", message)];
        let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
        Post {
            answers: answers.map(own).into(),
            honeypot: None,
            fill_token: token,
            network: "198.51.100.7".to_owned(),
        }
    }

    async fn receive(&self, post: Post) -> Received {
        let sent = self.test.app.receive_post(self.form.clone(), post).await;
        sent.expect("received")
    }

    async fn send(&self, message: &str) -> Received {
        self.receive(Self::post(message, Some(self.token()))).await
    }

    async fn list(&self, standing: &str) -> Vec<Submission> {
        let reviewer = self.test.member(Role::Reviewer).await;
        let of = ("contact", standing);
        let page = PageRequest::default();
        let listed = self.test.app.list_submissions(&reviewer, of, &page).await;
        listed.expect("a list").items
    }

    async fn metrics(&self) -> ScreeningMetrics {
        let agent = self.test.agent().await;
        let counted = self.test.app.form_metrics(&agent, MetricsQuery::default());
        counted.await.expect("counts")
    }
}

fn held(reasons: &[Reason]) -> Received {
    Received {
        decision: Decision::Held,
        reasons: reasons.to_vec(),
    }
}

fn rejected(reason: Reason) -> Received {
    Received {
        decision: Decision::Rejected,
        reasons: vec![reason],
    }
}

fn accepted() -> Received {
    Received {
        decision: Decision::Accepted,
        reasons: Vec::new(),
    }
}

#[tokio::test]
async fn a_persons_post_is_accepted_and_kept_once_however_often_the_button_is_pressed() {
    let visited = Visited::new(Rules::default()).await;
    let token = visited.token();
    for _ in 0..3 {
        let post = Visited::post("Hello", Some(token.clone()));
        assert_eq!(visited.receive(post).await, accepted());
    }
    let kept = visited.list("accepted").await;
    assert_eq!(kept.len(), 1);
    let words = kept[0].answers.as_ref().map(|answers| &answers["message"]);
    assert_eq!(words.map(String::as_str), Some("Hello"));
    let other = Visited::post("Something else", Some(token));
    let reused = held(&[Reason::ChallengeReused]);
    assert_eq!(visited.receive(other).await, reused);
}

#[tokio::test]
async fn a_post_without_a_sound_token_is_told_from_a_persons() {
    let visited = Visited::new(Rules::default()).await;
    let missing = visited.receive(Visited::post("a", None)).await;
    assert_eq!(missing, held(&[Reason::ChallengeMissing]));

    let early = visited.test.app.fill_token(&visited.form.form);
    let early = Visited::post("b", Some(early.expect("a token").token));
    let too_fast = rejected(Reason::SubmittedTooFast);
    assert_eq!(visited.receive(early).await, too_fast);

    let token = visited.token();
    visited.test.advance(hours(24));
    let late = Visited::post("c", Some(token));
    let expired = held(&[Reason::ChallengeExpired]);
    assert_eq!(visited.receive(late).await, expired);

    let editor = visited.test.member(Role::Editor).await;
    let mut other = contact(Rules::default());
    other.key = "other".to_owned();
    let saved = visited.test.app.save_form(&editor, other).await;
    let of_another = visited.test.app.fill_token(&saved.expect("a form"));
    let preview = {
        let agent = visited.test.agent().await;
        let run = visited.test.begin_run(&agent).await;
        let draft = visited.test.draft(&agent, run, "One").await;
        let link = visited.test.app.create_preview(&agent, draft.revision);
        link.await.expect("a link").0
    };
    let mut touched = visited.token();
    touched.replace_range(5..6, "F");
    let forged = [
        of_another.expect("a token").token,
        preview,
        touched,
        "x".into(),
    ];
    for (number, token) in forged.into_iter().enumerate() {
        let post = Visited::post(&format!("forged {number}"), Some(token));
        let invalid = rejected(Reason::ChallengeInvalid);
        assert_eq!(visited.receive(post).await, invalid, "{number}");
    }
}

#[tokio::test]
async fn a_filled_honeypot_and_the_same_words_again_are_seen() {
    let visited = Visited::new(Rules::default()).await;
    let mut robot = Visited::post("Hello", Some(visited.token()));
    robot.honeypot = Some("https://spam.example".to_owned());
    let honeypot = rejected(Reason::HoneypotFilled);
    assert_eq!(visited.receive(robot).await, honeypot);
    let duplicate = held(&[Reason::DuplicateContent]);
    assert_eq!(visited.send("Hello").await, duplicate);
    visited.test.advance(hours(24));
    assert_eq!(visited.send("Hello").await, accepted(), "a day later");
}

#[tokio::test]
async fn a_network_that_sends_too_many_is_turned_away_and_its_words_arent_kept() {
    let rules = Rules {
        posts_per_network: 2,
        ..Rules::default()
    };
    let visited = Visited::new(rules).await;
    for message in ["one", "two"] {
        assert_eq!(visited.send(message).await, accepted());
    }
    let flooding = rejected(Reason::RateLimited);
    assert_eq!(visited.send("three").await, flooding);
    let kept = visited.list("rejected").await;
    assert_eq!(kept[0].answers, None);
    let mut neighbour = Visited::post("four", Some(visited.token()));
    neighbour.network = "198.51.100.8".to_owned();
    assert_eq!(visited.receive(neighbour).await, accepted());
    visited
        .test
        .advance(visited.form.form.rules.network_window());
    assert_eq!(visited.send("five").await, accepted());
}

#[tokio::test]
async fn answers_that_dont_fit_are_said_all_at_once_and_nothing_is_kept() {
    let visited = Visited::new(Rules::default()).await;
    let mut post = Visited::post("", Some(visited.token()));
    post.answers.insert("email".into(), "nobody".into());
    post.answers.insert("phone".into(), "1".into());
    let sent = visited.test.app.receive_post(visited.form.clone(), post);
    insta::assert_snapshot!(problems(sent.await), @r"
    /phone unknown_field: this form asks for email, message
    /email format: expected an e-mail address such as name@example.org
    /message required: this must be filled in
    ");
    assert_eq!(visited.metrics().await.counts, []);
}

#[tokio::test]
async fn a_member_marks_what_was_held_and_the_ledger_names_it_without_its_words() {
    let visited = Visited::new(Rules::default()).await;
    let links = "http://a.test http://b.test http://c.test";
    assert_eq!(visited.send(links).await, held(&[Reason::LinkDensity]));
    let id = visited.list("held").await[0].id;
    let (app, editor) = (&visited.test.app, visited.test.member(Role::Editor).await);
    let marked = app.mark_submission(&editor, id, Mark::Ham).await;
    assert_eq!(marked.expect("marked").standing.as_str(), "marked_ham");
    let again = app.mark_submission(&editor, id, Mark::Ham).await;
    assert_eq!(again.expect("marked").standing.as_str(), "marked_ham");
    assert_eq!(visited.list("held").await, []);
    let spam = app.mark_submission(&editor, id, Mark::Spam).await;
    assert_eq!(spam.expect("marked").standing.as_str(), "marked_spam");

    let (filter, page) = (ql_app::audit::Filter::default(), PageRequest::default());
    let audit = app.list_audit(&editor, &filter, &page).await;
    let entries = audit.expect("entries").items;
    let told: Vec<String> = entries
        .iter()
        .filter(|entry| entry.kind.starts_with("form."))
        .map(|entry| format!("{} {}", entry.kind, entry.detail))
        .collect();
    let told = told.join("\n");
    assert_eq!(told.matches("form.submission_marked").count(), 2, "{told}");
    assert!(
        !told.contains("a.test") && !told.contains("example.org"),
        "{told}"
    );
}

#[tokio::test]
async fn who_may_read_and_mark_what_visitors_sent() {
    let visited = Visited::new(Rules::default()).await;
    visited.send("Hello").await;
    let id = visited.list("accepted").await[0].id;
    let (test, app) = (&visited.test, &visited.test.app);
    let page = PageRequest::default();
    let accepted = ("contact", "accepted");
    let viewer = test.member(Role::Viewer).await;
    let reviewer = test.member(Role::Reviewer).await;
    let agent = test.agent().await;
    let foreign = test.member_of(&test.foreign, Role::Owner).await;
    let read = |ctx| app.list_submissions(ctx, accepted, &page);
    assert_eq!(code(read(&viewer).await), "role_denied");
    assert_eq!(code(read(&agent).await), "members_only");
    assert_eq!(code(read(&foreign).await), "not_found");
    let mark = |ctx| app.mark_submission(ctx, id, Mark::Spam);
    assert_eq!(code(mark(&reviewer).await), "role_denied");
    assert_eq!(code(mark(&agent).await), "members_only");
    assert_eq!(code(mark(&foreign).await), "not_found");
    let save = app.save_form(&reviewer, contact(Rules::default()));
    assert_eq!(code(save.await), "role_denied");
    let save = app.save_form(&agent, contact(Rules::default()));
    assert_eq!(code(save.await), "members_only");
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one story, told whole")]
async fn rejected_posts_go_after_their_time_with_their_totals_and_others_stay() {
    let visited = Visited::new(Rules::default()).await;
    visited.send("Hello").await;
    let mut robot = Visited::post("Buy", Some(visited.token()));
    robot.honeypot = Some("x".to_owned());
    visited.receive(robot).await;
    let held = visited.receive(Visited::post("no token", None)).await;
    assert_eq!(held.decision, Decision::Held);
    let counted = serde_json::to_string_pretty(&visited.metrics().await).expect("JSON");
    insta::assert_snapshot!(counted, @r#"
    {
      "from": "2026-11-01",
      "to": "2026-11-30",
      "counts": [
        {
          "day": "2026-11-30",
          "form": "contact",
          "decision": "accepted",
          "count": 1
        },
        {
          "day": "2026-11-30",
          "form": "contact",
          "decision": "held",
          "count": 1
        },
        {
          "day": "2026-11-30",
          "form": "contact",
          "decision": "rejected",
          "count": 1
        }
      ],
      "reasons": [
        {
          "day": "2026-11-30",
          "form": "contact",
          "decision": "held",
          "reason": "challenge_missing",
          "count": 1
        },
        {
          "day": "2026-11-30",
          "form": "contact",
          "decision": "rejected",
          "reason": "honeypot_filled",
          "count": 1
        }
      ],
      "rejected_kept_days": {
        "contact": 30
      }
    }
    "#);
    visited.test.advance(days(29));
    assert_eq!(visited.test.run_due_work().await.submissions_removed, 0);
    assert_eq!(visited.list("rejected").await.len(), 1);
    visited.test.advance(days(1));
    assert_eq!(visited.test.run_due_work().await.submissions_removed, 1);
    assert_eq!(visited.list("rejected").await, []);
    let standing = |counted: &ScreeningMetrics| -> Vec<String> {
        let all = counted.counts.iter();
        all.map(|count| count.decision.clone()).collect()
    };
    let agent = visited.test.agent().await;
    let query = MetricsQuery {
        from: Some("2026-11-30".parse().expect("a day")),
        to: Some("2026-12-30T12:00:00Z".parse().expect("a day")),
        form: Some("contact".to_owned()),
    };
    let counted = visited.test.app.form_metrics(&agent, query).await;
    assert_eq!(standing(&counted.expect("counts")), ["accepted", "held"]);
    assert_eq!(visited.test.run_due_work().await.submissions_removed, 0);
}

#[tokio::test]
async fn counts_are_of_one_site_and_of_a_bounded_time() {
    let visited = Visited::new(Rules::default()).await;
    visited.send("Hello").await;
    let (test, app) = (&visited.test, &visited.test.app);
    let next_door = test.agent_of(&test.foreign).await;
    let counted = app.form_metrics(&next_door, MetricsQuery::default()).await;
    assert_eq!(counted.expect("counts").counts, []);
    let named = MetricsQuery {
        form: Some("contact".to_owned()),
        ..MetricsQuery::default()
    };
    assert_eq!(code(app.form_metrics(&next_door, named).await), "not_found");
    let agent = test.agent().await;
    let of_days = |from: i64, to: i64| MetricsQuery {
        from: Some(Day::from_number(from)),
        to: Some(Day::from_number(to)),
        form: None,
    };
    assert!(app.form_metrics(&agent, of_days(0, 91)).await.is_ok());
    for (from, to) in [(0, 92), (1, 0)] {
        let refused = problems(app.form_metrics(&agent, of_days(from, to)).await);
        assert_eq!(
            refused,
            "/from range: expected a day up to `to`, at most 92 days in all"
        );
    }
}

#[tokio::test]
async fn a_form_has_versions_and_what_is_wrong_with_one_is_said_at_once() {
    let visited = Visited::new(Rules::default()).await;
    let (app, editor) = (&visited.test.app, visited.test.member(Role::Editor).await);
    let same = app.save_form(&editor, contact(Rules::default())).await;
    let same = same.expect("saved");
    assert_eq!((same.version, same.title.as_str()), (1, "Contact"));
    let rules = Rules {
        max_links: 0,
        ..Rules::default()
    };
    let next = app.save_form(&editor, contact(rules)).await.expect("saved");
    assert_eq!((next.version, next.id), (2, same.id));

    let mut wrong = contact(Rules {
        retention_days: 0,
        ..Rules::default()
    });
    wrong.key = "Contact us".to_owned();
    wrong.fields[1].key = "ql_token".to_owned();
    insta::assert_snapshot!(problems(app.save_form(&editor, wrong).await), @r"
    /key format: expected a key: a-z, 0-9, _ and -, beginning with a letter, at most 64 characters
    /fields/1/key format: expected a-z, 0-9, _ and -, beginning with a letter, at most 64 characters, and not with ql_
    /rules/retention_days range: expected 1 to 365, found 0
    ");
}

#[tokio::test]
async fn networks_cant_be_told_apart_from_what_is_kept_once_the_days_key_is_gone() {
    let visited = Visited::new(Rules::default()).await;
    visited.send("today").await;
    visited.test.advance(days(1));
    visited.send("tomorrow").await;
    let kept = visited.list("accepted").await;
    assert_ne!(kept[0].network, kept[1].network, "one network, two days");
    let keys = |test: &TestApp| {
        let store = test.app.store().clone();
        async move {
            store
                .read(|tx| ql_store::form::has_day_keys(tx, i64::MAX))
                .await
                .expect("read")
        }
    };
    assert!(keys(&visited.test).await);
    visited.test.advance(days(4));
    visited.test.run_due_work().await;
    assert!(!keys(&visited.test).await);
}

#[tokio::test]
async fn two_of_the_same_at_once_are_one() {
    let visited = Visited::new(Rules::default()).await;
    let token = visited.token();
    let post = || Visited::post("Hello", Some(token.clone()));
    let app = &visited.test.app;
    let send = || app.receive_post(visited.form.clone(), post());
    let (one, two, three) = tokio::join!(send(), send(), send());
    for answer in [one, two, three] {
        assert_eq!(answer.expect("received"), accepted());
    }
    assert_eq!(visited.list("accepted").await.len(), 1);
}

#[test]
fn days_read_as_they_print() {
    let day: Day = "2026-12-01".parse().expect("a day");
    assert_eq!(day.to_string(), "2026-12-01");
    assert_eq!("2026-12-01T23:59:59Z".parse(), Ok(day));
    for wrong in ["2026-13-01", "1 December", "2026-12-1x", ""] {
        assert!(wrong.parse::<Day>().is_err(), "{wrong}");
    }
}

#[test]
fn answers_are_sorted_so_that_the_same_words_have_one_digest() {
    let one: Answers = [
        ("b".to_owned(), "2".to_owned()),
        ("a".to_owned(), "1".to_owned()),
    ]
    .into();
    assert_eq!(
        serde_json::to_string(&one).expect("JSON"),
        r#"{"a":"1","b":"2"}"#
    );
}
