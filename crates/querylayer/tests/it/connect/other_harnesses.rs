//! Harnesses that need no connector: they claim over MCP with session ids of their own.

use serde_json::json;

use super::hermes::Machine;
use super::world::World;

/// Codex and Claude Code name their sessions by UUIDs, and claim and complete in them.
#[test]
fn codex_and_claude_code_claim_and_complete_with_their_own_sessions() {
    for (harness, session, other) in [
        (
            "codex",
            "019ac0de-7b1e-7c52-9f0e-0d6f5a4b3c21",
            "019ac0de-0000-7000-8000-000000000001",
        ),
        (
            "claude",
            "5f3c9a52-8f0e-4b7d-9a31-2f6b0c1d4e77",
            "00000000-8f0e-4b7d-9a31-2f6b0c1d4e77",
        ),
    ] {
        let world = World::with(Machine::new(), &["--harness", harness]);
        for message in ["Begin.", "Go on."] {
            world.say(message);
            let claim = json!({"session_id": session, "wait_seconds": 5});
            let claimed = world.call("querylayer_claim_console_task", &claim);
            assert_eq!(claimed["user_message"], message, "{claimed}");
            assert_eq!(claimed["conversation"]["session_id"], session);
            let done = json!({
                "turn_id": claimed["turn_id"], "lease_token": claimed["lease_token"],
                "outcome": "completed", "message": "Done.", "session_id": session,
            });
            let done = world.call("querylayer_complete_console_task", &done);
            assert_eq!(done["turn_state"], "completed", "{done}");
        }
        world.say("Once more.");
        let stranger = json!({"session_id": other});
        let refused = world.call("querylayer_claim_console_task", &stranger);
        assert_eq!(refused["code"], "no_task", "{refused}");
        assert_eq!(refused["details"]["waiting_for_other_sessions"], true);
        assert_eq!(world.read()["runtime"]["state"], "not_discovered");
    }
}
