//! What a [`crate::TestApp`] begins with, and small inputs of use cases.

use std::collections::HashMap;

use ql_app::agent::NewAgent;
use ql_app::connection::NewConnection;
use ql_app::decision::NewDecision;
use ql_app::draft::{DraftTarget, NewDraft};
use ql_app::member::NewMember;
use ql_app::proposal::NewProposal;
use ql_app::run::BeginRun;
use ql_app::session::SiteRef;
use ql_app::site::NewSite;
use ql_app::strategy::NewImport;
use ql_app::template::NewTemplate;
use ql_app::{App, OpContext, Result};
use ql_core::actor::Harness;
use ql_core::edit::Change;
use ql_core::hash::Digest;
use ql_core::id::{BriefId, ContentId, MemberId, OpportunityId, ProposalId, RunId};
use ql_core::internal_link::Link;
use ql_core::opportunity::Media;
use ql_core::proposal::{
    ArchivedAt, ContentBriefDraft, ContentRevision, CreateContent, Items, LifecycleAction,
    LifecycleItem, Links, Payload, PublishItem, TopicalMapChange, TopicalStrategy, Verdict,
};
use ql_core::role::Role;
use ql_core::scope::ScopeSet;
use ql_core::template::Display;
use ql_core::time::Timestamp;
use ql_core::topical_map::{AddNode, NodeKind, Operation};
use serde_json::json;

use crate::app::{Draft, Place, article};

const OPERATOR: u32 = 1000;

/// The three sites, made by the operator.
pub(crate) async fn places(app: &App) -> Result<[Place; 3]> {
    let home = app.create_organization(OPERATOR, "Acme").await?;
    let home = app.operator_context(OPERATOR, Some(home.id)).await?;
    let foreign = app.create_organization(OPERATOR, "Globex").await?;
    let foreign = app.operator_context(OPERATOR, Some(foreign.id)).await?;
    let people = members(app, &home, "acme.example", &Role::ALL).await?;
    let strangers = members(app, &foreign, "globex.example", &[Role::Owner]).await?;
    Ok([
        place(app, &home, "site", people.clone()).await?,
        place(app, &home, "sibling", people).await?,
        place(app, &foreign, "foreign", strangers).await?,
    ])
}

async fn members(
    app: &App,
    operator: &OpContext,
    host: &str,
    roles: &[Role],
) -> Result<HashMap<Role, MemberId>> {
    let mut members = HashMap::new();
    for role in roles {
        let new = NewMember {
            email: format!("{role}@{host}"),
            name: format!("The {role}"),
            role: *role,
        };
        members.insert(*role, app.create_member(operator, new).await?.id);
    }
    Ok(members)
}

async fn place(
    app: &App,
    operator: &OpContext,
    slug: &str,
    members: HashMap<Role, MemberId>,
) -> Result<Place> {
    let new = NewSite {
        name: format!("The {slug}"),
        slug: slug.into(),
        base_url: format!("https://{slug}.example"),
        locale: "en".into(),
        time_zone: "Europe/Amsterdam".into(),
    };
    let site = app.create_site(operator, new).await?;
    let (context, _) = app
        .operator_site_context(OPERATOR, &SiteRef::Id(site.id))
        .await?;
    app.save_template(&context, article_template()).await?;
    let new = NewAgent {
        name: format!("Writer of {slug}"),
        harness: Harness::Codex,
        profile_id: None,
        profile_name: None,
    };
    let agent = app.create_agent(operator, new).await?;
    app.set_permissions(&context, agent.id, ScopeSet::ALL)
        .await?;
    let new = NewConnection {
        agent: agent.id,
        name: "laptop".into(),
        scopes: ScopeSet::ALL,
        expires_at: None,
    };
    let connection = app.create_connection(&context, new).await?;
    Ok(Place {
        site,
        agent,
        connection,
        members,
    })
}

/// A page with a title and a body, both required.
pub fn article_template() -> NewTemplate {
    NewTemplate {
        key: "article".into(),
        title: "Article".into(),
        description: "A page with a title and a body.".into(),
        schema: json!({
            "type": "object",
            "required": ["title", "body"],
            "additionalProperties": false,
            "properties": {"title": {"type": "string", "minLength": 1}, "body": {"type": "string"}},
        }),
        display: Display::default(),
    }
}

/// A run that must produce these outputs.
pub fn run(required_outputs: &[&str]) -> BeginRun {
    BeginRun {
        run_type: "write-article".into(),
        input: json!({"topic": "tests"}),
        required_outputs: required_outputs
            .iter()
            .map(|key| (*key).to_owned())
            .collect(),
        completion_conditions: vec!["The article says what is true.".into()],
    }
}

/// The first draft of a new article.
pub fn new_article(title: &str) -> NewDraft {
    NewDraft {
        target: DraftTarget::New {
            template: "article".into(),
            locale: None,
            translation_group: None,
        },
        slug: None,
        change: Change::Fields(article(title)),
        note: String::new(),
    }
}

/// The next draft of an article, under another title and the same address.
pub fn revision(base: Draft, title: &str) -> NewDraft {
    NewDraft {
        target: DraftTarget::Existing {
            content: base.content,
            base: base.revision,
        },
        slug: None,
        change: Change::Fields(article(title)),
        note: String::new(),
    }
}

/// What publishes and unpublishes these, all or none.
pub fn publication(items: Vec<PublishItem>) -> Payload {
    Payload::PublishLifecycle(Items { items })
}

/// What puts an item away that is in use.
pub fn archive(content_id: ContentId) -> Payload {
    lifecycle(content_id, LifecycleAction::Archive, None)
}

/// What brings an item back that was put away at an instant.
pub fn restore(content_id: ContentId, archived_at: Timestamp) -> Payload {
    lifecycle(content_id, LifecycleAction::Restore, Some(archived_at))
}

fn lifecycle(content_id: ContentId, action: LifecycleAction, seen: Option<Timestamp>) -> Payload {
    let item = LifecycleItem {
        action,
        content_id,
        archived_at: ArchivedAt(seen),
    };
    Payload::ContentLifecycle(Items { items: vec![item] })
}

/// What makes a new article when it is carried out.
pub fn creation(title: &str) -> Payload {
    Payload::CreateContent(CreateContent {
        template: "article".into(),
        slug: None,
        locale: None,
        translation_group: None,
        fields: article(title),
    })
}

/// What writes the next draft of an article when it is carried out.
pub fn rewriting(base: Draft, title: &str) -> Payload {
    Payload::ContentRevision(ContentRevision {
        content_id: base.content,
        base_revision_id: base.revision,
        slug: None,
        change: Change::Fields(article(title)),
    })
}

/// A proposal with a reason.
pub fn proposal(run: Option<RunId>, payload: Payload) -> NewProposal {
    NewProposal {
        run,
        title: None,
        rationale: "The site is better with it.".into(),
        payload,
        pointer: "/payload",
    }
}

/// A decision with a comment.
pub fn decision(proposal: ProposalId, verdict: Verdict, digest: Digest) -> NewDecision {
    NewDecision {
        proposal,
        verdict,
        digest,
        comment: "I looked at it.".into(),
    }
}

/// What adds a pillar, a cluster below it and one page below that, to a map without them.
pub fn small_map(base_map_version: i64, name: &str) -> Payload {
    let (pillar, cluster) = (format!("{name}-pillar"), format!("{name}-cluster"));
    Payload::TopicalMapChange(TopicalMapChange {
        base_map_version,
        operations: vec![
            node(&pillar, NodeKind::Pillar, None),
            node(&cluster, NodeKind::Cluster, Some(&pillar)),
            node(&format!("{name}-page"), NodeKind::Page, Some(&cluster)),
        ],
    })
}

/// What adds a node whose title and query are made from its key.
pub fn node(key: &str, kind: NodeKind, parent: Option<&str>) -> Operation {
    let words = key.replace('-', " ");
    Operation::AddNode(AddNode {
        key: key.into(),
        kind,
        title: words.clone(),
        query: Some(format!("about {words}")),
        intent: Some("informational".into()),
        parent: parent.map(str::to_owned),
        template: None,
    })
}

/// What answers a brief when it is carried out.
pub fn brief_draft(brief_id: BriefId, title: &str) -> Payload {
    Payload::ContentBriefDraft(ContentBriefDraft {
        brief_id,
        fields: article(title),
        slug: None,
    })
}

/// What links the only "About" of an article's body to another one.
pub fn link(source: Draft, target: ContentId) -> Link {
    Link {
        source_content_id: source.content,
        source_revision_id: source.revision,
        anchor: "About".into(),
        prefix: String::new(),
        suffix: " ".into(),
        target_content_id: target,
        rel: None,
    }
}

/// What sets links when it is carried out.
pub fn links(links: Vec<Link>) -> Payload {
    Payload::InternalLink(Links { links })
}

/// What takes opportunities into the map when it is carried out.
pub fn opportunities(opportunity_ids: Vec<OpportunityId>) -> Payload {
    Payload::TopicalStrategy(TopicalStrategy { opportunity_ids })
}

/// An artifact to import.
pub fn strategy(media: Media) -> NewImport {
    NewImport {
        source: "Keyword plan".into(),
        tool: "planner".into(),
        exported_at: crate::NOON.minus(ql_core::time::hours(20)),
        media,
    }
}
