//! A turn that is held: played in its session while its lease is kept, then ended or given back.

use ql_core::runtime::{Doubt, Unavailable};
use ql_core::turn::MAX_MESSAGE;
use tokio::time::sleep;

use super::connector::{Broken, Connector};
use super::deliver::{Place, missing};
use super::event::{Event, Why};
use super::gateway::{NotSpoken, Spoken};
use super::profiles;
use super::server::{Claimed, ServerError};
use super::session::{Located, locate};

/// How often the end of a turn is tried to be said: for about two minutes, or twice when the
/// connector shall stop.
const TRIES: u32 = 8;
const LAST_TRIES: u32 = 2;

/// What came of a turn that is held.
pub(super) enum End {
    /// The session answered, and said nothing of the turn's end.
    Answered(String),
    /// The turn is over, or somebody else's.
    Over,
    /// Something can't be told for sure.
    Doubtful(Why),
}

impl Connector {
    /// Plays a turn in its session.
    pub(super) async fn work(&self, place: &Place, held: &Claimed) -> End {
        if let Err(why) = self.check_again(place, held).await {
            return End::Doubtful(why);
        }
        let (message, system) = (held.user_message.as_str(), instructions(held));
        let speaking = place
            .gateway
            .speak(&place.session, (message, &system), self.longest_turn);
        tokio::select! {
            spoken = speaking => self.judge(place, (held, spoken)).await,
            () = self.keep(held) => End::Over,
            () = self.stopping() => End::Doubtful(own("connector_stopped", "the connector was stopped while the session worked on it")),
        }
    }

    /// Whether everything is as it was before the claim.
    async fn check_again(&self, place: &Place, held: &Claimed) -> Result<(), Why> {
        if held.conversation.session_id.as_deref() != Some(&place.session) {
            return Err(own(
                "session_changed",
                "the conversation is bound to another session than the one that claimed",
            ));
        }
        let found = profiles::discover(&self.root);
        let found = found.map_err(|error| own("profile_missing", &error.to_string()))?;
        profiles::find(&found, &place.profile).map_err(|not_one| match not_one {
            profiles::NotOne::Missing => Why::from(Unavailable::ProfileMissing),
            profiles::NotOne::Ambiguous => Why::from(Unavailable::ProfileAmbiguous),
        })?;
        Ok(place.gateway.prove().await?)
    }

    /// Keeps the lease, and now and then says what is here; ends when the lease is lost.
    async fn keep(&self, held: &Claimed) {
        for round in 1_u32.. {
            sleep(self.renewed_every).await;
            if let Err(ServerError::Refused(_)) = self.server.renew(held).await {
                return;
            }
            // What can't be reported now is reported next time; the lease is what counts here.
            if round.is_multiple_of(3) {
                drop(self.report().await);
            }
        }
    }

    async fn judge(
        &self,
        place: &Place,
        (held, spoken): (&Claimed, Result<Spoken, NotSpoken>),
    ) -> End {
        let spoken = match spoken {
            Ok(spoken) => spoken,
            Err(NotSpoken::Failed(words)) => return End::Doubtful(own("turn_broken_off", &words)),
            Err(NotSpoken::Missing) => {
                let names = (self.name.as_str(), place.profile.as_str());
                // The reason of the release says it as well, should the server not hear this.
                drop(self.server.verify(names, &missing(&place.session)).await);
                return End::Doubtful(Unavailable::SessionMissing.into());
            }
        };
        if let Err(ServerError::Refused(_)) = self.server.renew(held).await {
            return End::Over;
        }
        if let Err(why) = ended_there(place, &spoken).await {
            return End::Doubtful(why);
        }
        if held.plan_step.is_some() {
            return End::Doubtful(own(
                "step_not_settled",
                "the session answered and didn't say what came of the plan's step",
            ));
        }
        if spoken.words.is_empty() {
            return End::Doubtful(own(
                "no_answer",
                "the session ended the turn without a word",
            ));
        }
        End::Answered(spoken.words.chars().take(MAX_MESSAGE).collect())
    }

    /// Says how the turn ended; answers whether it ended well.
    pub(super) async fn finish(&self, held: &Claimed, end: End) -> Result<bool, Broken> {
        let turn_id = held.turn_id.clone();
        let (outcome, message, event) = match end {
            End::Over => {
                self.tell(&Event::Ended { turn_id });
                return Ok(true);
            }
            End::Answered(words) => ("completed", words, Event::Answered { turn_id }),
            End::Doubtful(why) => {
                let words = why.to_string();
                ("released", words, Event::Released { turn_id, why })
            }
        };
        match self.say(held, (outcome, &message)).await {
            Ok(()) => {
                let well = !event.is_trouble();
                self.tell(&event);
                Ok(well)
            }
            // Somebody ended it in the meantime, which is what was wanted.
            Err(ServerError::Refused(_)) => {
                self.tell(&Event::Ended {
                    turn_id: held.turn_id.clone(),
                });
                Ok(true)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Says it until the server hears it, each time with the same key.
    async fn say(
        &self,
        held: &Claimed,
        (outcome, message): (&str, &str),
    ) -> Result<(), ServerError> {
        let number = self.around.ids.next(self.around.clock.now());
        let key = format!("{number:032x}");
        let mut failures = 0;
        loop {
            let said = self.server.complete(held, (outcome, message, &key)).await;
            failures += 1;
            let tries = if self.is_stopping() {
                LAST_TRIES
            } else {
                TRIES
            };
            match said {
                Err(ServerError::Unreachable(_)) if failures < tries => {
                    sleep(self.pause(failures)).await;
                }
                said => return said,
            }
        }
    }
}

/// Whether a turn ended in the session that it was taken to, or in the one that alone goes on from
/// it because it was compressed on the way.
async fn ended_there(place: &Place, spoken: &Spoken) -> Result<(), Why> {
    if spoken.session == place.session {
        return Ok(());
    }
    match locate(&place.gateway, &place.session).await? {
        Located::GoesOnIn(tip) if tip == spoken.session => Ok(()),
        Located::There | Located::GoesOnIn(_) | Located::Missing => {
            Err(Unavailable::SessionDoubtful(Doubt::SuccessorUnclear).into())
        }
    }
}

/// What the session is told beside the turn's own text. It isn't kept in the session's history.
fn instructions(held: &Claimed) -> String {
    let mut text = format!(
        "This turn is a task of QueryLayer's Agent Console, which you hold under a lease already; don't claim it.\n\
         turn_id: {}\nlease_token: {}\nconversation_id: {}\n\
         Begin every run for it with this lease_token (querylayer_begin_run). When it's done, can't be done or needs a \
         person's answer, end it with querylayer_complete_console_task, giving turn_id, lease_token, outcome and message. \
         Say the lease_token to nobody else. ",
        held.turn_id, held.lease_token, held.conversation.conversation_id
    );
    match &held.plan_step {
        Some(step) => {
            text.push_str("It is a step of your plan, which only that call settles: ");
            text.push_str(&step.to_string());
        }
        None => text.push_str("If you end without that call, your last words become the answer."),
    }
    text
}

fn own(reason: &str, message: &str) -> Why {
    Why {
        reason: reason.to_owned(),
        message: message.to_owned(),
        remedy: String::new(),
    }
}
