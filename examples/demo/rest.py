"""A program's way to a queue manager: its REST endpoint, HTTP over a Unix socket. Standard library only."""

from __future__ import annotations

import http.client
import json
import socket
from typing import Any
from urllib.parse import urlencode

PATIENCE = 60.0
"""Seconds that an answer may take."""
JSON_LINES = "application/x-ndjson"


class Gone(Exception):
    """The queue manager is not there, or went away before it had answered."""


class Refused(Exception):
    """The queue manager has answered with an error."""


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=PATIENCE)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class Rest:
    """One program at one queue manager. ``admin`` is what the ready file says: ``unix:/…/admin.sock``.

    Messages are dictionaries in the form of ``mqbridge get --json``.
    """

    def __init__(self, admin: str, queue_manager: str) -> None:
        self._connection = _UnixConnection(admin.removeprefix("unix:"))
        self._messaging = f"/ibmmq/rest/v2/messaging/qmgr/{queue_manager}/queue"
        self._action = f"/ibmmq/rest/v2/admin/action/qmgr/{queue_manager}/mqsc"
        self._units = f"/mqbridge/v1/qmgr/{queue_manager}/unit"

    def put(
        self, queue: str, messages: list[dict[str, Any]], *, queue_manager: str = "", unit: str | None = None
    ) -> None:
        """Puts messages, all or none; without ``unit`` they are on disk when this returns."""
        lines = "".join(json.dumps(message) + "\n" for message in messages)
        query = "?" + urlencode({"rqmname": queue_manager}) if queue_manager else ""
        self._ask("POST", f"{self._messaging}/{queue}/message{query}", lines.encode(), unit)

    def get(self, queue: str, *, limit: int, wait: float = 0.0, unit: str | None = None) -> list[dict[str, Any]]:
        """Takes up to ``limit`` messages off a queue; waits so many seconds for the first."""
        return self._messages("DELETE", queue, limit, wait, unit)

    def browse(self, queue: str, *, limit: int) -> list[dict[str, Any]]:
        """Looks at messages, which stay."""
        return self._messages("GET", queue, limit, 0.0, None)

    def begin(self) -> str:
        """Opens a unit of work; it is backed out when this connection ends without a commit."""
        return str(json.loads(self._ask("POST", self._units, b'{"connection": true}'))["unit"])

    def commit(self, unit: str) -> None:
        """Commits: all that was got and put in the unit is done, on disk, when this returns."""
        self._ask("POST", f"{self._units}/{unit}/commit")

    def backout(self, unit: str) -> None:
        """Backs out: nothing of it has happened."""
        self._ask("POST", f"{self._units}/{unit}/backout")

    def attribute(self, kind: str, name: str, attribute: str) -> Any:
        """One attribute of an object, as DISPLAY shows it."""
        command = {"type": "runCommandJSON", "command": "display", "qualifier": kind, "name": name}
        body = json.dumps({**command, "responseParameters": [attribute]}).encode()
        answer = json.loads(self._ask("POST", self._action, body))
        return answer["commandResponse"][0]["parameters"][attribute]

    def close(self) -> None:
        """Ends the connection."""
        self._connection.close()

    def _messages(self, method: str, queue: str, limit: int, wait: float, unit: str | None) -> list[dict[str, Any]]:
        query = urlencode({"limit": limit, "wait": round(wait * 1000), "body": "text"})
        answer = self._ask(method, f"{self._messaging}/{queue}/message?{query}", b"", unit)
        return [json.loads(line) for line in answer.splitlines()]

    def _ask(self, method: str, path: str, body: bytes = b"", unit: str | None = None) -> bytes:
        headers = {"ibm-mq-rest-csrf-token": "", "Accept": JSON_LINES}
        if body:
            headers["Content-Type"] = JSON_LINES if path.startswith(self._messaging) else "application/json"
        if unit is not None:
            headers["mqbridge-unit"] = unit
        try:
            self._connection.request(method, path, body, headers)
            response = self._connection.getresponse()
            answer = response.read()
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            raise Gone(f"{type(error).__name__}: {error}") from error
        if response.status >= 400:
            raise Refused(f"{method} {path}: {response.status} {answer.decode(errors='replace')}")
        return answer
