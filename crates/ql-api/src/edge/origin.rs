//! The Host and Origin check that stops DNS rebinding and foreign web pages.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Uri, header};

/// Which `Host` and `Origin` headers are served.
#[derive(Debug, Clone)]
pub struct OriginPolicy {
    hosts: Vec<Site>,
    origins: Vec<AllowedOrigin>,
}

/// A configured host or origin that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRule {
    /// Not a host with an optional port.
    #[error("`{0}` is no host; write one such as example.com or example.com:8443")]
    Host(String),
    /// Not an origin.
    #[error("`{0}` is no origin; write one such as https://example.com or http://localhost:*")]
    Origin(String),
}

/// Why a request isn't served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OriginRefusal {
    /// No readable `Host` header.
    NoHost,
    /// A host that isn't served.
    Host,
    /// An origin that isn't served.
    Origin,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Site {
    host: String,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowedOrigin {
    scheme: String,
    host: String,
    port: AllowedPort,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AllowedPort {
    Any,
    Exactly(Option<u16>),
}

impl OriginPolicy {
    /// A policy that serves these hosts (`example.com` with any port, or `example.com:8443`) and
    /// requests of pages from these origins (`https://example.com`, `http://localhost:*`).
    /// Requests without an `Origin` header, which is all that isn't a browser, pass.
    ///
    /// # Errors
    /// The first rule that can't be read.
    pub fn new<H: AsRef<str>, O: AsRef<str>>(
        hosts: impl IntoIterator<Item = H>,
        origins: impl IntoIterator<Item = O>,
    ) -> Result<Self, InvalidRule> {
        Ok(Self {
            hosts: hosts
                .into_iter()
                .map(|rule| host_rule(rule.as_ref()))
                .collect::<Result<_, _>>()?,
            origins: origins
                .into_iter()
                .map(|rule| origin_rule(rule.as_ref()))
                .collect::<Result<_, _>>()?,
        })
    }

    /// The policy of a server that only this machine reaches: loopback names, any port.
    pub fn loopback() -> Self {
        let hosts = ["localhost", "127.0.0.1", "::1"];
        let site = |host: &str| Site {
            host: host.to_owned(),
            port: None,
        };
        let origin = |host: &str| AllowedOrigin {
            scheme: "http".to_owned(),
            host: host.to_owned(),
            port: AllowedPort::Any,
        };
        Self {
            hosts: hosts.map(site).to_vec(),
            origins: hosts.map(origin).to_vec(),
        }
    }

    /// Checks one request; gives the `Origin` header back when a page of a served origin sent it.
    ///
    /// # Errors
    /// The [`OriginRefusal`] to render.
    pub fn check(
        &self,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Option<HeaderValue>, OriginRefusal> {
        let site = requested_site(uri, headers).ok_or(OriginRefusal::NoHost)?;
        let served = |rule: &Site| {
            rule.host == site.host && rule.port.is_none_or(|port| site.port == Some(port))
        };
        if !self.hosts.iter().any(served) {
            return Err(OriginRefusal::Host);
        }
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else {
            return Ok(None);
        };
        if origins.next().is_some() || !self.serves_origin(origin) {
            return Err(OriginRefusal::Origin);
        }
        Ok(Some(origin.clone()))
    }

    fn serves_origin(&self, origin: &HeaderValue) -> bool {
        let Some((scheme, site)) = origin.to_str().ok().and_then(split_origin) else {
            return false;
        };
        self.origins.iter().any(|rule| {
            rule.scheme == scheme
                && rule.host == site.host
                && match rule.port {
                    AllowedPort::Any => true,
                    AllowedPort::Exactly(port) => {
                        port.or(default_port(&scheme)) == site.port.or(default_port(&scheme))
                    }
                }
        })
    }
}

fn requested_site(uri: &Uri, headers: &HeaderMap) -> Option<Site> {
    match headers.get(header::HOST) {
        Some(host) => host.to_str().ok().and_then(split_host),
        None => uri.authority().map(site_of),
    }
}

fn site_of(authority: &Authority) -> Site {
    let host = authority
        .host()
        .trim_start_matches('[')
        .trim_end_matches(']');
    Site {
        host: host.to_ascii_lowercase(),
        port: authority.port_u16(),
    }
}

fn split_host(text: &str) -> Option<Site> {
    if text.contains('@') {
        return None;
    }
    Authority::try_from(text).ok().as_ref().map(site_of)
}

fn split_origin(text: &str) -> Option<(String, Site)> {
    let (scheme, authority) = text.split_once("://")?;
    Some((scheme.to_ascii_lowercase(), split_host(authority)?))
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    }
}

fn host_rule(rule: &str) -> Result<Site, InvalidRule> {
    // A bare IPv6 address reads as host and port, so it's put into brackets first.
    let bracketed = rule
        .parse::<std::net::Ipv6Addr>()
        .map(|address| format!("[{address}]"));
    split_host(bracketed.as_deref().unwrap_or(rule))
        .ok_or_else(|| InvalidRule::Host(rule.to_owned()))
}

fn origin_rule(rule: &str) -> Result<AllowedOrigin, InvalidRule> {
    let (base, any_port) = rule
        .strip_suffix(":*")
        .map_or((rule, false), |base| (base, true));
    let (scheme, site) = split_origin(base).ok_or_else(|| InvalidRule::Origin(rule.to_owned()))?;
    let port = if any_port {
        AllowedPort::Any
    } else {
        AllowedPort::Exactly(site.port)
    };
    Ok(AllowedOrigin {
        scheme,
        host: site.host,
        port,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(
        policy: &OriginPolicy,
        host: &str,
        origin: Option<&str>,
    ) -> Result<bool, OriginRefusal> {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().expect("a header"));
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().expect("a header"));
        }
        policy
            .check(&Uri::from_static("/mcp"), &headers)
            .map(|origin| origin.is_some())
    }

    #[test]
    fn hosts_match_by_name_and_by_port_where_one_is_named() {
        let policy =
            OriginPolicy::new(["Example.com", "[::1]:8443", "::2"], [""; 0]).expect("rules");
        assert_eq!(asked(&policy, "example.com", None), Ok(false));
        assert_eq!(asked(&policy, "EXAMPLE.com:9", None), Ok(false));
        assert_eq!(asked(&policy, "[::1]:8443", None), Ok(false));
        assert_eq!(asked(&policy, "[::2]:1", None), Ok(false));
        assert_eq!(asked(&policy, "[::1]", None), Err(OriginRefusal::Host));
        assert_eq!(
            asked(&policy, "example.com.evil.test", None),
            Err(OriginRefusal::Host)
        );
        assert_eq!(
            asked(&policy, "example.com@evil.test", None),
            Err(OriginRefusal::NoHost)
        );
    }

    #[test]
    fn origins_match_scheme_host_and_port() {
        let rules = ["https://console.example.com", "http://localhost:*"];
        let policy = OriginPolicy::new(["example.com"], rules).expect("rules");
        let from = |origin| asked(&policy, "example.com", Some(origin));
        assert_eq!(from("https://console.example.com"), Ok(true));
        assert_eq!(from("https://console.example.com:443"), Ok(true));
        assert_eq!(from("http://localhost:5173"), Ok(true));
        for evil in [
            "https://console.example.com:8443",
            "http://console.example.com",
            "https://console.example.com.evil.test",
            "null",
            "https://localhost:1",
            "",
        ] {
            assert_eq!(from(evil), Err(OriginRefusal::Origin), "{evil}");
        }
    }

    #[test]
    fn unreadable_rules_are_named() {
        let refused = OriginPolicy::new(["exa mple"], [""; 0]).map(|_| ());
        assert_eq!(refused, Err(InvalidRule::Host("exa mple".to_owned())));
        let refused = OriginPolicy::new(["a"], ["console.example.com"]).map(|_| ());
        assert_eq!(
            refused,
            Err(InvalidRule::Origin("console.example.com".to_owned()))
        );
    }
}
