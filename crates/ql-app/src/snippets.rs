//! Ready configuration for each MCP client that takes a static bearer token.
//!
//! Plain text in, plain text out: the dashboard, the commands and the generated documentation all
//! print these. The key on the client's side is always `ql`, because the longest tool name would
//! pass 64 characters under a longer one.

use std::fmt;

/// The environment variable that clients read the token from.
pub const TOKEN_VARIABLE: &str = "QUERYLAYER_TOKEN";

/// Stands in [`Snippet::text`] where a client's own file needs the token itself.
pub const TOKEN_PLACEHOLDER: &str = "PASTE-THE-TOKEN-HERE";

/// A client with a configuration form of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Client {
    /// Hermes, configured in YAML.
    Hermes,
    /// Codex, configured in TOML.
    Codex,
    /// Claude Code, configured in `.mcp.json`.
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

/// What to put where so that one client reaches the MCP endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// The client.
    pub client: Client,
    /// The client's name.
    pub title: &'static str,
    /// The file or place that the text belongs in.
    pub file: &'static str,
    /// The text's language: `yaml`, `toml`, `json` or `sh`.
    pub language: &'static str,
    /// The text, with [`TOKEN_PLACEHOLDER`] where the client can't read a variable.
    pub text: String,
    /// Where the token goes and how to check the connection.
    pub note: &'static str,
}

impl Snippet {
    /// The text with `token` in the place of [`TOKEN_PLACEHOLDER`], for the one moment when the
    /// token is known.
    pub fn text_with(&self, token: &str) -> String {
        self.text.replace(TOKEN_PLACEHOLDER, token)
    }
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
    // A JSON string is also a TOML basic string and a YAML double-quoted scalar.
    let quoted = serde_json::Value::from(url).to_string();
    let (file, language, text) = match client {
        Client::Hermes => ("~/.hermes/config.yaml", "yaml", hermes(&quoted)),
        Client::Codex => ("~/.codex/config.toml", "toml", codex(&quoted)),
        Client::ClaudeCode => (".mcp.json", "json", claude_code(&quoted)),
        Client::Cursor => ("~/.cursor/mcp.json", "json", cursor(&quoted)),
        Client::VsCode => (".vscode/mcp.json", "json", vs_code(&quoted)),
        Client::Grok => ("~/.grok/config.toml", "toml", grok(&quoted)),
        Client::McpRemote => (
            "the client's MCP configuration",
            "json",
            mcp_remote(&quoted),
        ),
        Client::Generic => ("a terminal", "sh", generic(url)),
    };
    Snippet {
        client,
        title: client.title(),
        file,
        language,
        text,
        note: note(client),
    }
}

fn hermes(url: &str) -> String {
    format!(
        r#"mcp_servers:
  ql:
    url: {url}
    headers:
      Authorization: "Bearer ${{{TOKEN_VARIABLE}}}"
    timeout: 120
    connect_timeout: 20
    trust: full
    tools: {{resources: false, prompts: false}}
"#
    )
}

fn codex(url: &str) -> String {
    format!(
        r#"[mcp_servers.ql]
url = {url}
bearer_token_env_var = "{TOKEN_VARIABLE}"
startup_timeout_sec = 20
tool_timeout_sec = 120
default_tools_approval_mode = "writes"
"#
    )
}

fn claude_code(url: &str) -> String {
    format!(
        r#"{{
  "mcpServers": {{
    "ql": {{
      "type": "http",
      "url": {url},
      "headers": {{ "Authorization": "Bearer ${{{TOKEN_VARIABLE}}}" }}
    }}
  }}
}}
"#
    )
}

fn cursor(url: &str) -> String {
    format!(
        r#"{{
  "mcpServers": {{
    "ql": {{
      "url": {url},
      "headers": {{ "Authorization": "Bearer ${{env:{TOKEN_VARIABLE}}}" }}
    }}
  }}
}}
"#
    )
}

fn vs_code(url: &str) -> String {
    format!(
        r#"{{
  "inputs": [
    {{ "type": "promptString", "id": "ql", "description": "QueryLayer token", "password": true }}
  ],
  "servers": {{
    "ql": {{
      "type": "http",
      "url": {url},
      "headers": {{ "Authorization": "Bearer ${{input:ql}}" }}
    }}
  }}
}}
"#
    )
}

fn grok(url: &str) -> String {
    format!(
        r#"[mcp_servers.ql]
url = {url}
headers = {{ "Authorization" = "Bearer ${{{TOKEN_VARIABLE}}}" }}
tool_timeout_sec = 120
"#
    )
}

fn mcp_remote(url: &str) -> String {
    format!(
        r#"{{
  "mcpServers": {{
    "ql": {{
      "command": "npx",
      "args": ["-y", "mcp-remote", {url}, "--header", "Authorization:${{AUTH}}"],
      "env": {{ "AUTH": "Bearer {TOKEN_PLACEHOLDER}" }}
    }}
  }}
}}
"#
    )
}

fn generic(url: &str) -> String {
    let url = url.replace('\'', "%27");
    format!(
        r#"curl -sS '{url}' \
  -H "Authorization: Bearer ${TOKEN_VARIABLE}" \
  -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' \
  -d '{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"curl","version":"1"}}}}}}'
"#
    )
}

const fn note(client: Client) -> &'static str {
    match client {
        Client::Hermes => {
            "Put QUERYLAYER_TOKEN=… into the .env file beside it (a named profile has its own pair \
             of files under ~/.hermes/profiles). Check with: hermes mcp test ql"
        }
        Client::Codex => {
            "Set QUERYLAYER_TOKEN in the environment that starts Codex; an inline token is refused \
             by Codex. Check with: codex mcp list"
        }
        Client::ClaudeCode => {
            "Set QUERYLAYER_TOKEN in the environment that starts Claude Code. A server of a project \
             stays pending until you start claude there once and approve it. Check with: claude \
             mcp list"
        }
        Client::Cursor => {
            "Set QUERYLAYER_TOKEN in the environment that starts Cursor, then look under Settings, \
             MCP."
        }
        Client::VsCode => {
            "VS Code asks for the token when the server first starts and keeps it in its own \
             secret storage."
        }
        Client::Grok => {
            "Set QUERYLAYER_TOKEN in the environment that starts Grok Build. Check with: grok mcp \
             doctor"
        }
        Client::McpRemote => {
            "For programs that only start local servers, such as Claude Desktop. The token stands \
             in the file itself, so keep the file private. Needs Node.js."
        }
        Client::Generic => {
            "Transport: Streamable HTTP. Give the client this address and the header \
             Authorization: Bearer with the token. The command checks both."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "https://cms.example.com/mcp";

    #[test]
    fn every_client_gets_the_address_and_its_own_way_to_the_token() {
        for snippet in snippets(URL) {
            assert!(snippet.text.contains(URL), "{}", snippet.title);
            let ways = [TOKEN_VARIABLE, TOKEN_PLACEHOLDER, "${input:ql}"];
            assert!(
                ways.iter().any(|way| snippet.text.contains(way)),
                "{}",
                snippet.title
            );
            if snippet.client != Client::Generic {
                assert!(snippet.text.contains("ql"), "{}", snippet.title);
            }
        }
    }

    #[test]
    fn json_snippets_are_json() {
        for snippet in snippets("https://cms.example.com/a\"b/mcp") {
            if snippet.language == "json" {
                let parsed: Result<serde_json::Value, _> = serde_json::from_str(&snippet.text);
                assert!(parsed.is_ok(), "{}: {}", snippet.title, snippet.text);
            }
        }
    }

    #[test]
    fn a_token_replaces_the_placeholder_and_nothing_else() {
        let bridge = snippet(Client::McpRemote, URL).text_with("qla_secret");
        assert!(bridge.contains("Bearer qla_secret") && !bridge.contains(TOKEN_PLACEHOLDER));
        assert!(
            !snippet(Client::Codex, URL)
                .text_with("qla_secret")
                .contains("qla_secret")
        );
    }

    #[test]
    fn hermes_and_codex_read_as_their_documentation_asks() {
        insta::assert_snapshot!(snippet(Client::Hermes, URL).text, @r#"
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
        insta::assert_snapshot!(snippet(Client::Codex, URL).text, @r#"
        [mcp_servers.ql]
        url = "https://cms.example.com/mcp"
        bearer_token_env_var = "QUERYLAYER_TOKEN"
        startup_timeout_sec = 20
        tool_timeout_sec = 120
        default_tools_approval_mode = "writes"
        "#);
    }
}
