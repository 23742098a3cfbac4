//! The form of configuration that each client reads.

use super::{TOKEN_PLACEHOLDER, TOKEN_VARIABLE};

pub(super) fn hermes(url: &str) -> String {
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

pub(super) fn codex(url: &str) -> String {
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

pub(super) fn claude_code(url: &str) -> String {
    format!(
        r"claude mcp add --transport http --scope user ql {url} \
  --header 'Authorization: Bearer ${{{TOKEN_VARIABLE}}}'
"
    )
}

pub(super) fn cursor(url: &str) -> String {
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

pub(super) fn vs_code(url: &str) -> String {
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

pub(super) fn grok(url: &str) -> String {
    format!(
        r#"[mcp_servers.ql]
url = {url}
headers = {{ "Authorization" = "Bearer ${{{TOKEN_VARIABLE}}}" }}
tool_timeout_sec = 120
"#
    )
}

pub(super) fn mcp_remote(url: &str) -> String {
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

pub(super) fn generic(url: &str) -> String {
    format!(
        r#"curl -sS {url} \
  -H "Authorization: Bearer ${TOKEN_VARIABLE}" \
  -H 'Content-Type: application/json' \
  -H 'Accept: application/json, text/event-stream' \
  -d '{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{{}},"clientInfo":{{"name":"curl","version":"1"}}}}}}'
"#
    )
}
