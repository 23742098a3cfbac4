"""Plays the hermeneutics of a production with the official Python SDK 2.x.

Claims the task, checks that the policy's text is the one whose hash the task names, is refused with a
result that doesn't fit, and submits one that does.
"""

import hashlib
import os
from importlib.metadata import version

import anyio
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from scenario import answer_of, check

HEADERS = {"Authorization": f"Bearer {os.environ['QUERYLAYER_TOKEN']}"}
RULES = [f"VAL-{number:02}" for number in range(1, 18) if number != 16]
CLAIM, SUBMIT = "querylayer_claim_stage_task", "querylayer_submit_stage_result"


def memo() -> dict:
    return {
        "thesis": "The way is a person, who answers a question about a road.",
        "readings": [{
            "passage": "John 14:6",
            "reading": "Jesus answers Thomas with himself.",
            "rationale": "The question is about a way to the Father, and so is the answer.",
        }],
        "attestations": [
            {"rule_id": rule, "status": "PASS", "reviewer": "hermeneutics",
             "notes": "Looked at with the passage and its context."}
            for rule in RULES
        ],
    }


def result(envelope: dict) -> dict:
    return {
        "task_id": envelope["task_id"],
        "agent_role": envelope["agent_role"],
        "status": "THEOLOGY_VERIFIED",
        "output": memo(),
        "scripture": [],
        "claims": [],
        "uncertainties": ["How far the words reach is read in more than one way."],
        "cited_doctrines": [],
        "constitution_sha256": envelope["constitution_sha256"],
        "policy_pack_sha256": envelope["policy_pack_sha256"],
        "provider": "an agent", "model": "none", "cost_usd": 0, "latency_ms": 1,
    }


async def play(client: Client) -> None:
    async def call(tool: str, arguments: dict) -> dict:
        answer = await client.call_tool(tool, arguments)
        return answer_of(answer.content[0].text, answer.structured_content, answer.is_error)

    tools = {tool.name for tool in (await client.list_tools()).tools}
    check({CLAIM, SUBMIT} <= tools, "the tools for stages aren't listed", tools)
    task = (await call(CLAIM, {}))["task"]
    envelope = task["envelope"]
    text = task["policy"]["constitution.md"].encode()
    check(hashlib.sha256(text).hexdigest() == envelope["constitution_sha256"],
          "the constitution isn't the one that the task names", envelope)
    held = {"task_id": task["task_id"], "fence": task["fence"]}
    refused = await call(SUBMIT, held | {"result": {}})
    check(refused["code"] == "invalid_arguments" and refused["details"]["problems"],
          "an empty result isn't refused", refused)
    done = await call(SUBMIT, held | {"result": result(envelope)})
    check(done["ok"] and done["stage_state"] == "passed", "the result doesn't count", done)
    again = await call(SUBMIT, held | {"result": result(envelope)})
    check(again["is_replay"] and again["verdict"] == done["verdict"],
          "the same result again changes something", again)


async def main() -> None:
    async with httpx2.AsyncClient(headers=HEADERS, timeout=30) as http:
        transport = streamable_http_client(os.environ["QUERYLAYER_URL"], http_client=http)
        async with Client(transport) as client:
            await play(client)
    print(version("mcp"))


anyio.run(main)
