//! What else to know about a client.

use super::Client;

pub(super) const fn note(client: Client) -> &'static str {
    match client {
        Client::Hermes => "A named profile has its own pair of files, under ~/.hermes/profiles.",
        Client::Codex => {
            "An inline token is refused by Codex. Unattended (codex exec), nobody can answer its \
             question before each call that changes something, and it refuses the call: write \
             \"approve\" for \"writes\" there. People approve on the dashboard either way."
        }
        Client::ClaudeCode => {
            "The single quotes keep the variable's name in the file instead of the token. With \
             --scope project it goes into .mcp.json of the folder and stays pending until you \
             start claude there once and approve it."
        }
        Client::Cursor => "Then look under Settings, MCP.",
        Client::VsCode => {
            "VS Code asks for the token when the server first starts and keeps it in its own \
             secret storage."
        }
        Client::Grok => "Check with: grok mcp doctor",
        Client::McpRemote => {
            "For programs that only start local servers, such as Claude Desktop. The token stands \
             in the file itself, so keep the file private. Needs Node.js."
        }
        Client::Generic => {
            "Transport: Streamable HTTP. Give the client this address and the header \
             Authorization: Bearer with the token. The command checks both: its answer names \
             querylayer as the server."
        }
    }
}
