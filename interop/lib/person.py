"""A person at the dashboard's API, who writes turns and reads what became of them."""

import http.client
import json
from urllib.parse import urlsplit

from lib.server import Quickstart


class Person:
    """The owner of a throw-away server, signed in with a link."""

    def __init__(self, server: Quickstart):
        self.api = urlsplit(server.info["api_url"])
        made = json.loads(server.command(
            "member", "sign-in-link", "owner@localhost", "--json", "--data", str(server.data)))
        link = urlsplit(made["sign_in_url"])
        landed = self.ask("GET", link.path, {})
        self.headers = {"Cookie": landed.getheader("Set-Cookie").split(";")[0]}
        self.headers["X-CSRF-Token"] = self.get("/session")["csrf_token"]

    def get(self, path: str) -> dict:
        return json.loads(self.ask("GET", self.api.path + path, self.headers).body)

    def post(self, path: str, body: dict) -> dict:
        headers = self.headers | {"Content-Type": "application/json"}
        answer = self.ask("POST", self.api.path + path, headers, json.dumps(body))
        if answer.status >= 300:
            raise AssertionError(f"POST {path} was refused: {answer.body[:500]}")
        return json.loads(answer.body)

    def ask(self, method: str, path: str, headers: dict, body: str | None = None) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(self.api.hostname, self.api.port)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.body = answer.read()
        connection.close()
        return answer
