//! The seed's table of roles, held against what the engine makes of the shipped pack.

use std::path::Path;
use std::sync::Arc;

use ql_pipeline::attestation::Status;
use ql_pipeline::audit::{Ground, Input, Spent};
use ql_pipeline::document::DocKind;
use ql_pipeline::envelope::{Task, read};
use ql_pipeline::finding::Code;
use ql_pipeline::money::Micros;
use ql_pipeline::pack::{Pack, Role, RuleKind, folder};
use ql_scripture::corpus::library::Library;
use serde_json::{Value, json};

use crate::world::stage;

/// A memo in which a role interprets and attests every rule there is.
fn memo(pack: &Pack, role: &Role) -> Value {
    let attestations: Vec<Value> = pack
        .rules
        .iter()
        .map(|rule| {
            json!({"rule_id": rule.id, "status": Status::Pass, "reviewer": format!("{}-agent", role.id)})
        })
        .collect();
    json!({
        "task_id": "01939d2c-0000-7000-8000-000000000001", "agent_role": role.id,
        "status": "THEOLOGY_VERIFIED",
        "output": {
            "thesis": "T", "readings": [{"passage": "A passage", "reading": "R", "rationale": "Y"}],
            "attestations": attestations,
        },
        "scripture": [], "claims": [], "uncertainties": ["Much."], "interpretive_notes": ["It means this."],
        "constitution_sha256": pack.constitution_sha256, "policy_pack_sha256": pack.sha256,
        "provider": "p", "model": "m", "cost_usd": 0, "latency_ms": 1,
    })
}

/// What the engine lets a role do: interpret, and attest which rules.
fn allowed(ground: &Ground, role: &Role) -> (bool, Vec<String>) {
    let pack = ground.pack();
    let (result, output) =
        read::result_of(memo(pack, role), DocKind::HermeneuticsMemo).expect("fit");
    let task = Task {
        task_id: result.task_id.clone(),
        project_id: result.task_id.clone(),
        agent_role: role.id.clone(),
        stage: "READ".into(),
        objective: "Read.".into(),
        doc_kind: DocKind::HermeneuticsMemo,
        inputs: ql_pipeline::envelope::task::Inputs::default(),
        constraints: Vec::new(),
        constitution_version: pack.version.clone(),
        constitution_sha256: pack.constitution_sha256.to_string(),
        policy_pack_sha256: pack.sha256.to_string(),
        budget_usd: Micros::ZERO,
        idempotency_key: "p:READ:1".into(),
    };
    let audit = ground.audit(&Input {
        task: &task,
        result: &result,
        output: &output,
        role,
        stage: &stage("READ", &role.id, DocKind::HermeneuticsMemo, &[]),
        attested: &[],
        retrieved: &[],
        open: &[],
        waived: &std::collections::BTreeSet::new(),
        spent: Spent::Known(Micros::ZERO),
        script: None,
        parts: &[],
        medium: "video",
    });
    let found = |code: Code| {
        audit
            .findings
            .iter()
            .filter(move |finding| finding.code == code)
    };
    let refused: Vec<&str> = found(Code::AttestationUnauthorized)
        .filter_map(|finding| finding.rule.as_deref())
        .collect();
    let attested = pack
        .rules
        .iter()
        .filter(|rule| !refused.contains(&rule.id.as_str()));
    let attested = attested
        .map(|rule| rule.id.trim_start_matches("VAL-").to_owned())
        .collect();
    (found(Code::ExegesisUnauthorized).next().is_none(), attested)
}

#[test]
fn every_role_may_what_the_table_says_and_nothing_else() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs/biblical-teaching");
    let pack = folder::open(&root).expect("a folder").expect("fit");
    assert!(
        pack.rules
            .iter()
            .any(|rule| rule.kind == RuleKind::Deterministic),
        "nobody attests it"
    );
    let ground = Ground::new(Arc::new(pack), Arc::new(Library::new([]))).expect("ready");
    let lines: Vec<String> = ground
        .pack()
        .roles
        .iter()
        .map(|role| {
            let (interprets, attests) = allowed(&ground, role);
            let yes = |what: bool| if what { "yes" } else { "no" };
            format!(
                "{:02} {:18} interprets {:4} publishes {:4} attests {}",
                role.number,
                role.id,
                yes(interprets),
                yes(role.publishes),
                attests.join(" ")
            )
            .trim_end()
            .to_owned()
        })
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    00 director           interprets no   publishes no   attests
    01 research           interprets no   publishes no   attests
    02 biblical_research  interprets no   publishes no   attests 01 04 13
    03 hermeneutics       interprets yes  publishes no   attests 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 17
    04 scriptwriting      interprets no   publishes no   attests
    05 production         interprets no   publishes no   attests
    06 voice              interprets no   publishes no   attests
    07 thumbnail          interprets no   publishes no   attests
    08 seo                interprets no   publishes no   attests
    09 shorts             interprets no   publishes no   attests
    10 publishing         interprets no   publishes yes  attests
    11 analytics          interprets no   publishes no   attests
    ");
}
