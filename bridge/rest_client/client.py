"""Requests to the admin endpoint over one connection at a time."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Final, Self
from urllib.parse import quote, urlencode

from .address import Address
from .errors import EndpointNotReachable, RestFailure, failure_of

NDJSON: Final = "application/x-ndjson"
OCTETS: Final = "application/octet-stream"
CONNECT_TIMEOUT: Final = 10.0
"""Seconds for the endpoint to accept a connection; responses have no limit."""
MAX_ERROR_BODY: Final = 1 << 20
_READ_SIZE: Final = 1 << 16
_SEND_SIZE: Final = 1 << 18
_ALERT: Final = b"\x15"
"""First byte of a TLS record with an alert."""
_TOKEN: Final = {"ibm-mq-rest-csrf-token": "mqbridge"}

Body = bytes | IO[bytes] | Iterable[bytes]


class _UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=CONNECT_TIMEOUT, blocksize=_SEND_SIZE)
        self._path = path

    def connect(self) -> None:
        """Open the socket."""
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(slots=True)
class RestResponse:
    """A response: HTTP ``status``, ``headers`` by lower-case name, ``body``."""

    status: int
    headers: dict[str, str]
    body: bytes = b""

    @property
    def document(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)


class RestClient:
    """A client of one queue manager. Not thread-safe.

    All methods raise `EndpointNotReachable` if there is no answer and `RestFailure` for an error response. ``agent``
    becomes PutApplName.
    """

    def __init__(self, address: Address, agent: str = "mqbridge") -> None:
        self.address = address
        self.agent = agent
        self._name = address.queue_manager
        self._user = _credentials(address)
        self._connection: http.client.HTTPConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; its units of work are backed out."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    @property
    def queue_manager(self) -> str:
        """Return its name."""
        if not self._name:
            self._name = str(self.call("GET", "/ibmmq/rest/v2/admin/qmgr").document["qmgr"][0]["name"])
        return self._name

    # Requests

    def call(
        self,
        method: str,
        path: str,
        body: Body | None = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> RestResponse:
        """Send a request and return the whole response. A body of unknown length is sent in chunks."""
        response = self._send(method, path, body, headers, query)
        try:
            return RestResponse(response.status, _headers(response), response.read())
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise EndpointNotReachable(
                f"the answer of {self.address} was cut off: {error or 'connection closed'}"
            ) from error

    def chunks(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, query: Mapping[str, str] | None = None
    ) -> Iterator[bytes]:
        """Send a request and yield the response as it arrives."""
        response = self._send(method, path, None, headers, query)
        try:
            while data := response.read1(_READ_SIZE):
                yield data
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise EndpointNotReachable(
                f"the answer of {self.address} was cut off: {error or 'connection closed'}"
            ) from error
        finally:
            if not response.isclosed():
                self.close()

    def _send(
        self,
        method: str,
        path: str,
        body: Body | None,
        headers: Mapping[str, str] | None,
        query: Mapping[str, str] | None,
    ) -> http.client.HTTPResponse:
        if query:
            path = f"{path}?{urlencode(query)}"
        everything = {"User-Agent": self.agent, **_TOKEN, **self._user, **(headers or {})}
        try:
            connection = self._connected()
            connection.request(method, path, body=body, headers=everything)
            response = connection.getresponse()
            if response.status >= 400:
                raise _failure(response)
        except http.client.BadStatusLine as error:
            self.close()
            closed = isinstance(error, http.client.RemoteDisconnected)
            what = "connection closed" if closed else "what answers there speaks no HTTP; give its admin endpoint"
            raise EndpointNotReachable(f"no queue manager answers at {self.address}: {what}") from error
        except (OSError, http.client.HTTPException) as error:
            self.close()
            reason = _words(error)
            raise EndpointNotReachable(f"no queue manager answers at {self.address}: {reason}") from error
        return response

    def _connected(self) -> http.client.HTTPConnection:
        if self._connection is not None and _is_over(self._connection):
            self.close()
        if self._connection is None:
            connection = _connection(self.address)
            try:
                connection.connect()
            except BaseException:
                connection.close()
                raise
            connection.sock.settimeout(None)
            self._connection = connection
        return self._connection

    # Commands

    def mqsc(self, command: str) -> dict[str, Any]:
        """Run one MQSC command; return the reply of ``runCommand``."""
        return self.run_json({"type": "runCommand", "parameters": {"command": command}})

    def run_json(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Run the command of a document of ``runCommand`` or ``runCommandJSON``; return its reply."""
        path = f"/ibmmq/rest/v2/admin/action/qmgr/{_quoted(self.queue_manager)}/mqsc"
        reply: dict[str, Any] = self.call("POST", path, json.dumps(document).encode(), _json_type()).document
        return reply

    def definitions(self) -> str:
        """Return all definitions as MQSC."""
        return self.call("GET", self.own_path("definitions")).body.decode()

    # Messages

    def message_path(self, queue: str) -> str:
        """Return the path of a queue's messages."""
        return f"/ibmmq/rest/v2/messaging/qmgr/{_quoted(self.queue_manager)}/queue/{_quoted(queue)}/message"

    def put(
        self,
        queue: str,
        data: Body,
        fields: Mapping[str, Any] | None = None,
        *,
        unit: Unit | None = None,
        query: Mapping[str, str] | None = None,
    ) -> str:
        """Put one message; ``fields`` of its descriptor by IBM's names. Returns its id in hexadecimal.

        ``data`` may be a file, read from its position on, or an iterable of pieces.
        """
        headers = {"Content-Type": OCTETS, **_unit_header(unit)}
        if hasattr(data, "seek"):
            here = data.tell()
            headers["Content-Length"] = str(data.seek(0, 2) - here)
            data.seek(here)
        headers.update((f"mqbridge-md-{name}", str(value)) for name, value in (fields or {}).items())
        answer = self.call("POST", self.message_path(queue), data, headers, query)
        return answer.headers["ibm-mq-md-messageid"]

    def put_lines(
        self, queue: str, lines: bytes, *, unit: Unit | None = None, query: Mapping[str, str] | None = None
    ) -> list[str]:
        """Put messages in the JSON form, one per line, all or none; return their ids."""
        headers = {"Content-Type": NDJSON, **_unit_header(unit)}
        answer = self.call("POST", self.message_path(queue), lines, headers, query)
        return [json.loads(line)["messageId"] for line in answer.body.splitlines()]

    def read(
        self,
        queue: str,
        *,
        takes: bool,
        limit: int = 1,
        wait: float = 0,
        unit: Unit | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Iterator[bytes]:
        """Get or browse up to ``limit`` messages as JSON lines, in pieces as they arrive; ``wait`` in seconds.

        Fewer messages are got per request if they are long.
        """
        asked = {"limit": str(limit), "wait": str(int(wait * 1000)), **(query or {})}
        headers = {"Accept": NDJSON, **_unit_header(unit)}
        return self.chunks("DELETE" if takes else "GET", self.message_path(queue), headers, asked)

    def messages(
        self, queue: str, *, takes: bool, limit: int = 1, wait: float = 0, unit: Unit | None = None
    ) -> list[Any]:
        """Get or browse up to ``limit`` messages, each as a dictionary of the JSON form."""
        found = b"".join(self.read(queue, takes=takes, limit=limit, wait=wait, unit=unit))
        return [json.loads(line) for line in found.split(b"\n") if line]

    # Units of work

    def unit(self, *, separate: bool = False, connection: bool = False) -> Unit:
        """Begin a unit of work."""
        options = json.dumps({"separate": separate, "connection": connection}).encode()
        return Unit(self, str(self.call("POST", self.own_path("unit"), options, _json_type()).document["unit"]))

    def own_path(self, rest: str) -> str:
        """Return the path of a resource that IBM's API does not have."""
        return f"/mqbridge/v1/qmgr/{_quoted(self.queue_manager)}/{rest}"


def _credentials(address: Address) -> dict[str, str]:
    """Return the header with user and password, if there are any."""
    if not address.user:
        return {}
    encoded = base64.b64encode(f"{address.user}:{address.password}".encode()).decode("ascii")
    return {"Authorization": f"Basic {encoded}"}


def _connection(address: Address) -> http.client.HTTPConnection:
    """Return a connection that is not open yet. Raises `EndpointNotReachable` if files of TLS cannot be used."""
    if address.socket:
        return _UnixConnection(address.socket)
    place: dict[str, Any] = {"port": address.port, "timeout": CONNECT_TIMEOUT, "blocksize": _SEND_SIZE}
    if not address.secure:
        return http.client.HTTPConnection(address.host, **place)
    try:
        context = ssl.create_default_context(cafile=address.trusted or None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if address.certificate:
            context.load_cert_chain(address.certificate)
    except OSError as error:
        files = " or ".join(file for file in (address.trusted, address.certificate) if file)
        raise EndpointNotReachable(f"{files} cannot be used: {_words(error)}") from error
    return http.client.HTTPSConnection(address.host, context=context, **place)


def _is_over(connection: http.client.HTTPConnection) -> bool:
    """Return whether the endpoint has closed an idle connection."""
    if connection.sock is None:
        return True
    try:  # the bytes on the wire, also with TLS, where an alert ends the connection
        found = socket.socket.recv(connection.sock, 1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        return not found or (isinstance(connection.sock, ssl.SSLSocket) and found == _ALERT)
    except BlockingIOError:
        return False
    except OSError:
        return True


class Unit:
    """A unit of work at the queue manager, by its ``id``. It is backed out after 30 seconds without a request."""

    def __init__(self, client: RestClient, name: str) -> None:
        self._client = client
        self.id = name

    def commit(self, messages: int | None = None) -> None:
        """Commit; for a separate unit, only the first ``messages``."""
        query = None if messages is None else {"messages": str(messages)}
        self._client.call("POST", self._client.own_path(f"unit/{self.id}/commit"), b"", query=query)

    def backout(self) -> None:
        """Back out."""
        self._client.call("POST", self._client.own_path(f"unit/{self.id}/backout"), b"")


def _words(error: Exception) -> str:
    """Say why there is no connection."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted: {error.verify_message}"
    return str(getattr(error, "strerror", None) or error or "connection closed")


def _failure(response: http.client.HTTPResponse) -> RestFailure:
    body = response.read(MAX_ERROR_BODY)
    try:
        return failure_of(response.status, json.loads(body))
    except ValueError:
        return RestFailure(response.status, 0, f"HTTP status {response.status} {response.reason}")


def _headers(response: http.client.HTTPResponse) -> dict[str, str]:
    return {name.lower(): value for name, value in response.getheaders()}


def _quoted(name: str) -> str:
    return quote(name, safe="")


def _json_type() -> dict[str, str]:
    return {"Content-Type": "application/json"}


def _unit_header(unit: Unit | None) -> dict[str, str]:
    return {} if unit is None else {"mqbridge-unit": unit.id}
