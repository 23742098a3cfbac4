//! Taking a waiting turn: the place that it belongs to is found and shown, then the turn is claimed.

use ql_core::runtime::Unavailable;

use super::connector::{Broken, Connector, Spare};
use super::event::{Event, Why};
use super::gateway::{Doubtful, Gateway};
use super::profiles::{self, NotOne, Profile};
use super::server::{Seen, ServerError, Waiting};
use super::session::{Located, locate};

/// Reasons that a new report takes away.
const STALE: [&str; 3] = ["discovery_stale", "not_discovered", "session_unverified"];

/// Where a turn belongs: one session under one profile, behind that profile's own gateway.
pub(super) struct Place {
    pub(super) profile: String,
    pub(super) gateway: Gateway,
    pub(super) session: String,
    /// The session that it goes on from, where the server doesn't know yet.
    previous: Option<String>,
}

/// Why a turn isn't taken.
pub(super) enum NotTaken {
    /// It may not be.
    Why(Why),
    /// Nobody can be asked.
    Broken(Broken),
}

impl From<Broken> for NotTaken {
    fn from(broken: Broken) -> Self {
        match broken {
            Broken::Server(ServerError::Refused(refused)) => Self::Why(refused.into()),
            other => Self::Broken(other),
        }
    }
}

impl From<ServerError> for NotTaken {
    fn from(error: ServerError) -> Self {
        Broken::from(error).into()
    }
}

impl Connector {
    /// Takes a turn to its session and sees it to its end; answers whether that went well.
    pub(super) async fn take(&self, waiting: &Waiting) -> Result<bool, Broken> {
        let mut taken = self.try_take(waiting).await;
        if let Err(NotTaken::Why(why)) = &taken
            && STALE.contains(&why.reason.as_str())
        {
            self.report().await?;
            taken = self.try_take(waiting).await;
        }
        match taken {
            Ok(well) => Ok(well),
            Err(NotTaken::Broken(broken)) => Err(broken),
            Err(NotTaken::Why(why)) => {
                let turn_id = waiting.turn_id.clone();
                self.tell_once(&waiting.turn_id, &Event::NotTaken { turn_id, why });
                Ok(false)
            }
        }
    }

    async fn try_take(&self, waiting: &Waiting) -> Result<bool, NotTaken> {
        let place = self.place_of(waiting).await?;
        self.show(&place.profile, &there(&place.session)).await?;
        let claimed = self.server.claim(&place.session, place.previous.as_deref());
        let held = claimed.await?;
        if waiting.session_id.is_none() {
            self.memory().spare = None;
        }
        self.forget_told(&held.turn_id);
        self.tell(&Event::Taken {
            turn_id: held.turn_id.clone(),
            session_id: place.session.clone(),
        });
        let end = self.work(&place, &held).await;
        Ok(self.finish(&held, end).await?)
    }

    /// Finds where a turn belongs. Nothing similar is taken: not a profile of the same name, not
    /// another session.
    async fn place_of(&self, waiting: &Waiting) -> Result<Place, NotTaken> {
        let profile = self.agents_profile().await?;
        let id = profile.identity.id().unwrap_or_default().to_owned();
        let bound = waiting.session_id.as_deref();
        let gateway = match Gateway::of(&profile.folder).await {
            Ok(gateway) => gateway,
            Err(doubtful) => return Err(self.doubted(&id, (bound, &doubtful)).await?),
        };
        let Some(bound) = bound else {
            let session = self.begin(&gateway, &id).await;
            let session = session.map_err(|doubtful| NotTaken::Why(doubtful.into()))?;
            return Ok(Place {
                profile: id,
                gateway,
                session,
                previous: None,
            });
        };
        let (session, previous) = match locate(&gateway, bound).await {
            Ok(Located::There) => (bound.to_owned(), None),
            Ok(Located::GoesOnIn(tip)) => (tip, Some(bound.to_owned())),
            Ok(Located::Missing) => {
                self.show(&id, &missing(bound)).await?;
                return Err(NotTaken::Why(Unavailable::SessionMissing.into()));
            }
            Err(doubtful) => return Err(self.doubted(&id, (Some(bound), &doubtful)).await?),
        };
        Ok(Place {
            profile: id,
            gateway,
            session,
            previous,
        })
    }

    /// The one profile here that the agent is bound to. Where it isn't one, the server is told what
    /// is here, and its reason is the answer.
    async fn agents_profile(&self) -> Result<Profile, NotTaken> {
        let bound = self.memory().profile.clone();
        let Some(bound) = bound else {
            return Err(NotTaken::Why(Unavailable::ProfileUnbound.into()));
        };
        let found = profiles::discover(&self.root).map_err(Broken::from)?;
        let why = match profiles::find(&found, &bound) {
            Ok(profile) => return Ok(profile.clone()),
            Err(NotOne::Missing) => Unavailable::ProfileMissing,
            Err(NotOne::Ambiguous) => Unavailable::ProfileAmbiguous,
        };
        self.report().await?;
        Err(NotTaken::Why(why.into()))
    }

    /// Says that a session is there; what the server has against a claim in it is the error.
    async fn show(&self, profile: &str, seen: &Seen) -> Result<(), NotTaken> {
        let names = (self.name.as_str(), profile);
        match self.server.verify(names, seen).await? {
            Some(refused) => Err(NotTaken::Why(refused.into())),
            None => Ok(()),
        }
    }

    /// Says what can't be told of a session, so that people read it too.
    async fn doubted(
        &self,
        profile: &str,
        (session, doubtful): (Option<&str>, &Doubtful),
    ) -> Result<NotTaken, NotTaken> {
        if let Some(session) = session {
            let seen = Seen {
                session: session.to_owned(),
                found: false,
                doubt: Some(doubtful.doubt),
            };
            let names = (self.name.as_str(), profile);
            self.server.verify(names, &seen).await?;
        }
        Ok(NotTaken::Why(doubtful.clone().into()))
    }

    /// A session for a conversation that has none: one that was begun and not bound, or a new one
    /// whose name is nobody else's under any profile.
    async fn begin(&self, gateway: &Gateway, profile: &str) -> Result<String, Doubtful> {
        let spare = self.memory().spare.clone();
        if let Some(spare) = spare.filter(|spare| spare.profile == profile)
            && locate(gateway, &spare.session).await? == Located::There
        {
            return Ok(spare.session);
        }
        let number = self.around.ids.next(self.around.clock.now());
        let session = format!("ql_{number:032x}");
        gateway.begin(&session).await?;
        self.memory().spare = Some(Spare {
            profile: profile.to_owned(),
            session: session.clone(),
        });
        Ok(session)
    }
}

fn there(session: &str) -> Seen {
    Seen {
        session: session.to_owned(),
        found: true,
        doubt: None,
    }
}

pub(super) fn missing(session: &str) -> Seen {
    Seen {
        found: false,
        ..there(session)
    }
}

impl From<Unavailable> for Why {
    fn from(why: Unavailable) -> Self {
        Self {
            reason: why.code().to_owned(),
            message: why.to_string(),
            remedy: why.remedy().to_owned(),
        }
    }
}

impl From<Doubtful> for Why {
    fn from(doubtful: Doubtful) -> Self {
        let why = Unavailable::SessionDoubtful(doubtful.doubt);
        Self {
            reason: why.code().to_owned(),
            message: doubtful.words,
            remedy: why.remedy().to_owned(),
        }
    }
}
