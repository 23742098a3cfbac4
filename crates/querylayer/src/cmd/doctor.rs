//! What is wrong with a data folder, in words, and what to do about it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;
use ql_store::Privileges;
use serde_json::{Value, json};

use crate::admin::{AgentCommand, LedgerRequest, Org, Request};
use crate::cli::Place;
use crate::cmd::admin;
use crate::data::DataDir;
use crate::output;

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    /// What is wrong and what to do; none when all is well.
    wrong: Option<String>,
}

fn finding(what: &'static str, wrong: Option<String>) -> Finding {
    Finding { what, wrong }
}

/// Looks at the folder and says what is wrong; the exit code says whether anything is.
///
/// # Errors
/// When standard output is closed.
pub async fn run(place: &Place) -> Result<ExitCode> {
    let data = place.data_dir();
    let mut findings = vec![finding(
        "data",
        data.require().err().map(|error| error.to_string()),
    )];
    if data.exists() {
        findings.push(finding("privacy", private(&data)));
        findings.push(finding("database", database(place).await));
        findings.push(finding("ledger", ledger(place).await));
        findings.push(finding("ledger_key", ledger_key(place).await));
        if data.has_server() {
            findings.push(finding("privileges", privileges(&data).await));
        } else {
            findings.push(finding("append_only", append_only(&data).await));
        }
        findings.push(finding("agents", agents(place).await));
    }
    let healthy = findings.iter().all(|finding| finding.wrong.is_none());
    if place.json {
        let rows: Value = findings
            .iter()
            .map(|f| json!({"check": f.what, "ok": f.wrong.is_none(), "wrong": f.wrong}))
            .collect();
        output::print(&json!({"ok": healthy, "checks": rows}), true)?;
    } else {
        for finding in &findings {
            let mark = if finding.wrong.is_none() {
                "ok "
            } else {
                "NOT"
            };
            output::line(&format!(
                "{mark} {}: {}",
                finding.what,
                finding.wrong.as_deref().unwrap_or("as it should be")
            ))?;
        }
    }
    Ok(if healthy {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn private(data: &DataDir) -> Option<String> {
    let open =
        |path: &Path| std::fs::metadata(path).is_ok_and(|m| m.permissions().mode() & 0o077 != 0);
    let exposed = open(data.path()) || open(&data.keys());
    exposed.then(|| {
        format!(
            "others on this machine can read {0}; run `chmod -R go= {0}`",
            data.path().display()
        )
    })
}

async fn database(place: &Place) -> Option<String> {
    match admin::answer(Request::Org(Org::List), place).await {
        Ok(Value::Array(rows)) if rows.is_empty() => {
            Some("there is no organization; run `querylayer org create NAME`, or `querylayer quickstart` on an empty folder".to_owned())
        }
        Ok(_) => None,
        Err(error) => Some(format!("{error:#}")),
    }
}

/// Whether the ledger is signed from here.
async fn ledger_key(place: &Place) -> Option<String> {
    match admin::answer(Request::Ledger(LedgerRequest::Status), place).await {
        Ok(found) if found["signs"] == true => None,
        Ok(found) => Some(format!(
            "{}; {} entries wait to be signed. Copy keys/ledger.key from the server that has it, or from a backup",
            found["signing"].as_str().unwrap_or_default(),
            found["waiting"]
        )),
        Err(error) => Some(format!("{error:#}")),
    }
}

async fn ledger(place: &Place) -> Option<String> {
    match admin::answer(Request::VerifyLedger, place).await {
        Ok(found) if found["ok"] == true => None,
        Ok(found) => Some(format!(
            "somebody changed history: {}; restore a backup and compare",
            found["broken"]
        )),
        Err(error) => Some(format!("{error:#}")),
    }
}

/// Proves on a copy of the schema that what is written once can't be changed.
async fn append_only(data: &DataDir) -> Option<String> {
    let path = data.database();
    let tried = tokio::task::spawn_blocking(move || ql_store::check::append_only(&path)).await;
    match tried {
        Ok(Ok(open)) if open.is_empty() => None,
        Ok(Ok(open)) => Some(format!(
            "history can be changed in {}; restore a backup",
            open.join(", ")
        )),
        Ok(Err(error)) => Some(error.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

/// Proves by trying that the role which the server works as can't change what is written once.
async fn privileges(data: &DataDir) -> Option<String> {
    let tried = async {
        let app = data.open("http://127.0.0.1")?;
        let tried = app.store().privileges().await;
        app.store().close();
        anyhow::Ok(tried?)
    };
    match tried.await {
        Ok(None) => None,
        Ok(Some(found)) => excess(&found),
        Err(error) => Some(format!("{error:#}")),
    }
}

fn excess(found: &Privileges) -> Option<String> {
    let role = &found.role;
    let mut wrong = Vec::new();
    if found.superuser {
        wrong.push(format!("the role {role} passes every check of rights"));
    }
    if !found.open.is_empty() {
        wrong.push(format!(
            "history can be changed in {}: the triggers that refuse it are gone",
            found.open.join(", ")
        ));
    }
    if !found.granted.is_empty() {
        wrong.push(format!(
            "the role {role} holds rights to change {}; only triggers stand in its way",
            found.granted.join(", ")
        ));
    }
    if !wrong.is_empty() {
        wrong.push(
            "serve as a role that owns nothing and let --database-owner grant it what it needs"
                .to_owned(),
        );
    }
    if !found.not_durable.is_empty() {
        wrong.push(format!(
            "the database server can lose what it acknowledged; set {} to on",
            found.not_durable.join(" and ")
        ));
    }
    (!wrong.is_empty()).then(|| wrong.join("; "))
}

async fn agents(place: &Place) -> Option<String> {
    match admin::answer(
        Request::Agent(AgentCommand::List { organization: None }),
        place,
    )
    .await
    {
        Ok(Value::Array(rows)) if rows.is_empty() => Some(
            "no agent is registered; run `querylayer agent create NAME --harness …`".to_owned(),
        ),
        Ok(_) => None,
        Err(error) => Some(format!("{error:#}")),
    }
}
