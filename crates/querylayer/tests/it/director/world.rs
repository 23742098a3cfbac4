//! A site with a director, whose agents answer what a test says.

use std::sync::{Arc, Mutex};

use ql_app::director::{
    Answered, Ask, Asking, Director, Failure, NewProduction, ProductionView, Provider, StageView,
};
use ql_core::id::ProductionId;
use ql_core::production::Cast;
use ql_core::role::Role;
use ql_pipeline::audit::Ground;
use ql_pipeline::money::Micros;
use ql_testkit::TestApp;
use querylayer::cmd::director::recorded::{self, Faults};
use querylayer::cmd::director::{excerpt, story};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What a test makes of the recorded answer for a stage.
pub(crate) type Twist =
    Box<dyn Fn(&Ask<'_>, Result<Answered, Failure>) -> Result<Answered, Failure> + Send + Sync>;

/// The recorded agents, with whatever a test changes; every call is counted.
pub(crate) struct Twisted {
    recorded: ql_app::director::Recorded,
    twist: Twist,
    asked: Arc<Mutex<Vec<String>>>,
    hangs: Arc<Notify>,
}

/// What a twist says where the provider is to answer nothing for ever.
pub(crate) const HANG: &str = "hang";

impl Provider for Twisted {
    fn most(&self, ask: &Ask<'_>) -> Result<i64, Failure> {
        self.recorded.most(ask)
    }

    fn ask<'p>(&'p self, ask: Ask<'p>) -> Asking<'p> {
        let repair = ask
            .repair
            .map(|problems| format!(" to mend {}", problems.len()));
        let line = format!(
            "{} {}{}",
            ask.stage,
            ask.attempt,
            repair.unwrap_or_default()
        );
        self.asked.lock().expect("no panic").push(line);
        Box::pin(async move {
            let answer = (self.twist)(&ask, self.recorded.ask(ask).await);
            if answer == Err(Failure::Permanent(HANG.into())) {
                self.hangs.notify_one();
                std::future::pending::<()>().await;
            }
            answer
        })
    }
}

/// A production and everybody around it.
pub(crate) struct World {
    pub(crate) app: TestApp,
    pub(crate) director: Director,
    pub(crate) id: ProductionId,
    asked: Arc<Mutex<Vec<String>>>,
    hangs: Arc<Notify>,
}

impl World {
    /// A production at its beginning, with agents that answer as recorded.
    pub(crate) async fn new() -> Self {
        Self::with(|_, answer| answer).await
    }

    /// As [`World::new`], where `twist` changes what agents answer.
    pub(crate) async fn with(
        twist: impl Fn(&Ask<'_>, Result<Answered, Failure>) -> Result<Answered, Failure>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        let app = TestApp::new().await;
        let (director, asked, hangs) = director(&app, Box::new(twist));
        let editor = app.member(Role::Editor).await;
        let connection = app.home.connection.connection.id;
        for role in &director.pack().roles {
            director
                .cast(&editor, Cast::by_provider(&role.id, connection))
                .await
                .expect("a role");
        }
        let id = director
            .start(&editor, production())
            .await
            .expect("a production");
        Self {
            app,
            director,
            id,
            asked,
            hangs,
        }
    }

    /// A worker begins a stage and dies while its provider answers nothing.
    pub(crate) async fn worker_dies(&self) {
        tokio::select! {
            done = self.director.run_due_stages() => panic!("the worker went on: {done:?}"),
            () = self.hangs.notified() => {}
        }
    }

    /// Another director over the same database, as after a crash, with what its provider is asked.
    pub(crate) fn successor(&self) -> (Director, Arc<Mutex<Vec<String>>>) {
        let (director, asked, _) = director(&self.app, Box::new(|_, answer| answer));
        (director, asked)
    }

    /// A director over the same database whose constitution has a line more.
    pub(crate) fn under_another_policy(&self) -> Director {
        let mut files: Vec<(String, Vec<u8>)> = shipped_files();
        for (path, bytes) in &mut files {
            if path == "constitution.md" {
                bytes.extend(b"One line more.\n");
            }
        }
        let pack = ql_pipeline::pack::load(files).expect("fit");
        director_under(&self.app, pack, Box::new(|_, answer| answer)).0
    }

    /// A person approves a stage.
    pub(crate) async fn approve(&self, stage: &str) -> ql_app::Result<()> {
        let owner = self.app.member(Role::Owner).await;
        self.director.approve_stage(&owner, self.id, stage).await
    }

    /// An editor has a stage done again.
    pub(crate) async fn reopen(&self, stage: &str) -> ql_app::Result<()> {
        let editor = self.app.member(Role::Editor).await;
        self.director.reopen_stage(&editor, self.id, stage).await
    }

    /// Agents and the server work until nothing is due.
    pub(crate) async fn work(&self) -> ProductionView {
        self.director.run_due_stages().await.expect("work");
        self.view().await
    }

    pub(crate) async fn view(&self) -> ProductionView {
        let editor = self.app.member(Role::Editor).await;
        self.director
            .get_production(&editor, self.id)
            .await
            .expect("the production")
    }

    /// Approves the topic and lets agents begin.
    pub(crate) async fn begin(&self) -> ProductionView {
        self.approve("IDEA_PROPOSED").await.expect("approved");
        self.approve("TOPIC_APPROVED").await.expect("approved");
        self.work().await
    }

    /// Goes through everything up to the sealed release, each recorded fault mended.
    pub(crate) async fn release(&self) -> ProductionView {
        self.begin().await;
        self.reopen("RESEARCH_COMPLETED").await.expect("reopened");
        self.reopen("BIBLICAL_RESEARCH_COMPLETED")
            .await
            .expect("reopened");
        self.work().await;
        self.reopen("SCRIPT_GENERATED").await.expect("reopened");
        self.work().await;
        self.approve("SCRIPT_APPROVED").await.expect("approved");
        self.work().await
    }

    /// Every call of the provider so far.
    pub(crate) fn asked(&self) -> String {
        self.asked.lock().expect("no panic").join("\n")
    }
}

fn shipped_files() -> Vec<(String, Vec<u8>)> {
    let pack = story::shipped_pack().expect("a fit pack");
    let file =
        |file: &ql_pipeline::pack::PackFile| (file.path.clone(), file.text.clone().into_bytes());
    pack.files.iter().map(file).collect()
}

fn director(app: &TestApp, twist: Twist) -> (Director, Arc<Mutex<Vec<String>>>, Arc<Notify>) {
    director_under(app, story::shipped_pack().expect("a fit pack"), twist)
}

/// A director over the same database that asks another provider.
pub(crate) fn director_asking(app: &TestApp, provider: Arc<dyn Provider>) -> Director {
    let pack = story::shipped_pack().expect("a fit pack");
    Director::new(app.app.clone(), ground(pack), provider)
}

fn ground(pack: ql_pipeline::pack::Pack) -> Arc<Ground> {
    let library = excerpt::library(None).expect("the excerpt");
    Arc::new(Ground::new(Arc::new(pack), Arc::new(library)).expect("ready"))
}

fn director_under(
    app: &TestApp,
    pack: ql_pipeline::pack::Pack,
    twist: Twist,
) -> (Director, Arc<Mutex<Vec<String>>>, Arc<Notify>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let hangs = Arc::new(Notify::new());
    let provider = Twisted {
        recorded: recorded::answers(Faults::Planted),
        twist,
        asked: Arc::clone(&asked),
        hangs: Arc::clone(&hangs),
    };
    (
        Director::new(app.app.clone(), ground(pack), Arc::new(provider)),
        asked,
        hangs,
    )
}

/// What the editor asks for.
pub(crate) fn production() -> NewProduction {
    NewProduction {
        title: "The way".into(),
        objective: "A talk on John 14:6.".into(),
        audience: "Everybody".into(),
        medium: "video".into(),
        template: "article".into(),
        fields: json!({}),
        budget: Micros::new(6_000_000).expect("in range"),
        task_budget: Micros::new(600_000).expect("in range"),
    }
}

/// The same answer with something changed in it.
pub(crate) fn changed(
    answer: Result<Answered, Failure>,
    change: impl Fn(&mut Value),
) -> Result<Answered, Failure> {
    let answer = answer?;
    let mut value: Value = serde_json::from_str(&answer.text).expect("a recorded answer");
    change(&mut value);
    Ok(Answered {
        text: value.to_string(),
        ..answer
    })
}

/// A stage, its verdict and what was found, a line each.
pub(crate) fn told(view: &ProductionView, stage: &str) -> String {
    let of = find(view, stage);
    let state = match &of.stage.state {
        ql_core::production::StageState::NeedsReview { reason } => format!("held: {reason}"),
        other => other.as_str().to_owned(),
    };
    let verdict = of.stage.verdict.as_deref().unwrap_or("-");
    let mut lines = vec![format!(
        "{stage} attempt {} {state} {verdict}",
        of.stage.attempts
    )];
    for finding in &of.findings {
        lines.push(format!(
            "{} {}: {}",
            finding.code.as_str(),
            finding.pointer,
            finding.message
        ));
    }
    lines.join("\n")
}

pub(crate) fn find<'v>(view: &'v ProductionView, stage: &str) -> &'v StageView {
    view.stages
        .iter()
        .find(|of| of.stage.stage == stage)
        .expect("a stage of the pack")
}

/// Every stage with where it stands.
pub(crate) fn board(view: &ProductionView) -> String {
    let line = |of: &StageView| format!("{} {}", of.stage.stage, of.stage.state.as_str());
    view.stages.iter().map(line).collect::<Vec<_>>().join("\n")
}
