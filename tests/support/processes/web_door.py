"""Users of a queue manager, and requests to its REST endpoint for them."""

from __future__ import annotations

import base64
import contextlib
import http.client
import itertools
import json
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from mqbridge.bridge.rest_client import RestResponse
from mqbridge.bridge.security.users_file import UsersFile
from support.processes.running_service import RunningService
from support.queue_manager.security_records import people
from support.tls.authority import Authority

SECURE = """\
listener = []
[web]
endpoint = "tcp:0:interface=127.0.0.1"
readers = ["readers"]
"""
"""A configuration with a REST endpoint for users, with TLS."""
GROUPS = {"anne": ("mqm",), "rita": ("readers",), "carl": ("clients",), "dora": ("clients",), "emil": ()}
"""Groups of the users: an administrator, a reader, two clients, and one who may nothing."""
PASSWORDS = {name: f"secret of {name}" for name in GROUPS}
WEB = """\
listener = []
[web]
endpoint = "tcp:0:interface=127.0.0.1"
plain = true
readers = ["readers"]
"""
"""A configuration with such an endpoint, without TLS."""
RIGHTS = """\
ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) FAILDLAY(0)
DEFINE QLOCAL(SHARED) REPLACE
DEFINE QLOCAL(CLOSED) REPLACE
SET AUTHREC OBJTYPE(QMGR) GROUP('clients') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('SHARED') OBJTYPE(QUEUE) GROUP('clients') AUTHADD(PUT,GET,BROWSE,INQ,DSP)
"""
"""What the clients may do; wrong passwords are answered at once."""
QMGR = "/ibmmq/rest/v2/admin/qmgr"
DEFINITIONS = "/mqbridge/v1/qmgr/EARTH/definitions"
UNIT = "/mqbridge/v1/qmgr/EARTH/unit"
SECRETS = ("secret of", "guessed", "Authorization", "Basic ", "LtpaToken2=", "PRIVATE KEY")
"""What no log has."""
COMMAND = "/ibmmq/rest/v2/admin/action/qmgr/EARTH/mqsc"
LOGIN = "/ibmmq/rest/v2/login"
SHARED = "/ibmmq/rest/v2/messaging/qmgr/EARTH/queue/SHARED/message"
CLOSED = "/ibmmq/rest/v2/messaging/qmgr/EARTH/queue/CLOSED/message"
TEXT = {"Content-Type": "text/plain"}
JSON = {"Content-Type": "application/json"}
_sources = itertools.count(2)


def with_users(service: RunningService, **passwords: str) -> RunningService:
    """Give a queue manager the users, or others; it need not run."""
    given = passwords or PASSWORDS
    UsersFile(service.data / "users").change(lambda _: people(GROUPS, **given))
    return service


def require_no_secret(service: RunningService) -> None:
    """Fail if what a queue manager wrote has something secret, or a traceback."""
    written = service.log + service.output
    assert not [secret for secret in SECRETS if secret in written]
    assert "Traceback" not in written


@contextlib.contextmanager
def running_web(folder: Path, configuration: str, **passwords: str) -> Iterator[RunningService]:
    """Run a queue manager with users and a REST endpoint for them; nothing secret may be in its log in the end."""
    file = folder / "queue-manager.toml"
    file.write_text(configuration + '[log]\nlevel = "debug"\n', encoding="utf-8")
    made = RunningService(folder, mqsc=RIGHTS, listen=None, options=("--config", str(file), "--store", "memory"))
    try:
        yield with_users(made, **passwords).start()
    finally:
        made.close()
    require_no_secret(made)


def new_source() -> str:
    """A loopback address from which no wrong password has come yet."""
    number = next(_sources)
    return f"127.0.{number // 250}.{number % 250 + 1}"


def basic(user: str, password: str) -> dict[str, str]:
    """The header with user and password."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def as_user(name: str) -> dict[str, str]:
    """The header of a user with the right password."""
    return basic(name, PASSWORDS[name])


def mqsc(text: str) -> bytes:
    """The body that runs a command."""
    return json.dumps({"type": "runCommand", "parameters": {"command": text}}).encode()


class WebDoor:
    """A REST endpoint. ``url``: its address; ``context``: of TLS."""

    def __init__(self, url: str, context: ssl.SSLContext | None = None) -> None:
        self.url = url
        self._place = urlsplit(url)
        self._context = context

    def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        *,
        token: bool = True,
        source: str = "",
    ) -> RestResponse:
        """One request on a connection of its own, whatever is answered. ``source``: address that it comes from."""
        assert self._place.hostname is not None
        own: dict[str, Any] = {"timeout": 60, "source_address": (source or new_source(), 0)}
        connection: http.client.HTTPConnection
        if self._context is None:
            connection = http.client.HTTPConnection(self._place.hostname, self._place.port, **own)
        else:
            connection = http.client.HTTPSConnection(
                self._place.hostname, self._place.port, context=self._context, **own
            )
        given = {"ibm-mq-rest-csrf-token": ""} if token else {}
        try:
            connection.request(method, path, body, {**given, **(headers or {})})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return RestResponse(response.status, found, response.read())
        finally:
            connection.close()

    def log_in(self, user: str, password: str, **options: Any) -> RestResponse:
        """Log in by IBM's API."""
        body = json.dumps({"username": user, "password": password}).encode()
        return self.ask("POST", LOGIN, JSON, body, token=False, **options)

    def cookie(self, user: str) -> dict[str, str]:
        """The header of a user who has logged in."""
        answer = self.log_in(user, PASSWORDS[user])
        assert answer.status == 204, answer.body
        return {"Cookie": answer.headers["set-cookie"].partition(";")[0]}


class SecureDoor:
    """The files of a queue manager's REST endpoint with TLS, and clients' contexts for it.

    ``authority`` has issued its certificate, and is trusted; ``folder`` gets the files of clients.
    """

    def __init__(self, service: RunningService, folder: Path) -> None:
        self.authority = Authority()
        self.service = service
        self.folder = folder
        self.keys = service.data / "ssl"
        self.authority.issue("O=Space,CN=EARTH").save(self.keys / "ibmwebspheremqearth.pem")
        self.trust = self.authority.trust_file(self.keys / "trusted" / "authority.pem")

    @property
    def url(self) -> str:
        """Where it is."""
        return str(self.service.ready["web"])

    def certificate(self, name: str, authority: Authority | None = None, **options: Any) -> Path:
        """The file of a client's certificate and key."""
        issued = (authority or self.authority).issue(f"O=Space,CN={name}", hosts=(), **options)
        return issued.save(self.folder / f"{name}-{next(_sources)}.pem")

    def door(self, certificate: Path | None = None) -> WebDoor:
        """The endpoint for a client, with a certificate or without."""
        context = ssl.create_default_context(cafile=str(self.trust))
        if certificate is not None:
            context.load_cert_chain(certificate)
        return WebDoor(self.url, context)
