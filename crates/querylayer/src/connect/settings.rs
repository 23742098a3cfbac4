//! How the gateway of one profile is reached: the port and the key in the profile's own `.env`.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;

/// The port that Hermes takes when none is set.
const USUAL_PORT: u16 = 8642;

/// Where a profile's gateway listens, and what it asks for.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Settings {
    pub(super) address: SocketAddr,
    pub(super) key: String,
}

/// Why a profile's gateway can't be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Unset {
    #[error("the profile has no .env that can be read: {0}")]
    Unreadable(String),
    #[error("the profile's .env sets no API_SERVER_KEY, so its gateway has no API server")]
    NoKey,
    #[error("the profile's .env names another variable in {0}, which only Hermes can fill in")]
    Variable(&'static str),
    #[error("API_SERVER_PORT in the profile's .env is no port")]
    Port,
    #[error("API_SERVER_HOST in the profile's .env isn't an address of this machine alone")]
    Host,
}

impl Settings {
    /// Reads them from a profile's folder.
    pub(super) fn of(folder: &Path) -> Result<Self, Unset> {
        let text = fs::read_to_string(folder.join(".env"));
        let text = text.map_err(|error| Unset::Unreadable(error.to_string()))?;
        let key = value(&text, "API_SERVER_KEY")?.filter(|key| !key.is_empty());
        let port = match value(&text, "API_SERVER_PORT")?.as_deref() {
            None | Some("") => USUAL_PORT,
            Some(port) => port.parse().map_err(|_| Unset::Port)?,
        };
        Ok(Self {
            address: SocketAddr::new(host(&text)?, port),
            key: key.ok_or(Unset::NoKey)?,
        })
    }
}

/// The key goes to this machine alone, never over a network in the clear.
fn host(text: &str) -> Result<IpAddr, Unset> {
    let local = IpAddr::V4(Ipv4Addr::LOCALHOST);
    match value(text, "API_SERVER_HOST")?.as_deref() {
        None | Some("" | "localhost") => Ok(local),
        Some(host) => match host.parse::<IpAddr>() {
            Ok(address) if address.is_unspecified() => Ok(local),
            Ok(address) if address.is_loopback() => Ok(address),
            Ok(_) | Err(_) => Err(Unset::Host),
        },
    }
}

/// The last value of a name, as dotenv files are read.
fn value(text: &str, name: &'static str) -> Result<Option<String>, Unset> {
    let found = text.lines().rev().find_map(|line| {
        let line = line.trim();
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then(|| bare(value.trim()))
    });
    match found {
        Some(value) if value.contains("${") => Err(Unset::Variable(name)),
        found => Ok(found.map(str::to_owned)),
    }
}

/// A value without its quotes, or without the comment behind it.
fn bare(value: &str) -> &str {
    for quote in ['"', '\''] {
        let inside = value.strip_prefix(quote).and_then(|v| v.split_once(quote));
        if let Some((inside, _)) = inside {
            return inside;
        }
    }
    value.split(" #").next().unwrap_or_default().trim_end()
}

#[cfg(test)]
mod tests {
    use ql_testkit::TempDir;

    use super::*;

    fn read(env: &str) -> String {
        let folder = TempDir::new();
        fs::write(folder.path().join(".env"), env).expect("written");
        match Settings::of(folder.path()) {
            Ok(settings) => format!("{} {}", settings.address, settings.key),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn port_and_key_are_those_of_the_folder() {
        let read = [
            read("API_SERVER_KEY=k1\n"),
            read(
                "API_SERVER_KEY=old\n#API_SERVER_KEY=no\nexport API_SERVER_KEY = \"k 2#\" # mine\nAPI_SERVER_PORT='8700'\n",
            ),
            read("API_SERVER_KEY=k3 # mine\nAPI_SERVER_HOST=0.0.0.0\n"),
            read("API_SERVER_KEY=k4\nAPI_SERVER_HOST=::1\nAPI_SERVER_PORT=1"),
            read("API_SERVER_KEY=k\nAPI_SERVER_HOST=192.0.2.7\n"),
            read("API_SERVER_KEY=k\nAPI_SERVER_PORT=many\n"),
            read("API_SERVER_KEY=${OTHER}\n"),
            read("API_SERVER_PORT=8642\nAPI_SERVER_KEY=\n"),
        ];
        insta::assert_snapshot!(read.join("\n"), @"
        127.0.0.1:8642 k1
        127.0.0.1:8700 k 2#
        127.0.0.1:8642 k3
        [::1]:1 k4
        API_SERVER_HOST in the profile's .env isn't an address of this machine alone
        API_SERVER_PORT in the profile's .env is no port
        the profile's .env names another variable in API_SERVER_KEY, which only Hermes can fill in
        the profile's .env sets no API_SERVER_KEY, so its gateway has no API server
        ");
        let nothing = TempDir::new();
        let missing = Settings::of(nothing.path()).err();
        assert!(matches!(missing, Some(Unset::Unreadable(_))), "{missing:?}");
    }
}
