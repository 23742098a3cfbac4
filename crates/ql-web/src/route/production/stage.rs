//! One stage: its document with what was found in it, and what a person does about it.

use http::StatusCode;
use ql_app::Error;
use ql_app::director::{
    Attested, DocumentView, Finding, RuleView, StageActor, StageDetail, TaskView, Waiver,
};
use ql_core::hash::Digest as Hash;
use ql_core::id::{ProductionId, ProposalId};
use ql_core::production::{ProviderCall, StageState};
use ql_core::role::MemberAct;
use serde_json::Value;

use super::{address, director};
use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, page, page_with, sentence, status};
use crate::edge::form::{Action, Posted};
use crate::edge::params::{Id, Part};
use crate::page::{Acts, DocumentCard, Note, Proof, RuleRow, Section, StagePage, TaskCard};
use crate::part::{Digest, Fact, Link};
use crate::route::session::prove;
use crate::view::names::Names;
use crate::view::production as words;
use crate::view::words::count;
use crate::view::{compared, document};

pub(in crate::route) async fn show(
    Id(id): Id<ProductionId>,
    Part(stage): Part<String>,
    desk: Desk,
) -> Answer {
    page(&render(&desk, id, &stage).await?)
}

async fn render(desk: &Desk, id: ProductionId, stage: &str) -> Result<StagePage, WebError> {
    let detail = director(desk)?.get_stage(&desk.ctx, id, stage).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let here = address(desk, id);
    let of = &detail.stage;
    let last = numbered(&detail.unanswered);
    let (documents, others) = documents(&detail, &names, (&here, last.len() + 1));
    Ok(StagePage {
        shell: desk.shell(Section::Productions).await?,
        production: Link::new(here, detail.of.production.title.as_str()),
        stage: of.stage.stage.clone(),
        name: of.name.clone(),
        state: words::state(&of.stage.state, of.by.as_ref()),
        verdict: of.stage.verdict.as_deref().map(words::verdict),
        by: words::actor(of),
        at: desk.when(of.stage.updated_at),
        said: words::said(of),
        acts: acts(desk, &detail),
        rules: detail.rules.iter().map(rule).collect(),
        unanswered: last,
        documents,
        others,
        tasks: detail
            .tasks
            .iter()
            .map(|of| task(desk, &names, &detail, of))
            .collect(),
        problems: Vec::new(),
    })
}

/// What this member can do about the stage.
fn acts(desk: &Desk, detail: &StageDetail) -> Acts {
    let of = &detail.stage;
    let state = &of.stage.state;
    let has_ended = words::ended(&detail.of.exits).is_some();
    let is_open = detail.of.is_policy_served && !has_ended;
    let may_decide = desk.may(MemberAct::Decide) && is_open;
    let is_ready = *state == StageState::Ready && of.by == Some(StageActor::Human);
    let is_over = matches!(state, StageState::NeedsReview { .. } | StageState::Passed);
    let proposal = awaited(detail).filter(|_| is_ready);
    let address = |id| desk.at(&format!("proposals/{id}"));
    Acts {
        approve: may_decide && is_ready && !detail.follows_proposal && !of.is_aside,
        next: detail.next.clone(),
        proposal: proposal.map(|id| Link::new(address(id), "the proposal of it")),
        reopen: desk.may(MemberAct::Edit) && is_open && is_over && !of.is_aside,
        after: match detail.after {
            0 => "Nothing else waits for it.".to_owned(),
            many => format!(
                "{} after it anew.",
                count(many, "stage waits", "stages wait")
            ),
        },
        waive: may_decide,
        approving: if detail.asks_proof {
            proof(desk)
        } else {
            Proof::None
        },
        waiving: proof(desk),
    }
}

/// The proposal that a stage follows, where it follows one.
fn awaited(detail: &StageDetail) -> Option<ProposalId> {
    if detail.stage.is_aside {
        let id = &detail.stage.stage.stage;
        let taken = detail.of.exits.iter().rev().find(|exit| exit.stage == *id);
        return taken.and_then(|exit| exit.proposal);
    }
    let release = detail
        .of
        .release
        .as_ref()
        .filter(|_| detail.follows_proposal);
    release.map(|release| release.proposal)
}

/// How the member proves again who it is, where it must.
fn proof(desk: &Desk) -> Proof {
    let member = &desk.signed_in;
    match member.member.password_hash {
        _ if member.is_fresh(&desk.web.app) => Proof::None,
        Some(_) => Proof::Password,
        None => Proof::NoPassword,
    }
}

fn rule(of: &RuleView) -> RuleRow {
    let said = |said: &Attested| {
        let attestation = &said.attestation;
        (
            words::status(attestation.status),
            said.role.clone(),
            attestation.notes.clone(),
        )
    };
    RuleRow {
        id: of.id.clone(),
        title: of.title.clone(),
        question: of.question.clone(),
        said: of.said.iter().map(said).collect(),
        by_server: of.is_deterministic,
    }
}

type Shown = (Vec<DocumentCard>, Vec<(Link, Vec<crate::part::Pill>)>);

/// The one document that the stage is about, or links to all of them.
fn documents(detail: &StageDetail, names: &Names, (here, first): (&str, usize)) -> Shown {
    if let [only] = detail.documents.as_slice() {
        return (
            vec![card((only, first), &detail.of.waivers, names)],
            Vec::new(),
        );
    }
    let link = |of: &DocumentView| {
        let link = Link::new(format!("{here}/stages/{}", of.stage), of.name.as_str());
        (link, words::weights(&of.findings))
    };
    (Vec::new(), detail.documents.iter().map(link).collect())
}

fn card((of, first): (&DocumentView, usize), waivers: &[Waiver], names: &Names) -> DocumentCard {
    let (whole, parts) = document::read(of, first, |number, finding| {
        let fingerprint = finding.fingerprint();
        let waived = waivers.iter().find(|of| of.fingerprint == fingerprint);
        Note {
            waived: waived.map(|of| (names.who(of.by), of.reason.clone())),
            ..note(&of.result, number, finding)
        }
    });
    DocumentCard {
        kind: words::words(of.kind),
        from: format!("{}, attempt {}", of.name, of.attempt),
        sha256: Some(Digest::new(
            "the document's hash",
            of.output_sha256.to_string(),
        )),
        whole,
        parts,
    }
}

/// Findings of no document, in their order.
fn numbered(findings: &[Finding]) -> Vec<Note> {
    let all = findings.iter().zip(1..);
    all.map(|(finding, number)| note(&Value::Null, number, finding))
        .collect()
}

fn note(result: &Value, number: usize, finding: &Finding) -> Note {
    let quote = document::quote_of(result, &finding.pointer);
    Note {
        number,
        weight: words::weight(finding),
        title: words::words(finding.code.as_str()),
        code: finding.code.as_str(),
        message: finding.message.clone(),
        pointer: finding.pointer.clone(),
        rule: finding.rule.clone(),
        compared: quote.and_then(|quote| compared::of(finding, quote)),
        fingerprint: finding.fingerprint().to_string(),
        is_waivable: finding.code.is_waivable(),
        waived: None,
    }
}

fn task(desk: &Desk, names: &Names, detail: &StageDetail, of: &TaskView) -> TaskCard {
    let policy = &detail.of.production.policy;
    let cost: Option<i64> = of.calls.iter().map(|call| call.cost).sum();
    let call = |call: &ProviderCall| {
        let cost = call
            .cost
            .map_or_else(|| "cost unknown".to_owned(), words::dollars);
        let mending = if call.is_repair {
            ", to mend the answer"
        } else {
            ""
        };
        let text = format!("call {}{mending} · {cost}", call.number);
        (words::call(call.outcome), text, desk.when(call.at))
    };
    TaskCard {
        attempt: of.task.attempt,
        by: of.by.map(|by| names.connection(by)),
        worth: worth(of),
        at: desk.when(of.task.asked_at),
        run: Link::new(
            desk.at(&format!("runs/{}", of.task.run)),
            of.task.run.to_string(),
        ),
        hashes: vec![
            (
                "Envelope",
                Digest::new("the envelope's hash", of.task.body_sha256.to_string()),
            ),
            (
                "Constitution",
                Digest::new(
                    "the constitution's hash",
                    policy.constitution_sha256.to_string(),
                ),
            ),
            (
                "Pack",
                Digest::new("the policy pack's hash", policy.sha256.to_string()),
            ),
        ],
        facts: vec![Fact::new(
            "Cost",
            cost.map_or_else(|| "unknown".to_owned(), words::dollars),
        )],
        calls: of.calls.iter().map(call).collect(),
        envelope: format!("{:#}", of.task.envelope),
    }
}

/// What an answer claims, and what it was found to be worth.
fn worth(of: &TaskView) -> String {
    let Some(claimed) = &of.claimed else {
        return "No answer counts for it.".to_owned();
    };
    let newest = of
        .audits
        .iter()
        .max_by_key(|audit| (audit.at, audit.number));
    let found = newest.map(|audit| words::words(&audit.verdict));
    match found {
        Some(found) if found == words::words(claimed) => {
            format!("It claims “{found}”, and was found to be worth that.")
        }
        Some(found) => {
            let claimed = words::words(claimed);
            format!("It claims “{claimed}” and was found to be worth “{found}”.")
        }
        None => format!("It claims “{}”.", words::words(claimed)),
    }
}

pub(in crate::route) async fn approve(
    Id(id): Id<ProductionId>,
    Part(stage): Part<String>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Decide)?;
    let desk = match proved(desk, &form).await? {
        Ok(desk) => desk,
        Err((desk, error)) => return again(&desk, (id, &stage), error).await,
    };
    let done = director(&desk)?.approve_stage(&desk.ctx, id, &stage).await;
    finish(&desk, (id, &stage), done).await
}

pub(in crate::route) async fn reopen(
    Id(id): Id<ProductionId>,
    Part(stage): Part<String>,
    Action { desk, .. }: Action,
) -> Answer {
    desk.require(MemberAct::Edit)?;
    let done = director(&desk)?.reopen_stage(&desk.ctx, id, &stage).await;
    finish(&desk, (id, &stage), done).await
}

pub(in crate::route) async fn waive(
    Id(id): Id<ProductionId>,
    Action { desk, form }: Action,
) -> Answer {
    desk.require(MemberAct::Decide)?;
    let unread = || WebError::BadForm("The form names no finding.".into());
    let fingerprint = form
        .get("fingerprint")
        .and_then(|text| text.parse::<Hash>().ok());
    let fingerprint = fingerprint.ok_or_else(unread)?;
    let (stage, reason) = (form.text("stage"), form.text("reason"));
    let desk = match proved(desk, &form).await? {
        Ok(desk) => desk,
        Err((desk, error)) => return again(&desk, (id, &stage), error).await,
    };
    let done = director(&desk)?
        .waive(&desk.ctx, id, (fingerprint, &reason))
        .await;
    finish(&desk, (id, &stage), done).await
}

/// The desk after the password that the form carries was right, where it carries one.
async fn proved(desk: Desk, form: &Posted) -> Result<Result<Desk, (Desk, Error)>, WebError> {
    let Some(password) = form.get("password") else {
        return Ok(Ok(desk));
    };
    match prove(&desk.web, &desk.signed_in, password).await {
        Ok(()) => Ok(Ok(desk.refreshed().await?)),
        Err(error) => Ok(Err((desk, error))),
    }
}

/// Goes back to the stage, which says why where nothing was done.
async fn finish(desk: &Desk, (id, stage): (ProductionId, &str), done: Result<(), Error>) -> Answer {
    match done {
        Ok(()) => Ok(go(&format!(
            "{}/stages/{stage}?notice=saved",
            address(desk, id)
        ))),
        Err(error @ (Error::NotFound(_) | Error::Unavailable(_) | Error::Fault(_))) => {
            Err(error.into())
        }
        Err(error) => again(desk, (id, stage), error).await,
    }
}

async fn again(desk: &Desk, (id, stage): (ProductionId, &str), error: Error) -> Answer {
    let shown = StagePage {
        problems: vec![format!("{} Nothing was decided.", sentence(&error))],
        ..render(desk, id, stage).await?
    };
    let code: StatusCode = status(&error);
    page_with(code, &shown)
}
