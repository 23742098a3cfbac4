//! The audit trail.

use ql_app::audit::{Entry, Filter};
use ql_core::ledger::Subject;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, file, page};
use crate::edge::form::Action;
use crate::page::{Audit, AuditRow, Section, Verified};
use crate::part::{Choice, Digest, Link, Select};
use crate::view::names::Names;

pub(super) async fn list(desk: Desk) -> Answer {
    page(&render(&desk).await?)
}

async fn render(desk: &Desk) -> Result<Audit, WebError> {
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let params = &desk.params;
    let filter = Filter {
        kind: params.get("kind").map(|kind| format!("{kind}.")),
        actor: params.get("actor").map(str::to_owned),
    };
    let request = params.page(50);
    let found = match params.get("of") {
        Some("organization") => {
            desk.web
                .app
                .list_organization_audit(&desk.ctx, &request)
                .await?
        }
        _ => {
            desk.web
                .app
                .list_audit(&desk.ctx, &filter, &request)
                .await?
        }
    };
    Ok(Audit {
        shell: desk.shell(Section::Audit).await?,
        filters: filters(desk, &names),
        is_filtered: params.any(&["kind", "actor", "of"]),
        rows: found
            .items
            .iter()
            .map(|entry| row(desk, &names, entry))
            .collect(),
        next: params.next(&desk.at("audit"), found.next.as_ref()),
        verified: None,
    })
}

fn row(desk: &Desk, names: &Names, entry: &Entry) -> AuditRow {
    let subject = match entry.subject.parse::<Subject>() {
        Ok(Subject::Run(id)) => Some(Link::new(desk.at(&format!("runs/{id}")), "its run")),
        Ok(Subject::Proposal(id)) => Some(Link::new(
            desk.at(&format!("proposals/{id}")),
            "its proposal",
        )),
        Ok(Subject::Conversation(id)) => Some(Link::new(
            desk.at(&format!("console/{id}")),
            "its conversation",
        )),
        Ok(Subject::Site(_)) => Some(Link::new(desk.at("settings"), "the site")),
        Ok(Subject::Organization(_)) | Err(_) => None,
    };
    AuditRow {
        kind: entry.kind.clone(),
        by: names.who(entry.actor),
        subject,
        chain: format!("Entry {} of the chain {}", entry.seq, entry.subject),
        detail: format!("{:#}", entry.detail),
        id: Digest::new("entry id", entry.id.to_string()),
        at: desk.when(entry.at),
    }
}

fn filters(desk: &Desk, names: &Names) -> Vec<Select> {
    let kinds = [
        ("", "Any event"),
        ("proposal", "Proposals"),
        ("production", "Productions"),
        ("run", "Runs"),
        ("draft", "Drafts"),
        ("artifact", "Artifacts"),
        ("claim", "Claims"),
        ("connection", "Connections"),
        ("agent", "Agents"),
        ("template", "Templates"),
        ("policy", "Policy"),
        ("site", "Site"),
    ];
    let mut actors = vec![
        Choice::new("", "Anybody"),
        Choice::new("member:", "Members"),
        Choice::new("agent:", "Agents"),
        Choice::new("operator:", "Operators"),
        Choice::new("system", "QueryLayer itself"),
    ];
    let agents = names.agents().into_iter();
    actors.extend(agents.map(|(id, name)| Choice::new(format!("agent:{id}:"), name)));
    let of = vec![
        Choice::new("", "This site"),
        Choice::new("organization", "The organization"),
    ];
    let select = |name, label, choices| Select {
        name,
        label,
        chosen: desk.params.text(name),
        choices,
    };
    let kinds = kinds.map(|(value, text)| Choice::new(value, text)).into();
    vec![
        select("of", "Of", of),
        select("kind", "Event", kinds),
        select("actor", "By", actors),
    ]
}

/// The site's own chain, as a file that proves itself.
pub(super) async fn export(Action { desk, .. }: Action) -> Answer {
    let subject = Subject::Site(desk.site.id);
    bundle(&desk, subject, &desk.site.slug).await
}

/// A part of the ledger, as a file of this name.
pub(super) async fn bundle(desk: &Desk, subject: Subject, name: &str) -> Answer {
    let exported = desk.web.app.export_ledger(&desk.ctx, subject, None);
    let name = format!("{name}.qlbundle");
    Ok(file(&name, "application/jsonl", exported.await?))
}

/// Follows every chain, and says on the same page what came of it.
pub(super) async fn verify(Action { desk, .. }: Action) -> Answer {
    let found = desk.web.app.verify_ledger(&desk.ctx).await?;
    let mut shown = render(&desk).await?;
    shown.verified = Some(Verified {
        chains: found.chains,
        entries: found.entries,
        broken: found.broken.iter().map(ToString::to_string).collect(),
        at: desk.when(desk.now),
    });
    page(&shown)
}
