//! The site's settings and its approval policy.

use http::StatusCode;
use ql_app::Error;
use ql_app::policy::PolicyVersion;
use ql_app::site::{NewSite, Site, SitePatch};
use ql_core::policy::{Policy, Rule, SelfApproval};
use ql_core::proposal::{ProposalKind, Risk};
use ql_core::role::{MemberAct, Role};

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::{Action, Posted};
use crate::page::{self, PolicyRow, Section, Settings};
use crate::part::{self, Digest};
use crate::view::words;

/// The risks at which a kind of proposal can come.
const ROWS: [(ProposalKind, Risk); 10] = [
    (ProposalKind::CreateContent, Risk::Low),
    (ProposalKind::ContentRevision, Risk::Low),
    (ProposalKind::ContentSourceDraft, Risk::Low),
    (ProposalKind::PublishLifecycle, Risk::Medium),
    (ProposalKind::PublishLifecycle, Risk::High),
    (ProposalKind::ContentLifecycle, Risk::High),
    (ProposalKind::TopicalMapChange, Risk::Low),
    (ProposalKind::InternalLink, Risk::Low),
    (ProposalKind::TopicalStrategy, Risk::Low),
    (ProposalKind::ContentBriefDraft, Risk::Low),
];

pub(super) async fn show(desk: Desk) -> Answer {
    let described = desk.web.app.describe_site(&desk.ctx).await?;
    page(&render(&desk, &described.site, &described.policy).await?)
}

async fn render(desk: &Desk, site: &Site, policy: &PolicyVersion) -> Result<Settings, WebError> {
    let delivery = format!("/delivery/v1/sites/{}/items", site.slug);
    Ok(Settings {
        shell: desk.shell(Section::Settings).await?,
        name: site.name.clone(),
        base_url: site.base_url.clone(),
        locale: site.locale.clone(),
        time_zone: site.time_zone.clone(),
        run_idle_hours: site.run_idle_hours.to_string(),
        console_lease_seconds: site.console_lease_seconds.to_string(),
        delivery_url: desk.web.app.dashboard_url(&delivery),
        mcp_url: desk.web.mcp_url(),
        policy: ROWS
            .map(|(kind, risk)| policy_row(&policy.policy, kind, risk))
            .into(),
        high_risk_items: policy.policy.high_risk_items.to_string(),
        alone_approves: policy.policy.self_approval == SelfApproval::WhenAlone,
        policy_version: (
            policy.version,
            Digest::new("policy digest", policy.digest.to_string()),
        ),
        may_administer: desk.may(MemberAct::Administer),
        problems: Vec::new(),
    })
}

fn policy_row(policy: &Policy, kind: ProposalKind, risk: Risk) -> PolicyRow {
    let rule = policy.rule(kind, risk);
    let act = match kind {
        ProposalKind::ContentLifecycle => MemberAct::DecideContentLifecycle,
        _ => MemberAct::Decide,
    };
    let roles = Role::ALL.into_iter().filter(|role| *role != Role::Viewer);
    PolicyRow {
        name: format!("{kind}.{risk}"),
        kind: words::kind(kind),
        risk: part::Risk(risk),
        roles: roles
            .map(|role| (role.as_str(), rule.roles.contains(&role), role.may(act)))
            .collect(),
        approvals: rule.approvals.to_string(),
        valid_hours: rule.valid_hours.to_string(),
    }
}

pub(super) async fn save(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let saved = match patch(&form) {
        Ok(patch) => desk.web.app.update_site(&desk.ctx, patch).await.map(drop),
        Err(error) => Err(error),
    };
    let problems = match saved {
        Ok(()) => return Ok(go(&desk.at("settings?notice=saved"))),
        Err(error) if error.is_fault() => return Err(error.into()),
        Err(error) => lines(&error),
    };
    let described = desk.web.app.describe_site(&desk.ctx).await?;
    let shown = Settings {
        name: form.text("name"),
        base_url: form.text("base_url"),
        locale: form.text("locale"),
        time_zone: form.text("time_zone"),
        run_idle_hours: form.text("run_idle_hours"),
        console_lease_seconds: form.text("console_lease_seconds"),
        problems,
        ..render(&desk, &described.site, &described.policy).await?
    };
    page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
}

fn number<T: std::str::FromStr>(form: &Posted, name: &str) -> Result<T, Error> {
    let read = form.get(name).and_then(|text| text.trim().parse().ok());
    read.ok_or_else(|| Error::invalid(format!("/{name}"), "type", "expected a whole number"))
}

fn patch(form: &Posted) -> Result<SitePatch, Error> {
    Ok(SitePatch {
        name: Some(form.text("name")),
        base_url: Some(form.text("base_url")),
        locale: Some(form.text("locale")),
        time_zone: Some(form.text("time_zone")),
        run_idle_hours: Some(number(form, "run_idle_hours")?),
        console_lease_seconds: Some(number(form, "console_lease_seconds")?),
    })
}

pub(super) async fn save_policy(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let described = desk.web.app.describe_site(&desk.ctx).await?;
    let saved = match policy(&form, &described.policy.policy) {
        Ok(policy) => desk.web.app.set_policy(&desk.ctx, policy).await.map(drop),
        Err(error) => Err(error),
    };
    match saved {
        Ok(()) => Ok(go(&desk.at("settings?notice=policy"))),
        Err(error) if error.is_fault() => Err(error.into()),
        Err(error) => {
            let mut shown = render(&desk, &described.site, &described.policy).await?;
            shown.problems = lines(&error);
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
    }
}

/// The policy that a form says: what it doesn't show stays as it is.
fn policy(form: &Posted, before: &Policy) -> Result<Policy, Error> {
    let mut rules: Vec<Rule> = Vec::new();
    for kind in ProposalKind::ALL {
        for risk in Risk::ALL {
            let name = format!("{kind}.{risk}");
            let rule = if ROWS.contains(&(kind, risk)) {
                let roles_name = format!("{name}.role");
                let allowed = form.all(&roles_name).filter_map(|role| role.parse().ok());
                Rule {
                    kind,
                    risk: vec![risk],
                    approvals: number(form, &format!("{name}.approvals"))?,
                    roles: allowed.collect(),
                    valid_hours: number(form, &format!("{name}.valid_hours"))?,
                }
            } else {
                Rule {
                    risk: vec![risk],
                    ..before.rule(kind, risk)
                }
            };
            join(&mut rules, rule);
        }
    }
    Ok(Policy {
        high_risk_items: number(form, "high_risk_items")?,
        self_approval: match form.get("alone_approves") {
            Some(_) => SelfApproval::WhenAlone,
            None => SelfApproval::Forbidden,
        },
        rules,
    })
}

/// Adds a rule; where another one of the kind says the same, its risk joins that one, so that a
/// policy that says the same has the same digest.
fn join(rules: &mut Vec<Rule>, rule: Rule) {
    let same = rules.iter_mut().find(|other| {
        other.kind == rule.kind
            && other.approvals == rule.approvals
            && other.roles == rule.roles
            && other.valid_hours == rule.valid_hours
    });
    match same {
        Some(other) => other.risk.extend(rule.risk),
        None => rules.push(rule),
    }
}

pub(super) async fn new_site_form(desk: Desk) -> Answer {
    desk.require(MemberAct::Administer)?;
    let zone = desk.site.time_zone.clone();
    let typed = [
        String::new(),
        String::new(),
        "https://".into(),
        desk.site.locale.clone(),
        zone,
    ];
    let shell = desk.shell(Section::Settings).await?;
    page(&page::NewSite {
        shell,
        typed,
        problems: Vec::new(),
    })
}

pub(super) async fn create_site(Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Administer)?;
    let new = NewSite {
        name: form.text("name"),
        slug: form.text("slug"),
        base_url: form.text("base_url"),
        locale: form.text("locale"),
        time_zone: form.text("time_zone"),
    };
    match desk.web.app.create_site(&desk.ctx, new).await {
        Ok(site) => Ok(go(&format!("/sites/{}/templates", site.slug))),
        Err(error) if error.is_fault() => Err(error.into()),
        Err(error) => {
            let shown = page::NewSite {
                shell: desk.shell(Section::Settings).await?,
                typed: ["name", "slug", "base_url", "locale", "time_zone"]
                    .map(|name| form.text(name)),
                problems: lines(&error),
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
    }
}
