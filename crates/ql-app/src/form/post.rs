//! A visitor's post: checked, screened and kept.

use ql_core::access::{ActAsServer, Authorized};
use ql_core::form::{
    Answers, Decision, Fill, Form, Observed, Reason, Screening, Standing, Submission, screen,
};
use ql_core::hash::Digest;
use ql_core::id::SubmissionId;
use ql_core::time::Timestamp;
use ql_store::{Tx, form, submission};

use super::{PublicForm, server_on};
use crate::app::App;
use crate::error::{Error, Result};
use crate::seal::keyed_hash;

/// What a visitor sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    /// The answers, by field.
    pub answers: Answers,
    /// What stood in the field that people don't see.
    pub honeypot: Option<String>,
    /// The token of the fetched form.
    pub fill_token: Option<String>,
    /// The network that it came from, in any fixed text; only a keyed hash of it is kept.
    pub network: String,
}

/// What became of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    /// The decision.
    pub decision: Decision,
    /// Why; empty for an accepted one.
    pub reasons: Vec<Reason>,
}

/// A post that was checked, with everything that its transaction doesn't look up.
struct Checked {
    server: Authorized<ActAsServer>,
    form: Form,
    id: SubmissionId,
    at: Timestamp,
    answers: Answers,
    body: Digest,
    honeypot: bool,
    fill: (Fill, Option<Digest>),
    network: String,
    fresh_day_key: Digest,
}

impl App {
    /// Screens a visitor's post and keeps it. The same post with the same token is kept once, so a
    /// form that is sent twice by a nervous hand gives the same answer twice.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the answers don't fit the form's questions; then nothing is kept.
    pub async fn receive_post(&self, form: PublicForm, post: Post) -> Result<Received> {
        let server = server_on(&form.site)?;
        let form = form.form;
        let answers = form.read(post.answers).map_err(Error::Invalid)?;
        let at = self.now();
        let mut fresh = [0_u8; 32];
        self.ids().fill(&mut fresh);
        let checked = Checked {
            server,
            id: SubmissionId::mint(&**self.ids(), at),
            at,
            body: ql_core::canon::digest(&serde_json::to_value(&answers)?),
            answers,
            honeypot: post.honeypot.is_some_and(|text| !text.trim().is_empty()),
            fill: self.read_fill(&form, post.fill_token.as_deref())?,
            network: post.network,
            fresh_day_key: fresh.into(),
            form,
        };
        self.store().write(move |tx| receive(tx, &checked)).await
    }
}

fn receive(tx: &mut Tx<'_>, post: &Checked) -> Result<Received> {
    let (mut fill, mut token) = post.fill;
    if let Some(first) = token
        .map(|t| submission::find_by_fill(tx, &t))
        .transpose()?
        .flatten()
    {
        if first.body_sha256 == post.body {
            return Ok(Received {
                decision: first.decision,
                reasons: first.reasons,
            });
        }
        (fill, token) = (Fill::Reused, None);
    }
    let network = network(tx, post)?;
    let screening = judge(tx, post, fill, &network)?;
    let flooding = screening.reasons.contains(&Reason::RateLimited);
    let kept = Submission {
        id: post.id,
        form: post.form.id,
        version: post.form.version,
        received_at: post.at,
        decision: screening.decision,
        reasons: screening.reasons,
        standing: Standing::Screened(screening.decision),
        // Whoever floods a form doesn't fill the disk with words.
        answers: (!flooding).then(|| post.answers.clone()),
        body_sha256: post.body,
        network,
        fill: token,
    };
    submission::insert(tx, &post.server, &kept)?;
    Ok(Received {
        decision: kept.decision,
        reasons: kept.reasons,
    })
}

/// The network under the day's key, which is forgotten soon after.
fn network(tx: &mut Tx<'_>, post: &Checked) -> Result<Digest> {
    let key = form::day_key(tx, &post.server, day_of(post.at), &post.fresh_day_key)?;
    let parts = [post.form.id.to_string(), post.network.clone()];
    keyed_hash(key.as_bytes(), &[parts[0].as_bytes(), parts[1].as_bytes()])
}

fn judge(tx: &mut Tx<'_>, post: &Checked, fill: Fill, network: &Digest) -> Result<Screening> {
    let (form, rules) = (post.form.id, &post.form.rules);
    let from_network = match rules.posts_per_network {
        0 => 0,
        most => {
            let since = post.at.minus(rules.network_window());
            submission::count_from_network(tx, form, network, (since, most))?
        }
    };
    let since = post.at.minus(rules.duplicate_window());
    let duplicate =
        rules.duplicate_hours > 0 && submission::is_duplicate(tx, form, &post.body, since)?;
    let observed = Observed {
        answers: &post.answers,
        honeypot: post.honeypot,
        fill,
        from_network,
        duplicate,
    };
    Ok(screen(rules, &observed))
}

/// A day in microseconds.
pub(super) const DAY: i64 = 86_400_000_000;

/// The UTC day of an instant, in days since 1970.
pub(super) fn day_of(at: Timestamp) -> i64 {
    at.as_micros().div_euclid(DAY)
}
