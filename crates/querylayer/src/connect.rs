//! The connector for Hermes: it runs beside Hermes, says to a QueryLayer server which profiles are
//! there, and takes waiting turns to the very sessions that their conversations are bound to.
//!
//! It goes out only: to the server with the agent's token, and to the gateway of one profile on
//! this machine with that profile's key. Whatever it can't tell for sure it leaves alone, and says
//! why. The wire is in `docs/connector.md`, what was decided in `docs/decisions/0040`.

mod connector;
mod deliver;
mod event;
mod gateway;
mod http;
mod identity;
pub mod profiles;
mod report;
mod round;
mod server;
mod session;
mod settings;
pub mod sidecar;
mod work;

pub use self::connector::{Connector, Stopped, Surroundings, Task};
pub use self::event::{Event, Why};
pub use self::http::{Endpoint, UnusableAddress};
