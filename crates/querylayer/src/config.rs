//! How a server is set up: a TOML file, the environment and the command line, the last one winning.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde::Deserialize;

use crate::database::DatabaseArgs;
use crate::fetch::Limits;

/// Settings of a server. Each is a key of the file, an environment variable and an option.
#[derive(Debug, Clone, Default, Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ServerArgs {
    /// The folder that holds the database and the keys
    #[arg(long, env = "QUERYLAYER_DATA", value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The address to listen on; port 0 takes a free one
    #[arg(long, env = "QUERYLAYER_LISTEN", value_name = "ADDR")]
    pub listen: Option<SocketAddr>,
    /// The address that people and agents reach the server at
    #[arg(long, env = "QUERYLAYER_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,
    /// Which database; in the file its settings stand beside the others
    #[command(flatten)]
    #[serde(skip)]
    pub database: DatabaseArgs,
    /// The certificate chain to serve TLS with, in PEM
    #[arg(
        long,
        env = "QUERYLAYER_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    pub tls_cert: Option<PathBuf>,
    /// The certificate's private key, in PEM
    #[arg(
        long,
        env = "QUERYLAYER_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    pub tls_key: Option<PathBuf>,
    /// The network of the proxy that ends TLS in front of the server, such as 10.0.0.0/8
    #[arg(long, env = "QUERYLAYER_BEHIND_PROXY", value_name = "CIDR")]
    pub behind_proxy: Option<Cidr>,
    /// Requests per minute and connection; 0 means no limit
    #[arg(long, env = "QUERYLAYER_CALLS_PER_MINUTE", value_name = "N")]
    pub calls_per_minute: Option<u32>,
    /// Requests that one connection may make at once before the rate counts
    #[arg(long, env = "QUERYLAYER_CALL_BURST", value_name = "N")]
    pub call_burst: Option<u32>,
    /// Failed authentications per minute and peer; 0 means no limit
    #[arg(
        long,
        env = "QUERYLAYER_FAILED_AUTHENTICATIONS_PER_MINUTE",
        value_name = "N"
    )]
    pub failed_authentications_per_minute: Option<u32>,
    /// The ports that sources of evidence may be fetched from; 80 and 443 when none is named
    #[arg(
        long,
        env = "QUERYLAYER_FETCH_PORTS",
        value_name = "PORTS",
        value_delimiter = ','
    )]
    pub fetch_ports: Option<Vec<u16>>,
    /// The policy that productions are made under: a folder, or `biblical-teaching` for the one that
    /// comes with the program; without it nothing is produced
    #[arg(long, env = "QUERYLAYER_POLICY", value_name = "DIR")]
    pub policy: Option<PathBuf>,
    /// Who serves each tier of the policy's roles; without it roles are played by agents alone
    #[arg(
        long,
        env = "QUERYLAYER_TIERS",
        value_name = "FILE",
        requires = "prices"
    )]
    pub tiers: Option<PathBuf>,
    /// What they cost
    #[arg(
        long,
        env = "QUERYLAYER_PRICES",
        value_name = "FILE",
        requires = "tiers"
    )]
    pub prices: Option<PathBuf>,
    /// The folder of editions that quotations are judged by; `corpora` in the data folder when not given
    #[arg(long, env = "QUERYLAYER_CORPORA", value_name = "DIR")]
    pub corpora: Option<PathBuf>,
    /// The folder that publications of productions are put into; `outbox` in the data folder when not
    /// given
    #[arg(long, env = "QUERYLAYER_OUTBOX", value_name = "DIR")]
    pub outbox: Option<PathBuf>,
}

/// A network: an address and how many of its leading bits count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Cidr {
    network: IpAddr,
    bits: u8,
}

impl std::str::FromStr for Cidr {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong = || format!("`{text}` is no network; write one such as 10.0.0.0/8 or ::1/128");
        let (address, bits) = text.split_once('/').ok_or_else(wrong)?;
        let network: IpAddr = address.parse().map_err(|_| wrong())?;
        let bits: u8 = bits.parse().map_err(|_| wrong())?;
        let most = if network.is_ipv4() { 32 } else { 128 };
        if bits <= most {
            Ok(Self { network, bits })
        } else {
            Err(wrong())
        }
    }
}

impl TryFrom<String> for Cidr {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl Cidr {
    /// Whether `address` lies in the network.
    pub fn contains(self, address: IpAddr) -> bool {
        match (self.network, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let shift = 32 - u32::from(self.bits);
                u64::from(network.to_bits()) >> shift == u64::from(address.to_bits()) >> shift
            }
            (IpAddr::V6(network), IpAddr::V6(address)) => {
                let mask = u128::MAX
                    .checked_shl(128 - u32::from(self.bits))
                    .unwrap_or(0);
                network.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

impl ServerArgs {
    /// These settings, completed by those of a file.
    ///
    /// # Errors
    /// The file can't be read, isn't TOML or has a key that isn't a setting.
    pub fn with_file(self, file: Option<&Path>) -> Result<Self> {
        let Some(path) = file else { return Ok(self) };
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("{} can't be read", path.display()))?;
        let unfit = || format!("{} doesn't fit", path.display());
        let mut settings: toml::Table = toml::from_str(&text).with_context(unfit)?;
        let database = DatabaseArgs::take(&mut settings).with_context(unfit)?;
        let file: Self = settings.try_into().with_context(unfit)?;
        Ok(Self {
            data: self.data.or(file.data),
            listen: self.listen.or(file.listen),
            public_url: self.public_url.or(file.public_url),
            database: self.database.or(database),
            tls_cert: self.tls_cert.or(file.tls_cert),
            tls_key: self.tls_key.or(file.tls_key),
            behind_proxy: self.behind_proxy.or(file.behind_proxy),
            calls_per_minute: self.calls_per_minute.or(file.calls_per_minute),
            call_burst: self.call_burst.or(file.call_burst),
            failed_authentications_per_minute: self
                .failed_authentications_per_minute
                .or(file.failed_authentications_per_minute),
            fetch_ports: self.fetch_ports.or(file.fetch_ports),
            policy: self.policy.or(file.policy),
            tiers: self.tiers.or(file.tiers),
            prices: self.prices.or(file.prices),
            corpora: self.corpora.or(file.corpora),
            outbox: self.outbox.or(file.outbox),
        })
    }

    /// How far the server goes to fetch a source.
    pub fn fetch_limits(&self) -> Limits {
        let limits = Limits::default();
        Limits {
            ports: self.fetch_ports.clone().unwrap_or(limits.ports),
            ..limits
        }
    }

    /// The data folder; `./data` when none is named.
    pub fn data_dir(&self) -> crate::data::DataDir {
        crate::data::DataDir::new(self.data_path()).with_database(self.database.clone())
    }

    /// The folder of editions; `corpora` in the data folder when none is named.
    pub fn corpora_dir(&self) -> PathBuf {
        let within = || self.data_path().join("corpora");
        self.corpora.clone().unwrap_or_else(within)
    }

    /// The folder of publications; `outbox` in the data folder when none is named.
    pub fn outbox_dir(&self) -> PathBuf {
        let within = || self.data_path().join("outbox");
        self.outbox.clone().unwrap_or_else(within)
    }

    /// The folder of the files that providers make.
    pub fn files_dir(&self) -> PathBuf {
        self.data_path().join("files")
    }

    fn data_path(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| PathBuf::from("data"))
    }

    /// The address to listen on; loopback, port 8090, when none is named.
    pub fn listen_address(&self) -> SocketAddr {
        self.listen
            .unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8090)))
    }

    /// Checks what can be checked before anything is opened.
    ///
    /// # Errors
    /// Settings that need another one, or plain HTTP where others could listen.
    pub fn check(&self) -> Result<()> {
        self.database.check()?;
        let listen = self.listen_address();
        let secured = self.tls_cert.is_some() || self.behind_proxy.is_some();
        if !listen.ip().is_loopback() && !secured {
            bail!(
                "plain HTTP on {listen} would send tokens in the clear; give --tls-cert and --tls-key, or --behind-proxy with the network of the proxy that ends TLS"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_what_shares_their_leading_bits() {
        let contains = |cidr: &str, address: &str| {
            cidr.parse::<Cidr>()
                .expect("a network")
                .contains(address.parse().expect("an address"))
        };
        assert!(contains("10.0.0.0/8", "10.200.1.1"));
        assert!(!contains("10.0.0.0/8", "11.0.0.1"));
        assert!(contains("0.0.0.0/0", "8.8.8.8"));
        assert!(contains("::1/128", "::1"));
        assert!(!contains("::1/128", "::2"));
        assert!(contains("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!("10.0.0.0/33".parse::<Cidr>().is_err());
        assert!("10.0.0.0".parse::<Cidr>().is_err());
    }

    #[test]
    fn plain_http_where_others_could_listen_is_refused() {
        let open = ServerArgs {
            listen: "0.0.0.0:80".parse().ok(),
            ..ServerArgs::default()
        };
        assert!(open.check().is_err());
        let proxied = ServerArgs {
            behind_proxy: "10.0.0.0/8".parse().ok(),
            ..open
        };
        assert!(proxied.check().is_ok());
        assert!(ServerArgs::default().check().is_ok());
    }

    #[test]
    fn the_command_line_wins_over_the_file_and_unknown_keys_are_refused() {
        let dir = ql_testkit::TempDir::new();
        let path = dir.path().join("querylayer.toml");
        std::fs::write(
            &path,
            "listen = \"127.0.0.1:1\"\npublic_url = \"https://a.example\"",
        )
        .expect("written");
        let given = ServerArgs {
            listen: "127.0.0.1:2".parse().ok(),
            ..ServerArgs::default()
        };
        let merged = given.with_file(Some(&path)).expect("merged");
        assert_eq!(merged.listen.map(|l| l.port()), Some(2));
        assert_eq!(merged.public_url.as_deref(), Some("https://a.example"));
        std::fs::write(&path, "listn = \"127.0.0.1:1\"").expect("written");
        let error = ServerArgs::default()
            .with_file(Some(&path))
            .expect_err("refused");
        assert!(format!("{error:#}").contains("listn"));
    }
}
