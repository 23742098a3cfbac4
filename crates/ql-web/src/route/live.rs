//! What changes while somebody looks: server-sent events, each sent only after the session, the role
//! and the site were looked at again.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::Response;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use ql_app::Watch;
use ql_core::id::ConversationId;
use tokio::sync::mpsc;

use crate::edge::desk::Desk;
use crate::edge::error::Answer;
use crate::edge::params::Id;

/// How often a conversation is looked at although nothing here said that it changed.
const LOOK: Duration = Duration::from_secs(1);
/// After how many looks without a change something is sent, so that who went away is noticed.
const SILENCE: u32 = 15;

/// A stream that says `changed` each time a conversation did.
pub(super) async fn conversation(Id(id): Id<ConversationId>, desk: Desk) -> Answer {
    let version = desk.web.app.conversation_version(&desk.ctx, id).await?;
    let watch = desk.web.app.watch_conversation(id);
    let (sender, mut receiver) = mpsc::channel::<Bytes>(4);
    tokio::spawn(follow(desk, (id, version), watch, sender));
    let events = futures_util::stream::poll_fn(move |context| {
        let event = receiver.poll_recv(context);
        event.map(|event| event.map(Ok::<_, Infallible>))
    });
    let mut response = Response::new(Body::from_stream(events));
    let media = HeaderValue::from_static("text/event-stream");
    response.headers_mut().insert(CONTENT_TYPE, media);
    Ok(response)
}

/// Sends what happens until the browser goes away, the session ends or the server stops.
async fn follow(
    mut desk: Desk,
    (id, mut seen): (ConversationId, i64),
    mut watch: Watch,
    sender: mpsc::Sender<Bytes>,
) {
    let mut silent = 0;
    while watch.wait(LOOK).await {
        let Ok(again) = desk.refreshed().await else {
            return;
        };
        desk = again;
        let app = &desk.web.app;
        let Ok(version) = app.conversation_version(&desk.ctx, id).await else {
            return;
        };
        let event = if version != seen {
            Bytes::from(format!("event: changed\ndata: {version}\n\n"))
        } else if silent >= SILENCE {
            Bytes::from_static(b": still here\n\n")
        } else {
            silent += 1;
            continue;
        };
        (seen, silent) = (version, 0);
        if sender.send(event).await.is_err() {
            return;
        }
    }
}
