//! Ready configuration for each MCP client that takes a static bearer token.
//!
//! Plain text in, plain text out: the dashboard, the commands and the generated documentation all
//! print these. The key on the client's side is always `ql`, because the longest tool name would
//! pass 64 characters under a longer one.

use std::fmt;

mod form;
mod note;

/// The environment variable that clients read the token from.
pub const TOKEN_VARIABLE: &str = "QUERYLAYER_TOKEN";

/// Stands in [`Block::text`] where a client's own file needs the token itself.
pub const TOKEN_PLACEHOLDER: &str = "PASTE-THE-TOKEN-HERE";

/// A client with a configuration form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Client {
    /// Hermes, configured in YAML.
    Hermes,
    /// Codex, configured in TOML.
    Codex,
    /// Claude Code, configured by a command of its own.
    ClaudeCode,
    /// Cursor, configured in `mcp.json`.
    Cursor,
    /// VS Code, which asks for the token itself.
    VsCode,
    /// Grok Build, configured in TOML.
    Grok,
    /// Programs that only start local servers, through the `mcp-remote` bridge.
    McpRemote,
    /// Anything else that speaks Streamable HTTP.
    Generic,
}

impl Client {
    /// Every client, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Hermes,
        Self::Codex,
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Grok,
        Self::McpRemote,
        Self::Generic,
    ];

    /// A short text for addresses and element ids, such as `claude-code`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::Codex => "codex",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vs-code",
            Self::Grok => "grok",
            Self::McpRemote => "mcp-remote",
            Self::Generic => "generic",
        }
    }

    /// The name that its users know.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Hermes => "Hermes",
            Self::Codex => "Codex",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Grok => "Grok Build",
            Self::McpRemote => "mcp-remote bridge",
            Self::Generic => "Any other client",
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title())
    }
}

/// A text, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// The file or place that the text belongs in.
    pub file: &'static str,
    /// The text's language: `yaml`, `toml`, `json`, `sh` or `dotenv`.
    pub language: &'static str,
    /// The text, with [`TOKEN_PLACEHOLDER`] where the token itself stands.
    pub text: String,
}

impl Block {
    /// The text with `token` in the place of [`TOKEN_PLACEHOLDER`], for the one moment when the
    /// token is known.
    pub fn text_with(&self, token: &str) -> String {
        self.text.replace(TOKEN_PLACEHOLDER, token)
    }
}

/// A command of the client's own that shows whether it worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// The command.
    pub command: &'static str,
    /// What it prints if all is well.
    pub says: &'static str,
    /// Whether it calls the server. If it doesn't, it shows that the client read its configuration
    /// and nothing about the token.
    pub calls: bool,
}

/// What to put where so that one client reaches the MCP endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The client.
    pub client: Client,
    /// The client's name.
    pub title: &'static str,
    /// The configuration, which most clients keep without the token.
    pub config: Block,
    /// The line that hands the token over; none if it stands in the configuration or the client
    /// asks for it.
    pub token: Option<Block>,
    /// How to see whether it worked, where the client has a way.
    pub check: Option<Check>,
    /// What else to know.
    pub note: &'static str,
}

/// The snippet of every client for the MCP endpoint at `url`.
pub fn snippets(url: &str) -> Vec<Snippet> {
    Client::ALL
        .into_iter()
        .map(|client| snippet(client, url))
        .collect()
}

/// The snippet of one client for the MCP endpoint at `url`, such as `https://cms.example.com/mcp`.
pub fn snippet(client: Client, url: &str) -> Snippet {
    Snippet {
        client,
        title: client.title(),
        config: config(client, url),
        token: token(client),
        check: check(client),
        note: note::note(client),
    }
}

fn config(client: Client, url: &str) -> Block {
    // A JSON string is also a TOML basic string and a YAML double-quoted scalar.
    let quoted = serde_json::Value::from(url).to_string();
    let (file, language, text) = match client {
        Client::Hermes => ("~/.hermes/config.yaml", "yaml", form::hermes(&quoted)),
        Client::Codex => ("~/.codex/config.toml", "toml", form::codex(&quoted)),
        Client::ClaudeCode => ("a terminal", "sh", form::claude_code(&in_shell(url))),
        Client::Cursor => ("~/.cursor/mcp.json", "json", form::cursor(&quoted)),
        Client::VsCode => (".vscode/mcp.json", "json", form::vs_code(&quoted)),
        Client::Grok => ("~/.grok/config.toml", "toml", form::grok(&quoted)),
        Client::McpRemote => (
            "the client's MCP configuration",
            "json",
            form::mcp_remote(&quoted),
        ),
        Client::Generic => ("a terminal", "sh", form::generic(&in_shell(url))),
    };
    Block {
        file,
        language,
        text,
    }
}

/// The address in single quotes, between which a shell reads nothing.
fn in_shell(url: &str) -> String {
    format!("'{}'", url.replace('\'', "%27"))
}

fn token(client: Client) -> Option<Block> {
    let (file, language, export) = match client {
        Client::Hermes => ("~/.hermes/.env", "dotenv", ""),
        Client::Codex => ("the shell that starts Codex", "sh", "export "),
        Client::ClaudeCode => ("the shell that starts Claude Code", "sh", "export "),
        Client::Cursor => ("the shell that starts Cursor", "sh", "export "),
        Client::Grok => ("the shell that starts Grok Build", "sh", "export "),
        Client::Generic => ("the same terminal, first", "sh", "export "),
        Client::VsCode | Client::McpRemote => return None,
    };
    Some(Block {
        file,
        language,
        text: format!("{export}{TOKEN_VARIABLE}={TOKEN_PLACEHOLDER}\n"),
    })
}

const fn check(client: Client) -> Option<Check> {
    let (command, says, calls) = match client {
        Client::Hermes => ("hermes mcp test ql", "Connected", true),
        Client::Codex => ("codex mcp list", "Bearer token", false),
        Client::ClaudeCode => ("claude mcp get ql", "Connected", true),
        _ => return None,
    };
    Some(Check {
        command,
        says,
        calls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://cms.example.com/mcp";

    #[test]
    fn every_client_gets_the_address_and_its_own_way_to_the_token() {
        for snippet in snippets(URL) {
            let config = &snippet.config.text;
            assert!(config.contains(URL), "{}", snippet.title);
            let by_variable = config.contains(TOKEN_VARIABLE);
            assert_eq!(by_variable, snippet.token.is_some(), "{}", snippet.title);
            let asked = config.contains("${input:ql}");
            let inside = config.contains(TOKEN_PLACEHOLDER);
            assert!(by_variable || asked || inside, "{}", snippet.title);
            if snippet.client != Client::Generic {
                assert!(config.contains("ql"), "{}", snippet.title);
            }
        }
    }

    #[test]
    fn json_snippets_are_json() {
        for snippet in snippets("https://cms.example.com/a\"b/mcp") {
            if snippet.config.language == "json" {
                let text = &snippet.config.text;
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(text);
                assert!(parsed.is_ok(), "{}: {text}", snippet.title);
            }
        }
    }

    #[test]
    fn an_address_ends_no_quotes_of_a_shell() {
        for client in [Client::ClaudeCode, Client::Generic] {
            let text = snippet(client, "https://a.example/';reboot;'/mcp")
                .config
                .text;
            assert!(
                text.contains("'https://a.example/%27;reboot;%27/mcp'"),
                "{text}"
            );
        }
    }

    #[test]
    fn a_token_replaces_the_placeholder_and_nothing_else() {
        let bridge = snippet(Client::McpRemote, URL)
            .config
            .text_with("qla_secret");
        assert!(bridge.contains("Bearer qla_secret") && !bridge.contains(TOKEN_PLACEHOLDER));
        let codex = snippet(Client::Codex, URL);
        assert!(!codex.config.text_with("qla_secret").contains("qla_secret"));
        let line = codex.token.map(|line| line.text_with("qla_secret"));
        assert_eq!(
            line.as_deref(),
            Some("export QUERYLAYER_TOKEN=qla_secret\n")
        );
    }

    #[test]
    fn the_clients_that_are_tried_read_as_their_documentation_asks() {
        insta::assert_snapshot!(snippet(Client::Hermes, URL).config.text, @r#"
        mcp_servers:
          ql:
            url: "https://cms.example.com/mcp"
            headers:
              Authorization: "Bearer ${QUERYLAYER_TOKEN}"
            timeout: 120
            connect_timeout: 20
            trust: full
            tools: {resources: false, prompts: false}
        "#);
        insta::assert_snapshot!(snippet(Client::Codex, URL).config.text, @r#"
        [mcp_servers.ql]
        url = "https://cms.example.com/mcp"
        bearer_token_env_var = "QUERYLAYER_TOKEN"
        startup_timeout_sec = 20
        tool_timeout_sec = 120
        default_tools_approval_mode = "writes"
        "#);
        insta::assert_snapshot!(snippet(Client::ClaudeCode, URL).config.text, @r"
        claude mcp add --transport http --scope user ql 'https://cms.example.com/mcp' \
          --header 'Authorization: Bearer ${QUERYLAYER_TOKEN}'
        ");
    }
}
