//! A text that is unique to each thing that not everybody may see, planted in a whole application,
//! so that a test finds it wherever it comes out.

use ql_app::reverification::NewResolution;
use ql_app::run::RecordArtifact;
use ql_core::hash::Digest;
use ql_core::id::{ConversationId, ProposalId, ReviewId, RunId, SourcePackageId};
use ql_core::opportunity::Media;
use ql_core::proposal::Verdict;
use ql_core::reverification::Resolution;
use ql_core::role::Role;
use ql_core::turn::Reply;

use crate::app::{Place, TestApp};
use crate::console;
use crate::fetcher::ScriptedFetcher;
use crate::setup;
use crate::source::{source_package, source_record};

/// A text and what it gives away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// What it gives away.
    pub kind: &'static str,
    /// The text.
    pub text: String,
}

/// What was planted.
#[derive(Debug, Clone)]
pub struct Planted {
    /// Every text.
    pub canaries: Vec<Canary>,
    /// The secret of the home owner's session, whose CSRF token is one of the texts.
    pub session: String,
    /// That CSRF token.
    pub csrf: String,
    /// The run of the home site that holds the artifact, and the proposal that was decided with words.
    pub work: Option<(RunId, ProposalId)>,
    /// The source package of the home site.
    pub package: Option<SourcePackageId>,
    /// The evidence review of the home site.
    pub review: Option<ReviewId>,
    /// The conversation of the home site, and the session that it is bound to.
    pub conversation: Option<(ConversationId, String)>,
}

const PASSWORD: &str = "planted passphrase of the owner";

impl TestApp {
    /// Plants a text of each kind on all three sites.
    pub async fn plant(&self) -> Planted {
        let mut planted = self.plant_secrets().await;
        for (place, kind) in [
            (&self.home, "a draft"),
            (&self.sibling, "a sibling site"),
            (&self.foreign, "another organization"),
        ] {
            let (texts, work) = self.plant_work(place).await;
            planted.add(kind, texts);
            planted.work.get_or_insert(work);
            let (package, record) = self.plant_sources(place).await;
            planted.package.get_or_insert(package);
            let home = place.site.id == self.home.site.id;
            let (review, [found, note]) = self.plant_look(place).await;
            planted.review.get_or_insert(review);
            planted.add(if home { "an observation" } else { kind }, [found]);
            planted.add(if home { "a reviewer's note" } else { kind }, [note]);
            planted.add(if home { "a source record" } else { kind }, [record]);
            let (talk, texts, lease) = self.plant_talk(place).await;
            planted.conversation.get_or_insert(talk);
            planted.add(if home { "a conversation" } else { kind }, texts);
            planted.add("a lease that is over", [lease]);
        }
        planted.add("an artifact", ["planted artifact of site".to_owned()]);
        planted.add("a reviewer's words", ["planted comment of site".to_owned()]);
        planted.add("a visitor's words", ["planted post of site".to_owned()]);
        planted.add("a plan", plans(&self.home));
        planted.add("an address", ["@acme.example".to_owned()]);
        let sibling = vec![
            self.sibling.site.id.to_string(),
            "sibling.example".to_owned(),
        ];
        planted.add("a sibling site", [sibling, agent(&self.sibling)].concat());
        let foreign = vec![
            self.foreign.site.id.to_string(),
            self.foreign.site.organization.to_string(),
            self.foreign.members[&Role::Owner].to_string(),
            "Globex".to_owned(),
            "globex.example".to_owned(),
            "foreign.example".to_owned(),
        ];
        planted.add(
            "another organization",
            [foreign, agent(&self.foreign)].concat(),
        );
        planted.add("the inside", INSIDE.map(str::to_owned));
        planted
    }

    async fn plant_secrets(&self) -> Planted {
        let operator = self.operator().await;
        let link = async |role| {
            let member = self.home.members[&role];
            let link = self.app.create_sign_in_link(&operator, member).await;
            link.expect("a link")
        };
        let opened = self.app.sign_in_with_link(&link(Role::Owner).await).await;
        let opened = opened.expect("a session");
        let owner = self.app.authenticate_session(&opened.secret).await;
        let owner = owner.expect("signed in");
        let set = self.app.set_password(&owner, PASSWORD).await;
        set.expect("a password");
        let personal = self.app.issue_personal_token(&owner, "script").await;
        let personal = personal.expect("a token").secret;
        let secrets = [
            self.home.connection.secret.expose().to_owned(),
            personal.expose().to_owned(),
            opened.secret.clone(),
            link(Role::Editor).await,
        ];
        let csrf = opened.session.csrf.clone();
        let mut planted = Planted {
            canaries: Vec::new(),
            session: opened.secret,
            csrf: csrf.clone(),
            work: None,
            package: None,
            review: None,
            conversation: None,
        };
        let fingerprints = secrets.clone().map(|secret| Digest::of(secret.as_bytes()));
        planted.add("a fingerprint", fingerprints.map(|hash| hash.to_string()));
        planted.add("a secret", secrets);
        planted.add("a secret", [PASSWORD.to_owned(), "$argon2".to_owned()]);
        planted.add("a key", ["0707070707".to_owned(), "BwcHBwcHBw".to_owned()]);
        planted.add("the owner's form token", [csrf]);
        planted
    }

    /// A look at evidence that found words of its own, and a reviewer's note about it.
    async fn plant_look(&self, place: &Place) -> (ReviewId, [String; 2]) {
        let slug = &place.site.slug;
        let agent = self.agent_of(place).await;
        let run = self.begin_run(&agent).await;
        let draft = self.draft(&agent, run, "Watched").await;
        let evidence = self.evidence_at(place, draft).await;
        let (found, note) = (
            format!("planted-observation-of-{slug}"),
            format!("planted note of {slug}"),
        );
        let fetcher = ScriptedFetcher::default();
        fetcher.says(&format!("{found} is so."));
        let review = self.looked_at(place, (evidence, &fetcher)).await;
        let resolution = NewResolution {
            review,
            resolution: Resolution::Outdated,
            note: note.clone(),
        };
        let owner = self.member_of(place, Role::Owner).await;
        let closed = self.app.resolve_evidence_review(&owner, resolution).await;
        closed.expect("closed");
        (review, [found, note])
    }

    /// A conversation with a turn that is done and one that waits, each with words of its own; the token
    /// of the lease under which the first was done.
    async fn plant_talk(&self, place: &Place) -> ((ConversationId, String), [String; 4], String) {
        let slug = &place.site.slug;
        let owner = self.member_of(place, Role::Owner).await;
        let agent = self.agent_of(place).await;
        let conversation = self.converse(place).await;
        let [question, answer, next, session] = ["question", "answer", "next", "session"]
            .map(|what| format!("planted-{what}-of-{slug}"));
        for message in [&question, &next] {
            let written = self.app.add_turn(&owner, conversation, message.clone());
            written.await.expect("a turn");
        }
        let claimed = self.claim_turn(&agent, &session).await.expect("a turn");
        let mut said = console::completion(&claimed, Reply::Completed);
        said.message.clone_from(&answer);
        let done = self.app.complete_turn(&agent, said, None).await;
        done.expect("completed");
        let lease = claimed.lease_token.to_string();
        let texts = [question, answer, next, session.clone()];
        ((conversation, session), texts, lease)
    }

    /// A staged record with words of its own.
    async fn plant_sources(&self, place: &Place) -> (SourcePackageId, String) {
        let body = format!("planted record of {}", place.site.slug);
        let agent = self.agent_of(place).await;
        let mut new = source_package(self.begin_run(&agent).await);
        new.records = vec![source_record("planted", &body)];
        let staged = self.app.stage_source_package(&agent, new, None).await;
        (staged.expect("a package").package_id, body)
    }

    /// A draft, an artifact and a decision on a place's site, all with words of their own.
    async fn plant_work(&self, place: &Place) -> (Vec<String>, (RunId, ProposalId)) {
        let slug = &place.site.slug;
        let agent = self.agent_of(place).await;
        let run = self.begin_run(&agent).await;
        let draft = self
            .draft(&agent, run, &format!("Planted draft of {slug}"))
            .await;
        let artifact = RecordArtifact {
            run,
            key: "notes".into(),
            media_type: "text/plain".into(),
            body: format!("planted artifact of {slug}"),
            sha256: None,
            affected: vec![draft.content],
        };
        let recorded = self.app.record_artifact(&agent, artifact, None).await;
        recorded.expect("an artifact");
        let proposal = self.request_publication(&agent, run, &[draft]).await;
        let owner = self.member_of(place, Role::Owner).await;
        let seen = self.app.get_proposal(&owner, proposal).await;
        let mut decision =
            setup::decision(proposal, Verdict::Reject, seen.expect("a proposal").digest);
        decision.comment = format!("planted comment of {slug}");
        self.app.decide(&owner, decision).await.expect("decided");
        let waiting = self.request_publication(&agent, run, &[draft]).await;
        self.post(place, &format!("planted post of {slug}")).await;
        self.plant_plan(place).await;
        let mut texts = vec![
            format!("Planted draft of {slug}"),
            draft.content.to_string(),
            draft.revision.to_string(),
        ];
        if slug != &self.home.site.slug {
            texts.extend([run.to_string(), proposal.to_string(), waiting.to_string()]);
            texts.extend([
                format!("planted artifact of {slug}"),
                format!("planted comment of {slug}"),
                format!("planted post of {slug}"),
            ]);
            texts.extend(plans(place));
        }
        (texts, (run, proposal))
    }

    /// A row of a strategy and a page of the map with its brief.
    async fn plant_plan(&self, place: &Place) {
        let slug = &place.site.slug;
        let artifact = format!("query\nplanted strategy of {slug}\n");
        self.imported(place, Media::Csv, artifact.as_bytes()).await;
        self.briefed(place, &format!("planted-{slug}")).await;
    }
}

/// What only the program and its log know.
const INSIDE: [&str; 12] = [
    " FROM ",
    " VALUES (",
    "UNIQUE constraint",
    "no such table",
    "content_items",
    "sqlite",
    "SQLITE",
    "rusqlite",
    "tokio_postgres",
    ".rs:",
    "panicked",
    "querylayer.db",
];

fn plans(place: &Place) -> [String; 2] {
    let slug = &place.site.slug;
    [
        format!("planted strategy of {slug}"),
        format!("planted {slug} page"),
    ]
}

fn agent(place: &Place) -> Vec<String> {
    vec![
        format!("Writer of {}", place.site.slug),
        place.agent.id.to_string(),
        place.connection.connection.id.to_string(),
        place.connection.secret.prefix().to_owned(),
    ]
}

impl Planted {
    fn add(&mut self, kind: &'static str, texts: impl IntoIterator<Item = String>) {
        let canaries = texts.into_iter().map(|text| Canary { kind, text });
        self.canaries.extend(canaries);
    }

    /// The kinds that an answer gives away. What was asked with doesn't count, since an answer may
    /// repeat it.
    pub fn found(&self, asked: &str, answer: &str) -> Vec<&Canary> {
        let told =
            |canary: &&Canary| answer.contains(&canary.text) && !asked.contains(&canary.text);
        self.canaries.iter().filter(told).collect()
    }
}
