"""A fault of the server, met by any client that can call tools. See lib/faults.py."""

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable

from scenario import check

TEXT = "The server failed to carry out the call."

# What a client shows of a result: its text, and whether it marks an error if it says so.
Raw = Callable[[str, dict], Awaitable[tuple[str, bool | None]]]


async def fault_side(raw: Raw) -> None:
    begun, _ = await raw("querylayer_begin_run", {
        "run_type": "interop-fault", "input": {}, "required_outputs": [],
        "completion_conditions": [],
    })
    arguments = {
        "run_id": answer(begun)["run_id"], "key": "summary", "media_type": "text/plain",
        "body": "Written once.", "idempotency_key": uuid.uuid4().hex,
    }
    await pause("take")
    text, is_error = await raw("querylayer_record_artifact", arguments)
    await pause("give back")
    check(TEXT in text and "idempotency_key" in text, "the fault's text isn't shown", text)
    check(is_error is not False, "the fault is no error", text)
    text, is_error = await raw("querylayer_record_artifact", arguments)
    check(answer(text).get("ok") is True and not is_error, "the same call fails afterwards", text)


def answer(text: str) -> dict:
    return json.loads(text[text.find("{"):text.rfind("}") + 1])


async def pause(what: str) -> None:
    """Asks the one who runs this to do something to the server, and waits until it is done."""
    print(what, flush=True)
    await asyncio.to_thread(input)
