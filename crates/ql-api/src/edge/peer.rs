//! Who is at the other end of the wire, as far as limits are concerned.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::Extensions;

/// The address that a limit counts: one IPv4 address, or the /64 that an IPv6 host chooses freely
/// within.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Peer(IpAddr);

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Peer {
    /// The peer of an address.
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
                address.to_bits() & !u128::from(u64::MAX),
            )),
            address @ IpAddr::V4(_) => address,
        })
    }

    /// The peer of a request: the [`Peer`] that the server put there (it knows the proxies that it
    /// trusts), else the address of the connection, else one that all unknown peers share.
    pub fn of(extensions: &Extensions) -> Self {
        let connected = || {
            extensions
                .get::<ConnectInfo<SocketAddr>>()
                .map(|info| info.0.ip())
        };
        extensions
            .get::<Self>()
            .copied()
            .unwrap_or_else(|| Self::new(connected().unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED))))
    }
}
