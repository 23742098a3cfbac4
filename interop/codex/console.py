"""Codex: claims a turn of the Agent Console and completes it, in a thread of its own."""

import asyncio

from app_server import AppServer, with_server
from scenario import check


async def story(server: AppServer) -> None:
    thread = await server.thread()
    claim = {"session_id": thread, "wait_seconds": 5}
    held = await server.call(thread, "querylayer_claim_console_task", claim)
    check(held.get("ok"), "nothing was claimed", held)
    check(held["conversation"]["session_id"] == thread, "another session is bound", held)
    done = await server.call(thread, "querylayer_complete_console_task", {
        "turn_id": held["turn_id"], "lease_token": held["lease_token"], "session_id": thread,
        "outcome": "completed", "message": thread,
    })
    check(done.get("turn_state") == "completed", "it isn't completed", done)
    print(thread)


asyncio.run(with_server(story))
