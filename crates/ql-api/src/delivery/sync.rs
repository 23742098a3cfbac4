//! `GET …/sync`: what changed since a token: pages that are live, and tombstones of those that no
//! longer are.

use std::str::FromStr;

use axum::response::Response;
use ql_app::delivery::FeedItem;
use ql_app::session::SiteRef;
use ql_app::{Error, Result};
use ql_core::id::{ContentId, SiteId};
use ql_core::page::{Cursor, PageRequest};
use ql_core::time::Timestamp;
use serde::Serialize;

use super::Asked;
use super::cache::Identity;
use super::page::{Page, json};
use super::selection::Selection;
use crate::problem::ProblemDocument;
use crate::query::Parameters;

#[derive(Serialize)]
struct Answer {
    items: Vec<Change>,
    /// The token to ask with next time.
    next: String,
    /// Whether asking with it at once gives more.
    more: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Change {
    Upsert(Box<Page>),
    Tombstone {
        id: ContentId,
        template: String,
        locale: String,
        slug: String,
        at: Timestamp,
    },
}

pub(super) async fn show(
    asked: Asked<'_>,
    site: &SiteRef,
) -> std::result::Result<Response, ProblemDocument> {
    let mut parameters = Parameters::read(asked.query, &["since", "limit", "fields"]);
    let since: Option<Token> = parameters.parsed("since");
    let limit = parameters.limit().unwrap_or(PageRequest::MAX);
    let selection = Selection::read(&mut parameters);
    parameters.finish()?;
    let (site, seq) = asked.app.public_site(site).await?;
    let since = since.map_or(Ok(0), |token| token.place_on(site.id))?;
    let identity = Identity::new(&format!("seq-{seq}"), site.id, "");
    if identity.is_held(asked) {
        return Ok(identity.not_modified());
    }
    let changes = asked.app.changes(&site, since, limit).await?;
    let items: Result<Vec<Change>> = changes
        .items
        .into_iter()
        .map(|item| Change::of(item, &selection))
        .collect();
    let answer = Answer {
        items: items?,
        next: Token::of(site.id, changes.next).0.encode(),
        more: changes.more,
    };
    Ok(identity.answer("application/json", json(&answer)?))
}

/// A place in a site's feed.
struct Token(Cursor);

/// A text that isn't a token of this site's feed.
#[derive(Debug, thiserror::Error)]
#[error("this token wasn't made by this site; leave it out to start again")]
struct InvalidToken;

impl FromStr for Token {
    type Err = InvalidToken;

    fn from_str(text: &str) -> std::result::Result<Self, InvalidToken> {
        text.parse().map(Self).map_err(|_| InvalidToken)
    }
}

impl Token {
    fn of(site: SiteId, seq: i64) -> Self {
        Self(Cursor {
            key: seq,
            id: site.to_string(),
        })
    }

    /// The place, where it is one of this site.
    fn place_on(&self, site: SiteId) -> Result<i64> {
        if self.0.id.parse() == Ok(site) {
            Ok(self.0.key)
        } else {
            Err(Error::invalid("/since", "format", InvalidToken.to_string()))
        }
    }
}

impl Change {
    fn of(item: FeedItem, selection: &Selection) -> Result<Self> {
        Ok(match item {
            FeedItem::Upsert { page, .. } => Self::Upsert(Box::new(Page::of(*page, selection)?)),
            FeedItem::Tombstone {
                content,
                slug,
                locale,
                template,
                at,
                ..
            } => Self::Tombstone {
                id: content,
                template,
                locale: locale.to_string(),
                slug: slug.to_string(),
                at,
            },
        })
    }
}
