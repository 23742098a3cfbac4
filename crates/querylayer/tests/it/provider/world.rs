//! Providers as a server would load them, with a task to put to them.

use std::ffi::OsString;
use std::path::Path;

use ql_app::director::{Answered, Ask, Failure, Provider as _};
use ql_core::hash::Digest;
use ql_core::problem::Problem;
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::task::{Document, Inputs};
use ql_pipeline::envelope::{Task, mend, read};
use ql_pipeline::money::Micros;
use ql_pipeline::pack::PackFile;
use ql_pipeline::tier::Tier;
use ql_pipeline::verdict::Verdict;
use ql_testkit::TempDir;
use querylayer::provider::{Providers, Surroundings, load_in};
use serde_json::{Value, json};

/// The key of every provider here.
pub(crate) const KEY: &str = "canary-4f08b249-256599c4";

pub(crate) const PRICES: &str = r#"
as_of = "2026-12-01"
source = "made up"
[[price]]
provider = "openai"
model = "m"
input = 3_000_000
cached = 300_000
cache_write = 3_750_000
output = 15_000_000
[[price]]
provider = "anthropic"
model = "m"
input = 3_000_000
cached = 300_000
cache_write = 3_750_000
output = 15_000_000
[[price]]
provider = "openai"
model = "draws"
image = 40_000
[[price]]
provider = "openai"
model = "draws-by-tokens"
input = 5_000_000
output = 40_000_000
[[price]]
provider = "openai"
model = "speaks"
speech = 15_000_000
[[price]]
provider = "at home"
model = "m"
input = 0
output = 0
"#;

/// Providers with their folder.
pub(crate) struct World {
    pub(crate) providers: Providers,
    pub(crate) folder: TempDir,
}

/// Loads tiers, with programs looked for in one folder before the machine's.
pub(crate) fn try_load(tiers: &str, programs: &OsString) -> anyhow::Result<World> {
    let folder = TempDir::new();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("tiers.toml"), tiers).expect("written");
    std::fs::write(at("prices.toml"), PRICES).expect("written");
    std::fs::write(at("key"), format!("{KEY}\n")).expect("written");
    let surroundings = Surroundings {
        variable: &|name| (name == "KEY").then(|| KEY.to_owned()),
        path: programs.clone(),
    };
    let (tiers, prices, files) = (at("tiers.toml"), at("prices.toml"), at("files"));
    let providers = load_in(&surroundings, &tiers, &prices, &files)?;
    Ok(World { providers, folder })
}

pub(crate) fn load(tiers: &str) -> World {
    try_load(tiers, &OsString::new()).expect("fit settings")
}

/// A task for a document, after a script.
pub(crate) fn task(kind: DocKind, title: &str) -> Task {
    let script = json!({
        "title": title,
        "hook": "Thomas asks for a road.",
        "sections": [{"heading": "One", "text": "He is given a person instead."}],
        "closing": "Walk with him.",
    });
    let document = Document {
        stage: "SCRIPT_GENERATED".to_owned(),
        sha256: Digest::ZERO.to_string(),
        verdict: Verdict::TheologyVerified,
        output: script,
        uncertainties: Vec::new(),
        scripture: Vec::new(),
    };
    Task {
        task_id: "018f4d2c-0000-7000-8000-000000000001".to_owned(),
        project_id: "018f4d2c-0000-7000-8000-000000000002".to_owned(),
        agent_role: "scriptwriting".to_owned(),
        stage: "A_STAGE".to_owned(),
        objective: "Explain John 14:6 in ten minutes.".to_owned(),
        doc_kind: kind,
        inputs: Inputs {
            documents: [("script".to_owned(), document)].into(),
            ..Inputs::default()
        },
        constraints: Vec::new(),
        constitution_version: "1.0.0".to_owned(),
        constitution_sha256: Digest::of(b"constitution").to_string(),
        policy_pack_sha256: Digest::of(b"pack").to_string(),
        budget_usd: Micros::new(600_000).expect("a budget"),
        idempotency_key: "production:A_STAGE:1".to_owned(),
    }
}

/// A result that fits a task for shorts.
pub(crate) fn shorts() -> Value {
    let task = task(DocKind::Shorts, "The way");
    json!({
        "task_id": task.task_id, "agent_role": task.agent_role, "status": "DRAFT_UNVERIFIED",
        "output": {"shorts": [{"title": "A road", "text": "Thomas asks for a road."}]},
        "scripture": [], "claims": [],
        "constitution_sha256": task.constitution_sha256,
        "policy_pack_sha256": task.policy_pack_sha256,
        "provider": "p", "model": "m", "cost_usd": 0, "latency_ms": 0,
    })
}

pub(crate) fn policy() -> Vec<PackFile> {
    let text = "Speak plainly.\n".to_owned();
    vec![PackFile {
        path: "constitution.md".to_owned(),
        sha256: Digest::of(text.as_bytes()),
        text,
    }]
}

impl World {
    /// Puts a task to a tier.
    pub(crate) async fn ask(&self, tier: Tier, task: &Task) -> Result<Answered, Failure> {
        self.ask_to_mend(tier, task, None).await
    }

    pub(crate) async fn ask_to_mend(
        &self,
        tier: Tier,
        task: &Task,
        repair: Option<&[Problem]>,
    ) -> Result<Answered, Failure> {
        let (envelope, policy) = (json!(task).to_string(), policy());
        let ask = ask(tier, &envelope, &policy, repair);
        self.providers.ask(ask).await
    }

    /// The most that a task may cost on a tier.
    pub(crate) fn most(&self, tier: Tier, task: &Task) -> Result<i64, Failure> {
        let (envelope, policy) = (json!(task).to_string(), policy());
        self.providers.most(&ask(tier, &envelope, &policy, None))
    }

    /// A file that was kept.
    pub(crate) fn file(&self, sha256: &Digest) -> Vec<u8> {
        let files = querylayer::provider::files::Files::new(&self.folder.path().join("files"));
        std::fs::read(files.path(sha256)).expect("kept")
    }
}

fn ask<'p>(
    tier: Tier,
    envelope: &'p str,
    policy: &'p [PackFile],
    repair: Option<&'p [Problem]>,
) -> Ask<'p> {
    Ask {
        stage: "A_STAGE",
        tier,
        attempt: 1,
        key: "task:1",
        envelope,
        policy,
        repair,
    }
}

/// What came of it, in a line.
pub(crate) fn told(outcome: &Result<Answered, Failure>, kind: DocKind) -> String {
    match outcome {
        Ok(answer) => {
            let cost = answer
                .cost
                .map_or("unknown".to_owned(), |cost| cost.to_string());
            let fits = match read::result(mend::object(&answer.text).as_bytes(), kind) {
                Ok(_) => "fits".to_owned(),
                Err(unfit) => unfit.to_string(),
            };
            format!("Answered, cost {cost}, {fits}")
        }
        Err(Failure::Transient { why, retry_after }) => {
            let after = retry_after.map(|after| format!(", retry after {after:?}"));
            format!("Transient{}: {why}", after.unwrap_or_default())
        }
        Err(Failure::Permanent(why)) => format!("Permanent: {why}"),
        Err(Failure::Uncertain(why)) => format!("Uncertain: {why}"),
    }
}

/// The folder of stand-ins for programs, before the machine's own.
pub(crate) fn fakes() -> OsString {
    let fakes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/provider/fake");
    std::env::join_paths([fakes.as_path(), Path::new("/usr/bin"), Path::new("/bin")])
        .expect("paths")
}
