//! The address of the endpoint.

use std::net::IpAddr;

use reqwest::Url;

use super::Code;
use super::report::{Fault, plain};

/// An address that can be asked.
#[derive(Debug, Clone)]
pub(super) struct Address {
    url: Url,
    /// The host without the brackets of IPv6.
    pub(super) host: String,
    pub(super) port: u16,
}

impl Address {
    /// Reads it as a client would.
    pub(super) fn parse(text: &str) -> Result<(Self, String), Fault> {
        let url = Url::parse(text)
            .map_err(|error| unreadable(&format!("`{}` can't be read: {error}", shown(text))))?;
        if !matches!(url.scheme(), "http" | "https") {
            let why = format!("`{}` begins with neither https:// nor http://", shown(text));
            return Err(unreadable(&why));
        }
        if !url.username().is_empty() || url.password().is_some() || text.contains("qla_") {
            return Err(unreadable(
                "the address holds a secret, which logs and proxies then see; the token goes into the Authorization header",
            ));
        }
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return Err(unreadable("the address names no host"));
        };
        let address = Self {
            host: host.trim_matches(['[', ']']).to_owned(),
            port,
            url,
        };
        if address.keeps_secrets() {
            let says = address.url.to_string();
            return Ok((address, says));
        }
        Err(Fault::new(
            Code::InTheClear,
            format!(
                "over http anybody on the way to {} can read the token, so it isn't sent",
                address.host
            ),
            format!("Use https://{}{}", address.host, address.target()),
        ))
    }

    pub(super) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Whether a token can be sent there: encrypted, or within this machine.
    fn keeps_secrets(&self) -> bool {
        let loopback =
            self.host == "localhost" || self.host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
        self.is_tls() || loopback
    }

    /// The host, with its port where it isn't the usual one.
    pub(super) fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The path, and what follows it.
    pub(super) fn target(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// What to say of the path, when something else than the endpoint is at it.
    pub(super) fn right_path(&self) -> String {
        if self.url.path().trim_end_matches('/') == "/mcp" {
            return "Another program listens there, or a proxy doesn't pass this path on: compare host and port with what the server printed at its start".to_owned();
        }
        format!(
            "The endpoint is at {}/mcp, unless a proxy puts it elsewhere",
            self.origin()
        )
    }

    /// Scheme and host without a path.
    pub(super) fn origin(&self) -> String {
        format!("{}://{}", self.url.scheme(), self.authority())
    }
}

fn unreadable(why: &str) -> Fault {
    Fault::new(
        Code::AddressUnreadable,
        why,
        "Write the whole address, such as https://cms.example.com/mcp",
    )
}

/// An address as it can be repeated: without what may be a secret in it.
pub(super) fn shown(text: &str) -> String {
    if text.contains('@') || text.contains("qla_") {
        return "[an address with a secret in it]".to_owned();
    }
    plain(text)
}
