//! A posted form with a file that is taken piece by piece, since it may be larger than the memory
//! that one form may take.

use std::ffi::OsStr;
use std::path::Path;

use axum::RequestExt as _;
use axum::extract::multipart::{Field, MultipartError, MultipartRejection};
use axum::extract::{FromRequestParts as _, Multipart, Request};
use ql_app::Error;
use ql_app::strategy::NewImport;
use ql_core::id::ImportId;
use ql_core::opportunity::Media;
use ql_core::role::MemberAct;
use ql_core::time::{TimeZone, Timestamp};

use super::desk::Desk;
use super::error::WebError;
use super::form::{carries, is_own_origin};
use crate::config::Web;

/// The most bytes of an artifact.
pub(crate) const LARGEST_ARTIFACT: usize = 1 << 30;

/// The most bytes of a text that comes before the file.
const LARGEST_TEXT: usize = 4 << 10;

/// A form on its way in.
pub(crate) struct Upload {
    pub(crate) desk: Desk,
    parts: Multipart,
    texts: Vec<(String, String)>,
}

fn bad(error: &MultipartError) -> WebError {
    WebError::BadForm(error.body_text())
}

impl Upload {
    /// Begins to read a form of somebody whose role allows an act.
    pub(crate) async fn open(
        request: Request,
        web: &Web,
        act: MemberAct,
    ) -> Result<Self, WebError> {
        let (mut parts, body) = request.into_parts();
        let desk = Desk::from_request_parts(&mut parts, web).await?;
        desk.require(act)?;
        if !is_own_origin(&parts.headers, &web.config.public_url) {
            return Err(WebError::ForeignForm);
        }
        let request = Request::from_parts(parts, body);
        let parts = request.extract::<Multipart, _>().await;
        let parts =
            parts.map_err(|error: MultipartRejection| WebError::BadForm(error.body_text()))?;
        Ok(Self {
            desk,
            parts,
            texts: Vec::new(),
        })
    }

    /// What was typed under a name.
    pub(crate) fn text(&self, name: &str) -> String {
        let found = self.texts.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    }

    /// Reads texts until the artifact comes, then imports that. The token must stand before it.
    pub(crate) async fn import(&mut self) -> Result<ImportId, WebError> {
        loop {
            let field = self.parts.next_field().await.map_err(|error| bad(&error))?;
            let Some(field) = field else {
                let missing = "choose the artifact to import";
                return Err(Error::invalid("/artifact", "required", missing).into());
            };
            let name = field.name().unwrap_or_default().to_owned();
            if name == "artifact" {
                return receive(&self.desk, &self.texts, field).await;
            }
            let text = short(field).await?;
            self.texts.push((name, text));
        }
    }
}

/// A text that comes before the file.
async fn short(mut field: Field<'_>) -> Result<String, WebError> {
    let mut bytes = Vec::new();
    while let Some(piece) = field.chunk().await.map_err(|error| bad(&error))? {
        bytes.extend_from_slice(&piece);
        if bytes.len() > LARGEST_TEXT {
            return Err(WebError::BadForm("A text of the form is too long.".into()));
        }
    }
    String::from_utf8(bytes).map_err(|_| WebError::BadForm("A text isn't UTF-8.".into()))
}

async fn receive(
    desk: &Desk,
    texts: &[(String, String)],
    mut field: Field<'_>,
) -> Result<ImportId, WebError> {
    let text = |name: &str| {
        let found = texts.iter().find(|(key, _)| key == name);
        found.map(|(_, text)| text.as_str()).unwrap_or_default()
    };
    if !carries(text("csrf"), desk.csrf()) {
        return Err(WebError::ForeignForm);
    }
    let new = NewImport {
        source: text("source").to_owned(),
        tool: text("tool").to_owned(),
        exported_at: exported_at(desk, text("exported_at"))?,
        media: media(&field),
    };
    let mut import = desk.web.app.begin_strategy_import(&desk.ctx, new).await?;
    let id = import.id();
    loop {
        match field.chunk().await {
            Ok(Some(piece)) => import.push(&piece).await?,
            Ok(None) => {
                import.finish().await?;
                return Ok(id);
            }
            Err(error) => {
                import.abandon("interrupted").await?;
                return Err(bad(&error));
            }
        }
    }
}

/// How the artifact is written, by its name and by what the browser says of it.
fn media(field: &Field<'_>) -> Media {
    let named = Path::new(field.file_name().unwrap_or_default());
    let said = field.content_type().unwrap_or_default();
    let json = |ending: &OsStr| ending.eq_ignore_ascii_case("json");
    if named.extension().is_some_and(json) || said.parse() == Ok(Media::Json) {
        Media::Json
    } else {
        Media::Csv
    }
}

/// The instant that a local time on the site means.
fn exported_at(desk: &Desk, local: &str) -> Result<Timestamp, Error> {
    let unclear = || Error::invalid("/exported_at", "format", "expected a day and a time");
    let zone: TimeZone = desk.site.time_zone.parse().map_err(|_| unclear())?;
    zone.instant(local).map_err(|_| unclear())
}
