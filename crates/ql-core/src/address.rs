//! Where the server may fetch from: public addresses alone, on allowed ports, over HTTP.
//!
//! The rules are pure; whoever fetches applies them to every address that a name resolves to, at
//! every hop of a redirection, and connects to the very address that was checked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// The ports that sources are served on by convention.
pub const DEFAULT_PORTS: [u16; 2] = [80, 443];

/// The most bytes of an address that is fetched.
const MAX_URL_BYTES: usize = 4000;

/// Why nothing is fetched from an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refused {
    /// It can't be read as an address.
    #[error("this is no address")]
    Malformed,
    /// It is neither http nor https.
    #[error("only http and https are fetched")]
    Scheme,
    /// It carries a name and a password.
    #[error("an address with credentials isn't fetched")]
    Credentials,
    /// Its port isn't allowed.
    #[error("this port isn't one that is fetched from")]
    Port,
    /// It leads into a network that isn't the public one.
    #[error("it leads to an address that isn't public: {}", .0.code())]
    Address(NotPublic),
}

impl Refused {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Malformed => "malformed_address",
            Self::Scheme => "scheme",
            Self::Credentials => "credentials",
            Self::Port => "port",
            Self::Address(_) => "address_not_public",
        }
    }
}

/// What an address that isn't public belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NotPublic {
    /// This machine.
    Loopback,
    /// A network of one's own.
    Private,
    /// The neighbourhood of one wire, cloud metadata among it.
    LinkLocal,
    /// A provider's shared network.
    Shared,
    /// Many at once.
    Multicast,
    /// Examples in documents.
    Documentation,
    /// An address of the other family inside, which could be anything.
    Embedded,
    /// Nothing that is used for hosts.
    Reserved,
}

impl NotPublic {
    /// A stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::LinkLocal => "link_local",
            Self::Shared => "shared",
            Self::Multicast => "multicast",
            Self::Documentation => "documentation",
            Self::Embedded => "embedded",
            Self::Reserved => "reserved",
        }
    }
}

type Range<A> = (A, u32, NotPublic);

const fn v4(a: u8, b: u8, c: u8, bits: u32, what: NotPublic) -> Range<Ipv4Addr> {
    (Ipv4Addr::new(a, b, c, 0), bits, what)
}

const fn v6(a: u16, b: u16, bits: u32, what: NotPublic) -> Range<Ipv6Addr> {
    (Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), bits, what)
}

/// The special ranges of IPv4 (IANA's registry, RFC 6890).
const V4: [Range<Ipv4Addr>; 16] = [
    v4(0, 0, 0, 8, NotPublic::Reserved),
    v4(10, 0, 0, 8, NotPublic::Private),
    v4(100, 64, 0, 10, NotPublic::Shared),
    v4(127, 0, 0, 8, NotPublic::Loopback),
    v4(169, 254, 0, 16, NotPublic::LinkLocal),
    v4(172, 16, 0, 12, NotPublic::Private),
    v4(192, 0, 0, 24, NotPublic::Reserved),
    v4(192, 0, 2, 24, NotPublic::Documentation),
    v4(192, 88, 99, 24, NotPublic::Embedded),
    v4(192, 168, 0, 16, NotPublic::Private),
    v4(198, 18, 0, 15, NotPublic::Reserved),
    v4(198, 51, 100, 24, NotPublic::Documentation),
    v4(203, 0, 113, 24, NotPublic::Documentation),
    v4(224, 0, 0, 4, NotPublic::Multicast),
    v4(240, 0, 0, 4, NotPublic::Reserved),
    v4(255, 255, 255, 32, NotPublic::Reserved),
];

/// The special ranges within IPv6's global unicast.
const V6_GLOBAL: [Range<Ipv6Addr>; 4] = [
    v6(0x2001, 0xdb8, 32, NotPublic::Documentation),
    // IETF protocols: Teredo, ORCHID, benchmarking.
    v6(0x2001, 0, 23, NotPublic::Embedded),
    v6(0x2002, 0, 16, NotPublic::Embedded),
    v6(0x3fff, 0, 20, NotPublic::Documentation),
];

/// What lies outside of it, as far as it has a name; all of it is refused.
const V6_OTHER: [Range<Ipv6Addr>; 5] = [
    v6(0x64, 0xff9b, 32, NotPublic::Embedded),
    v6(0xfc00, 0, 7, NotPublic::Private),
    v6(0xfe80, 0, 10, NotPublic::LinkLocal),
    v6(0xfec0, 0, 10, NotPublic::Private),
    v6(0xff00, 0, 8, NotPublic::Multicast),
];

/// Whether an address is one of the public network's.
///
/// # Errors
/// What it belongs to instead.
pub fn check_public(address: IpAddr) -> Result<(), NotPublic> {
    let found = match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    };
    found.map_or(Ok(()), Err)
}

fn special_v4(address: Ipv4Addr) -> Option<NotPublic> {
    let inside = |(network, bits, _): &&Range<Ipv4Addr>| {
        (network.to_bits() ^ address.to_bits()).leading_zeros() >= *bits
    };
    V4.iter().find(inside).map(|(_, _, what)| *what)
}

fn special_v6(address: Ipv6Addr) -> Option<NotPublic> {
    let inside = |(network, bits, _): &&Range<Ipv6Addr>| {
        (network.to_bits() ^ address.to_bits()).leading_zeros() >= *bits
    };
    let name = |ranges: &[Range<Ipv6Addr>]| ranges.iter().find(inside).map(|(_, _, what)| *what);
    // Only 2000::/3 is given out to hosts.
    if address.segments()[0] & 0xe000 == 0x2000 {
        return name(&V6_GLOBAL);
    }
    let named = match address {
        Ipv6Addr::LOCALHOST => Some(NotPublic::Loopback),
        // Mapped and compatible: an IPv4 address in the last 32 bits.
        _ if address.to_ipv4().is_some() => Some(NotPublic::Embedded),
        _ => name(&V6_OTHER),
    };
    named.or(Some(NotPublic::Reserved))
}

/// An address that may be fetched, as far as its text tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    url: Url,
}

/// Whom a destination names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Name {
    /// A name, still to be resolved.
    Domain(String),
    /// An address, however it was written.
    Address(IpAddr),
}

impl Destination {
    /// Reads an address. Every way of writing an IPv4 address that browsers know, such as
    /// `0x7f.1` or `2130706433`, is read as that address.
    pub fn parse(text: &str, ports: &[u16]) -> Result<Self, Refused> {
        if text.len() > MAX_URL_BYTES {
            return Err(Refused::Malformed);
        }
        Self::of(Url::parse(text).map_err(|_| Refused::Malformed)?, ports)
    }

    /// Where a redirection from here leads.
    pub fn join(&self, location: &str, ports: &[u16]) -> Result<Self, Refused> {
        if location.len() > MAX_URL_BYTES {
            return Err(Refused::Malformed);
        }
        let url = self.url.join(location).map_err(|_| Refused::Malformed)?;
        Self::of(url, ports)
    }

    fn of(url: Url, ports: &[u16]) -> Result<Self, Refused> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refused::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::Credentials);
        }
        let port = url.port_or_known_default().ok_or(Refused::Port)?;
        if !ports.contains(&port) {
            return Err(Refused::Port);
        }
        url.host().ok_or(Refused::Malformed)?;
        Ok(Self { url })
    }

    /// Whom it names.
    pub fn name(&self) -> Name {
        match self.url.host() {
            Some(Host::Ipv4(address)) => Name::Address(address.into()),
            Some(Host::Ipv6(address)) => Name::Address(address.into()),
            Some(Host::Domain(name)) => Name::Domain(name.to_owned()),
            None => Name::Domain(String::new()),
        }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.url.port_or_known_default().unwrap_or_default()
    }

    /// Whether it is encrypted.
    pub fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The host as a request names it, with the port where it isn't the scheme's own.
    pub fn authority(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The path and the query, as a request names them.
    pub fn target(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// Whether another one differs in nothing but how it is transported.
    pub fn is_same_place(&self, other: &Self) -> bool {
        self.url.host() == other.url.host() && self.target() == other.target()
    }
}

impl std::fmt::Display for Destination {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.url.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str) -> String {
        match Destination::parse(text, &DEFAULT_PORTS) {
            Err(refused) => refused.code().to_owned(),
            Ok(found) => match found.name() {
                Name::Domain(name) => format!("name {name}"),
                Name::Address(address) => match check_public(address) {
                    Ok(()) => format!("public {address}"),
                    Err(what) => format!("{} {address}", what.code()),
                },
            },
        }
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn every_way_to_write_an_address_is_read_as_that_address() {
        let cases = [
            "https://source.example/page",
            "http://93.184.215.14/",
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://0x7f.0x0.0x0.0x1/",
            "http://127.0.0.1./",
            "http://１２７.０.０.１/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[2002:7f00:1::]/",
            "http://[fe80::1]/",
            "http://[fd00::1]/",
            "http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/",
            "http://169.254.169.254/latest/meta-data/",
            "http://0/",
            "http://10.0.0.1:80/",
            "http://source.example:8080/",
            "https://source.example:443/",
            "http://source.example:22/",
            "http://user:secret@source.example/",
            "http://user@source.example/",
            "ftp://source.example/",
            "file:///etc/passwd",
            "gopher://127.0.0.1/",
            "javascript:alert(1)",
            "//source.example/",
            "http://",
            "http://256.256.256.256/",
            "",
        ];
        let lines: Vec<String> = (cases.iter())
            .map(|case| format!("{case} -> {}", judged(case)))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        https://source.example/page -> name source.example
        http://93.184.215.14/ -> public 93.184.215.14
        http://127.0.0.1/ -> loopback 127.0.0.1
        http://127.1/ -> loopback 127.0.0.1
        http://2130706433/ -> loopback 127.0.0.1
        http://0x7f000001/ -> loopback 127.0.0.1
        http://0177.0.0.1/ -> loopback 127.0.0.1
        http://0x7f.0x0.0x0.0x1/ -> loopback 127.0.0.1
        http://127.0.0.1./ -> loopback 127.0.0.1
        http://１２７.０.０.１/ -> loopback 127.0.0.1
        http://[::1]/ -> loopback ::1
        http://[::ffff:127.0.0.1]/ -> embedded ::ffff:127.0.0.1
        http://[::ffff:7f00:1]/ -> embedded ::ffff:127.0.0.1
        http://[::127.0.0.1]/ -> embedded ::7f00:1
        http://[64:ff9b::7f00:1]/ -> embedded 64:ff9b::7f00:1
        http://[2002:7f00:1::]/ -> embedded 2002:7f00:1::
        http://[fe80::1]/ -> link_local fe80::1
        http://[fd00::1]/ -> private fd00::1
        http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/ -> public 2606:2800:21f:cb07:6820:80da:af6b:8b2c
        http://169.254.169.254/latest/meta-data/ -> link_local 169.254.169.254
        http://0/ -> reserved 0.0.0.0
        http://10.0.0.1:80/ -> private 10.0.0.1
        http://source.example:8080/ -> port
        https://source.example:443/ -> name source.example
        http://source.example:22/ -> port
        http://user:secret@source.example/ -> credentials
        http://user@source.example/ -> credentials
        ftp://source.example/ -> scheme
        file:///etc/passwd -> scheme
        gopher://127.0.0.1/ -> scheme
        javascript:alert(1) -> scheme
        //source.example/ -> malformed_address
        http:// -> malformed_address
        http://256.256.256.256/ -> malformed_address
         -> malformed_address
        ");
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn the_edges_of_every_range_are_refused_and_their_neighbours_are_not() {
        let public = [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2000::1",
            "2001:200::1",
            "2001:db7::1",
            "2001:db9::1",
            "2003::1",
            "2606:4700::1111",
            "3ffe:ffff::1",
        ];
        for text in public {
            let address = text.parse().expect("an address");
            assert_eq!(check_public(address), Ok(()), "{text}");
        }
        let special = [
            "0.0.0.0",
            "0.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            "100.64.0.0",
            "100.127.255.255",
            "127.0.0.0",
            "127.255.255.255",
            "169.254.0.0",
            "169.254.255.255",
            "172.16.0.0",
            "172.31.255.255",
            "192.0.0.0",
            "192.0.0.255",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.0",
            "192.168.255.255",
            "198.18.0.0",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.255",
            "224.0.0.0",
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:1.1.1.1",
            "::1.1.1.1",
            "64:ff9b::101:101",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002::1",
            "3fff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "ff02::1",
        ];
        for text in special {
            let address = text.parse().expect("an address");
            assert!(check_public(address).is_err(), "{text}");
        }
    }

    #[test]
    fn a_redirection_is_read_from_where_it_stands() {
        let ports = &DEFAULT_PORTS;
        let here = Destination::parse("http://source.example/a/b?c=1", ports).expect("one");
        let there = here.join("../d#e", ports).expect("one");
        assert_eq!(there.to_string(), "http://source.example/d#e");
        assert_eq!(
            (there.target(), there.authority()),
            ("/d".into(), "source.example".into())
        );
        assert_eq!(
            here.join("//10.0.0.1/", ports).map(|d| d.name()),
            Ok(Name::Address([10, 0, 0, 1].into()))
        );
        assert_eq!(
            here.join("ftp://source.example", ports),
            Err(Refused::Scheme)
        );
        let secured = here
            .join("https://source.example/a/b?c=1", ports)
            .expect("one");
        assert!(here.is_same_place(&secured) && !here.is_same_place(&there));
    }
}
