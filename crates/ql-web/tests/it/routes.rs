//! Every route, tried by everybody: the table of who gets what.

use std::collections::BTreeMap;

use ql_app::member::NewMember;
use ql_core::hash::Digest;
use ql_core::id::{
    AgentId, ArtifactId, BriefId, ConnectionId, ContentId, ConversationId, EvidenceId, ImportId,
    MemberId, NodeId, OpportunityId, PlanId, ProductionId, ProposalId, ReviewId, RevisionId, RunId,
    SourcePackageId, StepId, SubmissionId, TurnId,
};
use ql_core::opportunity::Media;
use ql_core::proposal::{CreateContent, Payload};
use ql_core::role::Role;
use ql_testkit::{Draft, Place, Produced, TestApp, article};

use crate::browser::Browser;
use crate::html::problems;

/// The routes as the router states them.
const ROUTES: &str = include_str!("../../src/route/mod.rs");

/// Routes that the tables leave out, and why. This list only gets shorter.
const LEFT_OUT: [&str; 6] = [
    "/assets/{file}",                    // the same for everybody
    "/sign-in/{id}",                     // opens a session itself
    "/sign-out",                         // ends the session that the table needs
    "/account/tokens",                   // about the caller alone
    "/account/tokens/{id}/revoke",       // about the caller alone
    "/sites/{site}/console/{id}/events", // goes on for ever; `console` tries it by itself
];

/// Pages, with the query that they need.
pub(crate) const PAGES: [(&str, &str); 61] = [
    ("/", ""),
    ("/sign-in", ""),
    ("/password", ""),
    ("/account", ""),
    ("/proposals/{id}", ""),
    ("/runs/{id}", ""),
    ("/console/{id}", ""),
    ("/sites/{site}", ""),
    ("/sites/{site}/inbox", ""),
    ("/sites/{site}/proposals/{id}", ""),
    ("/sites/{site}/proposals/{id}/preview", ""),
    ("/sites/{site}/content", ""),
    ("/sites/{site}/content/new", "?template=article"),
    ("/sites/{site}/content/{id}", ""),
    ("/sites/{site}/content/{id}/edit", ""),
    ("/sites/{site}/content/{id}/compare", "?from={old}&to={new}"),
    ("/sites/{site}/content/{id}/propose", "?action=publish"),
    ("/sites/{site}/content/{id}/roll-back", "?to={old}"),
    ("/sites/{site}/content/{id}/revisions/{part}", ""),
    ("/sites/{site}/content/{id}/revisions/{part}/preview", ""),
    ("/sites/{site}/topical-map", ""),
    ("/sites/{site}/topical-map/{id}", ""),
    ("/sites/{site}/opportunities", ""),
    ("/sites/{site}/opportunities/import", ""),
    ("/sites/{site}/strategy-imports/{id}", ""),
    ("/sites/{site}/briefs", ""),
    ("/sites/{site}/briefs/{id}", ""),
    ("/sites/{site}/templates", ""),
    ("/sites/{site}/templates/new", ""),
    ("/sites/{site}/templates/{id}", ""),
    ("/sites/{site}/templates/{id}/new-version", ""),
    ("/sites/{site}/forms", ""),
    ("/sites/{site}/forms/new", ""),
    ("/sites/{site}/forms/{id}", ""),
    ("/sites/{site}/forms/{id}/new-version", ""),
    ("/sites/{site}/runs", ""),
    ("/sites/{site}/runs/{id}", ""),
    ("/sites/{site}/runs/{id}/artifacts/{part}", ""),
    ("/sites/{site}/console", ""),
    ("/sites/{site}/console/{id}", ""),
    ("/sites/{site}/productions", ""),
    ("/sites/{site}/productions/new", ""),
    ("/sites/{site}/productions/roles", ""),
    ("/sites/{site}/productions/{id}", ""),
    ("/sites/{site}/productions/{id}/receipt", ""),
    ("/sites/{site}/productions/{id}/stages/{part}", ""),
    ("/sites/{site}/sources", ""),
    ("/sites/{site}/sources/{id}", ""),
    ("/sites/{site}/evidence", ""),
    ("/sites/{site}/evidence-reviews/{id}", ""),
    ("/sites/{site}/agents", ""),
    ("/sites/{site}/agents/new", ""),
    ("/sites/{site}/agents/{id}", ""),
    ("/sites/{site}/agents/{id}/connect", ""),
    ("/sites/{site}/connections/{id}", ""),
    ("/sites/{site}/connections/{id}/revoke", ""),
    ("/sites/{site}/connections/{id}/rotate", ""),
    ("/sites/{site}/members", ""),
    ("/sites/{site}/settings", ""),
    ("/sites/{site}/settings/new-site", ""),
    ("/sites/{site}/audit", ""),
];

/// Forms, with the fields that get them past reading.
pub(crate) const FORMS: [(&str, &str); 55] = [
    ("/sites/{site}/inbox/reject", "comment=x"),
    ("/sites/{site}/proposals/{id}/approve", "digest={digest}"),
    (
        "/sites/{site}/proposals/{id}/reject",
        "digest={digest}&comment=x",
    ),
    (
        "/sites/{site}/proposals/{id}/request-changes",
        "digest={digest}&comment=x",
    ),
    ("/sites/{site}/proposals/{id}/withdraw", ""),
    ("/sites/{site}/proposals/{id}/cancel", ""),
    (
        "/sites/{site}/content/new?template=article",
        "field:/title=x",
    ),
    (
        "/sites/{site}/content/{id}/edit",
        "base={old}&field:/title=x",
    ),
    (
        "/sites/{site}/content/{id}/propose",
        "action=unpublish&reason=x",
    ),
    ("/sites/{site}/content/{id}/roll-back", "to={old}&reason=x"),
    (
        "/sites/{site}/opportunities/propose",
        "opportunity={opportunity}&rationale=x",
    ),
    ("/sites/{site}/opportunities/import", "source=x"),
    ("/sites/{site}/templates/new", "schema={}"),
    ("/sites/{site}/templates/{id}/new-version", "schema={}"),
    ("/sites/{site}/forms/new", "key=x"),
    ("/sites/{site}/forms/{id}/new-version", "version_of=contact"),
    (
        "/sites/{site}/submissions/{id}/mark",
        "form=contact&mark=marked_ham",
    ),
    (
        "/sites/{site}/sources/{id}/dispose",
        "disposition=accepted&reason=x",
    ),
    ("/sites/{site}/productions/new", "title=x"),
    (
        "/sites/{site}/productions/roles",
        "role=research&connection={connection}",
    ),
    (
        "/sites/{site}/productions/{id}/budget",
        "budget=9&task_budget=1",
    ),
    (
        "/sites/{site}/productions/{id}/sources",
        "url=https://archive.example/",
    ),
    (
        "/sites/{site}/productions/{id}/sources/exclude",
        "origin={origin}",
    ),
    (
        "/sites/{site}/productions/{id}/exits",
        "stage=CORRECTION_ISSUED&reason=x",
    ),
    ("/sites/{site}/productions/{id}/stages/{part}/approve", ""),
    ("/sites/{site}/productions/{id}/stages/{part}/reopen", ""),
    (
        "/sites/{site}/productions/{id}/waive",
        "stage={answered}&fingerprint={finding}&reason=x",
    ),
    ("/sites/{site}/evidence/{id}/cadence", "cadence_days=30"),
    ("/sites/{site}/evidence/{id}/look-now", ""),
    ("/sites/{site}/evidence/{id}/stop", ""),
    (
        "/sites/{site}/evidence-reviews/{id}/resolve",
        "resolution=holds",
    ),
    ("/sites/{site}/agents/new", "harness=codex"),
    ("/sites/{site}/agents/{id}/rename", "name=Scribe"),
    ("/sites/{site}/agents/{id}/permissions", "scope=site:read"),
    ("/sites/{site}/agents/{id}/connect", "name=x"),
    ("/sites/{site}/connections/{id}/revoke", ""),
    ("/sites/{site}/connections/{id}/rotate", ""),
    ("/sites/{site}/members", "name=x&email=none&role=viewer"),
    ("/sites/{site}/members/{id}/role", "role=viewer"),
    ("/sites/{site}/members/{id}/link", ""),
    ("/sites/{site}/members/{id}/remove", ""),
    ("/sites/{site}/settings", "run_idle_hours=24"),
    ("/sites/{site}/settings/policy", "high_risk_items=x"),
    ("/sites/{site}/settings/new-site", "name=x"),
    ("/sites/{site}/audit/verify", ""),
    ("/sites/{site}/audit/export", ""),
    ("/sites/{site}/runs/{id}/export", ""),
    ("/sites/{site}/console", "message=x"),
    ("/sites/{site}/console/{id}/turns", "message=x"),
    ("/sites/{site}/console/{id}/turns/{part}/reopen", ""),
    ("/sites/{site}/console/{id}/turns/{part}/cancel", ""),
    (
        "/sites/{site}/console/{id}/steps/{part}/answer",
        "message=x",
    ),
    ("/sites/{site}/console/{id}/steps/{part}/reopen", ""),
    ("/sites/{site}/console/{id}/steps/{part}/cancel", ""),
    ("/sites/{site}/console/{id}/plans/{part}/cancel", ""),
];

/// One of everything on a site.
#[derive(Clone)]
pub(crate) struct Scene {
    site: String,
    draft: Draft,
    next: Draft,
    run: RunId,
    artifact: ArtifactId,
    proposal: ProposalId,
    /// A proposal to create a page, which has a preview of its own.
    creation: ProposalId,
    submission: SubmissionId,
    agent: AgentId,
    connection: ConnectionId,
    member: MemberId,
    brief: BriefId,
    node: NodeId,
    import: ImportId,
    opportunity: OpportunityId,
    /// A conversation, its turns, its plan and that one's steps, by what they are there for.
    talks: BTreeMap<&'static str, String>,
    package: SourcePackageId,
    evidence: EvidenceId,
    review: ReviewId,
    produced: Produced,
}

impl Scene {
    pub(crate) async fn new(test: &TestApp) -> Self {
        Self::of(test, &test.home).await
    }

    pub(crate) async fn of(test: &TestApp, place: &Place) -> Self {
        let draft = test.live_article(place, "Opening hours").await;
        let agent = test.agent_of(place).await;
        let run = test.begin_run(&agent).await;
        let next = test.revise(&agent, run, draft, "Winter hours").await;
        let record = ql_app::run::RecordArtifact {
            run,
            key: "notes".into(),
            media_type: "text/plain".into(),
            body: "notes".into(),
            sha256: None,
            affected: vec![],
        };
        let artifact = test.app.record_artifact(&agent, record, None).await;
        let payload = Payload::CreateContent(CreateContent {
            template: "article".into(),
            slug: None,
            locale: None,
            translation_group: None,
            fields: article("A new page"),
        });
        let package = test.stage(&agent, run).await;
        let produced = test.produce(place).await;
        let made = test.live_article(place, "What a production became").await;
        let evidence = test.evidence_at(place, draft).await;
        let review = test.reviewed(place, evidence).await;
        let creation = test.propose(&agent, Some(run), payload).await;
        let brief = test.briefed(place, "planned").await;
        let state = test.app.get_brief(&agent, brief).await.expect("a brief");
        let import = test
            .imported(place, Media::Csv, b"query\ngarden hours\n")
            .await;
        let talks = test.talk(place).await;
        let talks = [
            ("conversation", talks.conversation.to_string()),
            ("turns/reopen", talks.failed.to_string()),
            ("turns/cancel", talks.queued.to_string()),
            ("steps/answer", talks.asking.to_string()),
            ("steps/reopen", talks.stopped.to_string()),
            ("steps/cancel", talks.offered.to_string()),
            ("plans/cancel", talks.plan.to_string()),
        ];
        let creation = creation.expect("a proposal").proposal_id;
        test.seal(place, produced.id, (made, creation)).await;
        Self {
            produced,
            brief,
            node: state.brief.node,
            import: import.import.id,
            opportunity: test.opportunities(place).await[0],
            talks: talks.into(),
            draft,
            next,
            run,
            artifact: artifact.expect("an artifact").artifact_id,
            proposal: test.request_publication(&agent, run, &[next]).await,
            creation,
            submission: test.post(place, "Words of a visitor").await,
            package,
            evidence,
            review,
            agent: place.agent.id,
            connection: place.connection.connection.id,
            member: *place
                .members
                .get(&Role::Viewer)
                .unwrap_or(&place.members[&Role::Owner]),
            site: place.site.slug.clone(),
        }
    }

    /// What never was, on a site that is or isn't.
    pub(crate) fn never(test: &TestApp, site: &str) -> Self {
        let (ids, now) = (&**test.app.ids(), test.now());
        let draft = || Draft {
            content: ContentId::mint(ids, now),
            revision: RevisionId::mint(ids, now),
        };
        let turn = || TurnId::mint(ids, now).to_string();
        let step = || StepId::mint(ids, now).to_string();
        let talks = [
            ("conversation", ConversationId::mint(ids, now).to_string()),
            ("turns/reopen", turn()),
            ("turns/cancel", turn()),
            ("steps/answer", step()),
            ("steps/reopen", step()),
            ("steps/cancel", step()),
            ("plans/cancel", PlanId::mint(ids, now).to_string()),
        ];
        Self {
            talks: talks.into(),
            site: site.to_owned(),
            draft: draft(),
            next: draft(),
            run: RunId::mint(ids, now),
            artifact: ArtifactId::mint(ids, now),
            proposal: ProposalId::mint(ids, now),
            creation: ProposalId::mint(ids, now),
            submission: SubmissionId::mint(ids, now),
            agent: AgentId::mint(ids, now),
            connection: ConnectionId::mint(ids, now),
            member: MemberId::mint(ids, now),
            brief: BriefId::mint(ids, now),
            node: NodeId::mint(ids, now),
            import: ImportId::mint(ids, now),
            opportunity: OpportunityId::mint(ids, now),
            package: SourcePackageId::mint(ids, now),
            evidence: EvidenceId::mint(ids, now),
            review: ReviewId::mint(ids, now),
            produced: Produced {
                id: ProductionId::mint(ids, now),
                answered: "NEVER".into(),
                approved: "NEVER".into(),
                finding: Digest::of(b"never"),
                origin: "nowhere",
            },
        }
    }

    /// The same as it is looked for on another site.
    pub(crate) fn at(&self, site: &str) -> Self {
        Self {
            site: site.to_owned(),
            ..self.clone()
        }
    }

    /// Every identifier and the site's address, as they would be repeated.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.talks.values().cloned().collect();
        names.extend([
            self.draft.content.to_string(),
            self.draft.revision.to_string(),
            self.next.revision.to_string(),
            self.run.to_string(),
            self.artifact.to_string(),
            self.proposal.to_string(),
            self.creation.to_string(),
            self.submission.to_string(),
            self.agent.to_string(),
            self.connection.to_string(),
            self.member.to_string(),
            self.brief.to_string(),
            self.node.to_string(),
            self.import.to_string(),
            self.opportunity.to_string(),
            self.package.to_string(),
            self.evidence.to_string(),
            self.review.to_string(),
            self.produced.id.to_string(),
            format!("/sites/{}", self.site),
        ]);
        names
    }

    /// A route with everything in its place.
    pub(crate) fn fill(&self, route: &str) -> String {
        let noun = route
            .split("/{id}")
            .next()
            .and_then(|before| before.rsplit('/').next());
        let id = match noun.unwrap_or_default() {
            "proposals" if route.ends_with("/preview") => self.creation.to_string(),
            "proposals" => self.proposal.to_string(),
            "runs" => self.run.to_string(),
            "productions" => self.produced.id.to_string(),
            "sources" => self.package.to_string(),
            "evidence" => self.evidence.to_string(),
            "evidence-reviews" => self.review.to_string(),
            "content" => self.draft.content.to_string(),
            "topical-map" => self.node.to_string(),
            "strategy-imports" => self.import.to_string(),
            "briefs" => self.brief.to_string(),
            "templates" => "article".into(),
            "forms" => "contact".into(),
            "submissions" => self.submission.to_string(),
            "agents" => self.agent.to_string(),
            "connections" => self.connection.to_string(),
            "console" => self.talks["conversation"].clone(),
            "members" if route.ends_with("/remove") => format!("mem_{}", "0".repeat(26)),
            "members" => self.member.to_string(),
            _ => String::new(),
        };
        let part = match route.split_once("/console/{id}/") {
            Some((_, rest)) => {
                let what = rest.replace("{part}/", "");
                self.talks.get(what.as_str()).cloned().unwrap_or_default()
            }
            None if route.ends_with("/approve") => self.produced.approved.clone(),
            None if route.contains("/stages/") => self.produced.answered.clone(),
            None if route.contains("/artifacts/") => self.artifact.to_string(),
            None => self.draft.revision.to_string(),
        };
        let route = route
            .replace("{site}", &self.site)
            .replace("{id}", &id)
            .replace("{part}", &part)
            .replace("{opportunity}", &self.opportunity.to_string())
            .replace("{connection}", &self.connection.to_string())
            .replace("{answered}", &self.produced.answered)
            .replace("{origin}", self.produced.origin)
            .replace("{finding}", &self.produced.finding.to_string());
        let route = route.replace("{digest}", &"0".repeat(64));
        route
            .replace("{old}", &self.draft.revision.to_string())
            .replace("{new}", &self.next.revision.to_string())
    }

    pub(crate) fn fields(&self, fields: &str) -> Vec<(String, String)> {
        let filled = self.fill(fields);
        let pairs = filled.split('&').filter_map(|pair| pair.split_once('='));
        pairs
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }
}

/// Everybody who may try: the columns of the tables.
async fn people(test: &TestApp) -> Vec<Browser> {
    let member = |place: &Place, role| (place.clone(), role);
    let mut browsers = vec![Browser::new(test)];
    for (place, role) in [
        member(&test.home, Role::Viewer),
        member(&test.home, Role::Reviewer),
        member(&test.home, Role::Editor),
        member(&test.home, Role::Admin),
        member(&test.home, Role::Owner),
        member(&test.foreign, Role::Owner),
    ] {
        browsers.push(Browser::of(test, &place, role).await);
    }
    browsers
}

/// The browser of an owner that was removed while it was signed in, with its forms' token.
async fn removed_owner(test: &TestApp) -> (Browser, Option<String>) {
    let operator = test.operator().await;
    let new = NewMember {
        email: "gone@acme.example".into(),
        name: "Gone".into(),
        role: Role::Owner,
    };
    let gone = test.app.create_member(&operator, new).await;
    let gone = gone.expect("a member").id;
    let mut place = test.home.clone();
    place.members.insert(Role::Owner, gone);
    let mut browser = Browser::of(test, &place, Role::Owner).await;
    let token = browser.token().await;
    test.app
        .remove_member(&operator, gone)
        .await
        .expect("removed");
    (browser, token)
}

fn line(title: &str, cells: &[String]) -> String {
    format!("{title:<60} {}", cells.join(" "))
}

#[tokio::test]
async fn every_route_answers_each_role_as_it_should() {
    let test = TestApp::new().await;
    let scene = Scene::new(&test).await;
    let columns = [
        "nobody",
        "viewer",
        "reviewer",
        "editor",
        "admin",
        "owner",
        "foreign owner",
        "owner without token",
        "owner with another's token",
        "removed owner",
    ];
    let columns = columns.map(str::to_owned);
    let mut table = vec![line("GET", &columns[..7])];
    let mut everybody = people(&test).await;
    for (route, query) in PAGES {
        let path = scene.fill(&format!("{route}{query}"));
        let mut cells = Vec::new();
        for browser in &mut everybody {
            cells.push(browser.clone().get(&path).await.status.as_u16().to_string());
        }
        table.push(line(route, &cells));
    }
    table.push(line("POST", &columns));
    let (removed, removed_token) = removed_owner(&test).await;
    for (route, fields) in FORMS {
        let mut cells = Vec::new();
        let mut tokens = Vec::new();
        for browser in &mut everybody {
            tokens.push(browser.token().await);
        }
        let owner = everybody[5].clone();
        let tries = everybody.iter().cloned().zip(tokens.clone()).chain([
            (owner.clone(), None),
            (owner, tokens[6].clone()),
            (removed.clone(), removed_token.clone()),
        ]);
        for (mut browser, token) in tries {
            let mut form = scene.fields(fields);
            form.extend(token.map(|token| ("csrf".to_owned(), token)));
            let shown = browser.post(&scene.fill(route), &form).await;
            cells.push(shown.status.as_u16().to_string());
        }
        table.push(line(route, &cells));
    }
    insta::assert_snapshot!("routes", table.join("\n"));
}

#[test]
fn every_route_stands_in_a_table() {
    let quoted = ROUTES.split('"').skip(1).step_by(2);
    let mut covered: Vec<&str> = PAGES.iter().map(|page| page.0).collect();
    covered.extend(FORMS.iter().map(|form| form.0));
    covered.extend(LEFT_OUT);
    for route in quoted.filter(|text| text.starts_with('/')) {
        assert!(covered.contains(&route), "{route} stands in no table");
    }
    for route in LEFT_OUT {
        assert!(
            ROUTES.contains(&format!("\"{route}\"")),
            "{route} is gone and still left out"
        );
    }
}

#[tokio::test]
async fn every_page_of_a_real_site_is_sound() {
    let test = TestApp::new().await;
    let scene = Scene::new(&test).await;
    let mut owner = Browser::member(&test, Role::Owner).await;
    for (route, query) in PAGES {
        let shown = owner.visit(&scene.fill(&format!("{route}{query}"))).await;
        assert!(shown.status.is_success(), "{route}");
        if !route.ends_with("/preview") {
            assert_eq!(problems(&shown.html), Vec::<String>::new(), "{route}");
        }
    }
}
