"""How harnesses speak with a model: Anthropic's messages, OpenAI's completions and responses."""

import json
import uuid
from typing import Protocol

USAGE = {"input_tokens": 1, "output_tokens": 1}


class Dialect(Protocol):
    """What the scripted model needs of one of them."""

    path: str

    def tools(self, request: dict) -> set[str]:
        """The names of the tools that are offered."""

    def results(self, request: dict) -> dict[str, str]:
        """What the calls so far came to, by the call's id."""

    def call(self, call: "Call", stream: bool) -> dict | str:
        """A move that calls a tool."""

    def words(self, text: str, stream: bool) -> dict | str:
        """A move that ends the turn."""


def events(*messages: dict) -> str:
    return "".join(f"event: {m['type']}\ndata: {json.dumps(m)}\n\n" for m in messages)


def texts(content: str | list) -> str:
    """The text of a content, which is one string or a list of blocks."""
    if isinstance(content, str):
        return content
    return "".join(block.get("text", "") for block in content)


class Messages:
    """POST /v1/messages."""

    path = "/v1/messages"

    def tools(self, request: dict) -> set[str]:
        return {tool["name"] for tool in request.get("tools") or []}

    def results(self, request: dict) -> dict[str, str]:
        contents = [message["content"] for message in request["messages"]]
        blocks = [block for content in contents if isinstance(content, list) for block in content]
        return {block["tool_use_id"]: texts(block["content"])
                for block in blocks if block["type"] == "tool_result"}

    def call(self, call: "Call", stream: bool) -> dict | str:
        block = {"type": "tool_use", "id": call.id, "name": call.tool}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(call.arguments)}
        return self.message(block, "input", {}, call.arguments, delta, "tool_use", stream)

    def words(self, text: str, stream: bool) -> dict | str:
        delta = {"type": "text_delta", "text": text}
        return self.message({"type": "text"}, "text", "", text, delta, "end_turn", stream)

    def message(self, block, key, empty, value, delta, reason, stream) -> dict | str:
        head = {"id": f"msg_{uuid.uuid4().hex}", "type": "message", "role": "assistant",
                "model": "scripted", "content": [], "stop_reason": None, "stop_sequence": None,
                "usage": USAGE}
        if not stream:
            return head | {"content": [block | {key: value}], "stop_reason": reason}
        return events(
            {"type": "message_start", "message": head},
            {"type": "content_block_start", "index": 0, "content_block": block | {key: empty}},
            {"type": "content_block_delta", "index": 0, "delta": delta},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None},
             "usage": {"output_tokens": 1}},
            {"type": "message_stop"},
        )


class Completions:
    """POST /v1/chat/completions."""

    path = "/chat/completions"

    def tools(self, request: dict) -> set[str]:
        return {tool["function"]["name"] for tool in request.get("tools") or []}

    def results(self, request: dict) -> dict[str, str]:
        return {message["tool_call_id"]: texts(message["content"])
                for message in request["messages"] if message["role"] == "tool"}

    def call(self, call: "Call", stream: bool) -> dict | str:
        function = {"name": call.tool, "arguments": json.dumps(call.arguments)}
        entry = {"index": 0, "id": call.id, "type": "function", "function": function}
        return self.completion({"content": None, "tool_calls": [entry]}, "tool_calls", stream)

    def words(self, text: str, stream: bool) -> dict | str:
        return self.completion({"content": text}, "stop", stream)

    def completion(self, message: dict, reason: str, stream: bool) -> dict | str:
        key, kind = ("delta", "chat.completion.chunk") if stream else ("message", "chat.completion")
        head = {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": 1,
                "model": "scripted"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        choice = {"index": 0, key: {"role": "assistant"} | message, "finish_reason": reason}
        whole = head | {"choices": [choice], "usage": usage}
        if not stream:
            return whole
        first = head | {"choices": [choice | {"finish_reason": None}]}
        last = head | {"choices": [choice | {key: {}}], "usage": usage}
        return "".join(f"data: {json.dumps(part)}\n\n" for part in (first, last)) + "data: [DONE]\n\n"


class Responses:
    """POST /v1/responses. Codex puts the tools of each server into a namespace."""

    path = "/responses"

    def tools(self, request: dict) -> set[str]:
        names = set()
        for tool in request.get("tools") or []:
            if tool.get("type") == "namespace":
                names |= {f"{tool['name']}__{inner['name']}" for inner in tool["tools"]}
            elif "name" in tool:
                names.add(tool["name"])
        return names

    def results(self, request: dict) -> dict[str, str]:
        return {item["call_id"]: texts(item["output"])
                for item in request["input"] if item.get("type") == "function_call_output"}

    def call(self, call: "Call", stream: bool) -> dict | str:
        namespace, _, name = call.tool.rpartition("__")
        item = {"type": "function_call", "id": f"fc_{uuid.uuid4().hex}", "name": name,
                "namespace": namespace, "call_id": call.id, "arguments": json.dumps(call.arguments)}
        return self.response(item, stream)

    def words(self, text: str, stream: bool) -> dict | str:
        part = {"type": "output_text", "text": text, "annotations": []}
        item = {"type": "message", "id": f"msg_{uuid.uuid4().hex}", "role": "assistant",
                "content": [part]}
        return self.response(item, stream)

    def response(self, item: dict, stream: bool) -> dict | str:
        usage = USAGE | {"total_tokens": 2}
        whole = {"id": f"resp_{uuid.uuid4().hex}", "object": "response", "status": "completed",
                 "output": [item], "usage": usage}
        if not stream:
            return whole
        return events(
            {"type": "response.created", "response": whole | {"status": "in_progress", "output": []}},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        )


DIALECTS: tuple[Dialect, ...] = (Messages(), Completions(), Responses())
