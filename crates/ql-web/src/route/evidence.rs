//! Evidence: claims, looks at their sources, and reviews.

use http::StatusCode;
use ql_app::Error;
use ql_app::evidence::Filter as Claims;
use ql_app::reverification::{Filter, NewResolution, ReviewView};
use ql_core::evidence::{Claim, Evidence, Stance};
use ql_core::id::{ContentId, EvidenceId, ReviewId, RevisionId};
use ql_core::page::PageRequest;
use ql_core::reverification::{Resolution, Target, TargetState};
use ql_core::role::MemberAct;

use crate::edge::desk::Desk;
use crate::edge::error::{Answer, WebError, go, lines, page, page_with};
use crate::edge::form::Action;
use crate::edge::params::Id;
use crate::page::{
    Borne, Claimed, EvidencePage, EvidenceReviewPage, ReviewRow, Section, TargetRow,
};
use crate::part::{Fact, Link, Pill, Tone};
use crate::view::names::Names;
use crate::view::words;

pub(super) async fn list(desk: Desk) -> Answer {
    let app = &desk.web.app;
    let hundred = PageRequest::new(Some(100), None);
    let targets = app.list_reverification(&desk.ctx, Filter::default(), &hundred);
    let targets = targets.await?.items;
    let asked = desk.params.page(20);
    let claims = app.list_evidence(&desk.ctx, Claims::All, &asked).await?;
    page(&EvidencePage {
        shell: desk.shell(Section::Evidence).await?,
        reviews: reviews(&desk, &hundred).await?,
        targets: targets.iter().map(|target| row(&desk, target)).collect(),
        next: desk.params.next(&desk.at("evidence"), claims.next.as_ref()),
        claims: claims
            .items
            .iter()
            .map(|claim| claimed(&desk, claim))
            .collect(),
        may_review: desk.may(MemberAct::Review),
    })
}

async fn reviews(desk: &Desk, asked: &PageRequest) -> Result<Vec<ReviewRow>, WebError> {
    let app = &desk.web.app;
    let open = app
        .list_evidence_reviews(&desk.ctx, Some(true), asked)
        .await?;
    let mut rows = Vec::with_capacity(open.items.len());
    for review in open.items {
        let view = app.get_evidence_review(&desk.ctx, review.id).await?;
        let source = view.evidence().map(|evidence| evidence.source_url.clone());
        let here = desk.at(&format!("evidence-reviews/{}", review.id));
        rows.push(ReviewRow {
            link: Link::new(here, view.claim.text.as_str()),
            source: source.unwrap_or_default(),
            outcome: words::looked(review.outcome),
            at: desk.when(review.opened_at),
        });
    }
    Ok(rows)
}

fn revision(desk: &Desk, content: ContentId, revision: RevisionId) -> Link {
    let href = desk.at(&format!("content/{content}/revisions/{revision}"));
    Link::new(href, "the revision that claims it")
}

fn row(desk: &Desk, target: &Target) -> TargetRow {
    let attempt = target.attempt.as_ref();
    TargetRow {
        id: target.evidence.to_string(),
        page: revision(desk, target.content, target.revision),
        cadence: match target.cadence_days {
            1 => "every day".to_owned(),
            days => format!("every {days} days"),
        },
        state: words::target(target.state),
        last: attempt.map(|look| (words::looked(look.outcome), desk.when(look.at))),
        due: target.job.map(|job| desk.when(job.due_at)),
        is_active: target.state != TargetState::Stopped,
    }
}

fn claimed(desk: &Desk, claim: &Claim) -> Claimed {
    let borne = |evidence: &Evidence| Borne {
        id: evidence.id.to_string(),
        stance: match evidence.stance {
            Stance::Supports => Pill::new(Tone::Live, "supports"),
            Stance::Contradicts => Pill::new(Tone::Stopped, "contradicts"),
            Stance::Context => Pill::new(Tone::Quiet, "context"),
        },
        title: evidence.title.clone(),
        url: evidence.source_url.clone(),
        excerpt: evidence.excerpt.clone(),
    };
    Claimed {
        text: claim.text.clone(),
        page: revision(desk, claim.content, claim.revision),
        sources: claim.evidence.iter().map(borne).collect(),
    }
}

pub(super) async fn set_cadence(Id(id): Id<EvidenceId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Review)?;
    let days = form.get("cadence_days").and_then(|text| text.parse().ok());
    let unread = || WebError::BadForm("The form names no number of days.".into());
    let days = days.ok_or_else(unread)?;
    let app = &desk.web.app;
    app.set_reverification(&desk.ctx, id, days).await?;
    Ok(go(&desk.at("evidence?notice=saved")))
}

pub(super) async fn look_now(Id(id): Id<EvidenceId>, Action { desk, .. }: Action) -> Answer {
    desk.require(MemberAct::Review)?;
    desk.web.app.run_reverification_now(&desk.ctx, id).await?;
    Ok(go(&desk.at("evidence?notice=saved")))
}

pub(super) async fn stop(Id(id): Id<EvidenceId>, Action { desk, .. }: Action) -> Answer {
    desk.require(MemberAct::Review)?;
    desk.web.app.stop_reverification(&desk.ctx, id).await?;
    Ok(go(&desk.at("evidence?notice=saved")))
}

pub(super) async fn review(Id(id): Id<ReviewId>, desk: Desk) -> Answer {
    page(&render(&desk, id).await?)
}

async fn render(desk: &Desk, id: ReviewId) -> Result<EvidenceReviewPage, WebError> {
    let view = desk.web.app.get_evidence_review(&desk.ctx, id).await?;
    let names = Names::read(&desk.web, &desk.ctx, &desk.site.slug).await?;
    let expected = view.evidence().map(|evidence| evidence.excerpt.clone());
    let closed = view.review.closed.as_ref().map(|closed| {
        let by = closed
            .member
            .map(|member| names.who(ql_core::actor::Actor::Member(member)).name);
        let by = by.unwrap_or_else(|| "The server".to_owned());
        (
            words::resolution(closed.resolution),
            closed.note.clone(),
            by,
        )
    });
    Ok(EvidenceReviewPage {
        shell: desk.shell(Section::Evidence).await?,
        id: id.to_string(),
        outcome: words::looked(view.review.outcome),
        at: desk.when(view.review.opened_at),
        claim: view.claim.text.clone(),
        page: revision(desk, view.claim.content, view.claim.revision),
        expected: expected.unwrap_or_default(),
        found: view.attempt.observation.found.clone(),
        why: words::found(view.review.outcome).to_owned(),
        facts: facts(&view),
        closed,
        may_review: desk.may(MemberAct::Review),
        problems: Vec::new(),
        typed: String::new(),
    })
}

fn facts(view: &ReviewView) -> Vec<Fact> {
    let (status, seen) = (&view.attempt.status, &view.attempt.observation);
    let mut facts = vec![Fact::new("Looked", words::minute(status.at))];
    if let Some(evidence) = view.evidence() {
        facts.push(Fact::new("Source", evidence.source_url.as_str()));
        facts.push(Fact::new("Retrieved", words::day(evidence.retrieved_at)));
    }
    let read = seen.url.as_deref().map(|url| Fact::new("Read from", url));
    let answered = seen
        .status
        .map(|status| Fact::new("Status", status.to_string()));
    let reason = status.reason.as_deref();
    let reason = reason.map(|reason| Fact::new("Reason", reason.replace('_', " ")));
    facts.extend([read, answered, reason].into_iter().flatten());
    facts
}

pub(super) async fn resolve(Id(id): Id<ReviewId>, Action { desk, form }: Action) -> Answer {
    desk.require(MemberAct::Review)?;
    let resolution = form.get("resolution").and_then(|text| text.parse().ok());
    let unread = || WebError::BadForm("The form says nothing of the claim.".into());
    let resolution: Resolution = resolution.ok_or_else(unread)?;
    let new = NewResolution {
        review: id,
        resolution,
        note: form.text("note"),
    };
    match desk.web.app.resolve_evidence_review(&desk.ctx, new).await {
        Ok(_) => Ok(go(&desk.at("evidence?notice=saved"))),
        Err(error @ Error::Invalid(_)) => {
            let shown = EvidenceReviewPage {
                problems: lines(&error),
                typed: form.text("note"),
                ..render(&desk, id).await?
            };
            page_with(StatusCode::UNPROCESSABLE_ENTITY, &shown)
        }
        Err(error) => Err(error.into()),
    }
}
