"""POST requests as messages: answered once they are on disk, by the users that may send, and each key once."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mqbridge.bridge.inputs import InputError
from mqbridge.bridge.inputs.http import DoorSettings, HttpInput, keys
from mqbridge.bridge.inputs.http.keys import Known, TakenKeys, identity_of
from mqbridge.bridge.security import Users
from support.processes.failing_starts import FailingStarts
from support.processes.running_service import MakeService, RunningService, wait_for
from support.processes.web_door import WebDoor, as_user, require_no_secret, with_users
from support.tls.authority import Authority

MQSC = """
DEFINE QLOCAL(OUT) MAXMSGL(50000)
DEFINE QLOCAL(BYTES)
DEFINE QLOCAL(SLOW)
DEFINE QLOCAL(BAD)
"""
CONFIGURATION = """
[queue_manager]
name = "EARTH"

[[route]]
name = "orders"
input = { kind = "http", endpoint = "tcp:0:interface=127.0.0.1", path = "/orders", plain = true, wait = 1 }
steps = [{ set = "Properties.Priority", value = 7 }]
to = "OUT"
error = "BAD"

[[route]]
name = "users"
to = "BYTES"
[route.input]
kind = "http"
endpoint = "tcp:0:interface=127.0.0.1"
plain = true
users = ["carl", "auditors"]
max_length = "1 KiB"
require_key = true
format = "SHOPORD"

[[route]]
name = "slow"
input = { kind = "http", endpoint = "tcp:0:interface=127.0.0.1", plain = true, persistent = false }
steps = [{ python = "slowly:take", time_limit = 60 }]
to = "SLOW"
"""
SECURE = """
[[route]]
name = "secure"
input = { kind = "http", endpoint = "tcp:0:interface=127.0.0.1", users = ["clients"] }
to = "BYTES"

[[route]]
name = "open"
input = { kind = "http", endpoint = "tcp:0", path = "/a b", plain = true, anonymous = true }
to = "BYTES"
"""
SLOWLY = """
import time
from pathlib import Path

def take(message):
    while not Path(__file__).with_name("go").exists():
        time.sleep(0.01)
    return message
"""
AUTHORITY = Authority()


class Sender:
    """A program that posts to an input."""

    def __init__(self, service: RunningService, route: str, path: str = "/") -> None:
        self._service = service
        self._route = route
        self._path = path

    def connect(self) -> http.client.HTTPConnection:
        """A new connection."""
        _, _, address = str(self._service.ready["inputs"][self._route]).partition("://")
        return http.client.HTTPConnection(address, timeout=30)

    def post(
        self, body: bytes, *, method: str = "POST", path: str = "", **headers: str
    ) -> tuple[int, dict[str, Any], dict[str, str]]:
        """One request: status, document and headers of the answer. Underlines in names of headers are hyphens."""
        connection = self.connect()
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path or self._path, body, {"Content-Type": "text/plain", **given})
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"{}"), dict(response.getheaders())
        finally:
            connection.close()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("http")
    (folder / "slowly.py").write_text(SLOWLY)
    (folder / "http.toml").write_text(CONFIGURATION + SECURE)
    made = RunningService(folder / "EARTH", mqsc=MQSC, options=("--config", str(folder / "http.toml")))
    made.recordings = None
    AUTHORITY.issue("O=Space,CN=EARTH").save(made.data / "ssl" / "ibmwebspheremqearth.pem")
    AUTHORITY.trust_file(made.data / "ssl" / "trusted" / "authority.pem")
    with_users(made)
    yield made.start()
    made.close()
    require_no_secret(made)


@pytest.fixture
def orders(service: RunningService) -> Sender:
    service.mqsc("CLEAR QLOCAL(OUT)")
    return Sender(service, "orders", "/orders")


@pytest.mark.parametrize(
    ("content_type", "body", "form", "ccsid"),
    [
        ("text/plain", "grün".encode(), "MQSTR", 1208),
        ("text/xml; charset=ISO-8859-1", "grün".encode("latin-1"), "MQSTR", 819),
        ("application/json", b"{}", "MQSTR", 1208),
        ('application/soap+xml; charset="utf-8"', b"<a/>", "MQSTR", 1208),
        ("text/plain; charset=UTF-16LE", "grün".encode("utf-16-le"), "MQSTR", 1202),
        ("application/octet-stream", b"\xff\0", "", 1208),
        ("image/png", b"\x89PNG", "", 1208),
    ],
)
def test_the_content_type_decides_format_and_code_page(
    service: RunningService, orders: Sender, content_type: str, body: bytes, form: str, ccsid: int
) -> None:
    assert orders.post(body, Content_Type=content_type)[:2] == (200, {"taken": "now"})
    (found,) = service.browse("OUT")
    assert (found["MQMD"]["Format"], found["MQMD"]["CodedCharSetId"]) == (form, ccsid)
    assert found["MQMD"]["Priority"] == 7
    assert found["MQMD"]["Persistence"] == 1


def test_a_request_with_the_same_key_is_taken_once(service: RunningService, orders: Sender) -> None:
    assert orders.post(b"one", Idempotency_Key="k1")[:2] == (200, {"taken": "now"})
    assert orders.post(b"one", Idempotency_Key="k1")[:2] == (200, {"taken": "before"})
    status, document, _ = orders.post(b"other", Idempotency_Key="k1")
    assert (status, "another message with this key" in document["error"][0]["message"]) == (422, True)
    assert orders.post(b"one", Idempotency_Key="k2")[0] == 200
    assert [orders.post(b"bare")[0] for _ in range(2)] == [200, 200]
    assert service.depth("OUT") == 4


@pytest.mark.parametrize(
    ("status", "what", "request_"),
    [
        (404, "nothing at /", {"path": "/"}),
        (404, "nothing at /orders/", {"path": "/orders/"}),
        (405, "GET is not for", {"method": "GET"}),
        (405, "PUT is not for", {"method": "PUT"}),
        (415, "charset", {"Content_Type": "text/plain; charset=klingon"}),
        (415, "compressed", {"Content_Encoding": "gzip"}),
        (400, "not text of its charset", {"body": b"\xff"}),
        (400, "Idempotency-Key", {"Idempotency_Key": "k" * 256}),
        (400, "Idempotency-Key", {"Idempotency_Key": ""}),
        (413, "longer than 4194304 bytes", {"body": bytes(4194305)}),
        (403, "Origin", {"Origin": "http://elsewhere.example"}),
        (403, "Host", {"Host": "elsewhere.example"}),
    ],
)
def test_wrong_requests_are_refused_and_others_go_on(
    service: RunningService, orders: Sender, status: int, what: str, request_: dict[str, Any]
) -> None:
    given, document, _ = orders.post(**{"body": b"x", **request_})
    assert (given, what in document["error"][0]["message"]) == (status, True), document
    assert orders.post(b"good")[0] == 200
    assert service.depth("OUT") == 1


def test_a_body_in_chunks_that_is_too_long_is_refused(service: RunningService, orders: Sender) -> None:
    connection = orders.connect()
    headers = {"Transfer-Encoding": "chunked", "Content-Type": "application/octet-stream"}
    connection.request("POST", "/orders", iter([bytes(1 << 20)] * 5), headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()
    assert service.depth("OUT") == 0


def test_a_body_that_is_not_whole_is_no_message(service: RunningService, orders: Sender) -> None:
    connection = orders.connect()
    connection.putrequest("POST", "/orders")
    connection.putheader("Content-Length", "100")
    connection.endheaders(b"half")
    connection.close()
    assert orders.post(b"good")[0] == 200
    assert service.depth("OUT") == 1


def test_a_message_that_fails_is_kept_and_counts_as_taken(service: RunningService, orders: Sender) -> None:
    assert orders.post(bytes(60000), Content_Type="a/b")[:2] == (200, {"taken": "now"})
    (failed,) = service.browse("BAD")
    assert failed["headers"][0]["fields"]["Reason"] == 2030
    service.mqsc("CLEAR QLOCAL(BAD)")


def test_what_cannot_be_put_in_time_is_not_taken(service: RunningService, orders: Sender) -> None:
    service.mqsc("ALTER QLOCAL(OUT) PUT(DISABLED)")
    begun = time.monotonic()
    status, document, headers = orders.post(b"late", Idempotency_Key="late")
    assert (status, headers["Retry-After"]) == (503, "5")
    assert "takes no messages now" in document["error"][0]["message"]
    assert 0.9 < time.monotonic() - begun < 10
    service.mqsc("ALTER QLOCAL(OUT) PUT(ENABLED)")
    wait_for("the route", lambda: orders.post(b"late", Idempotency_Key="late")[0] == 200)
    assert [message["body"]["text"] for message in service.browse("OUT")] == ["late"]


def test_a_stopped_route_takes_nothing(service: RunningService, orders: Sender) -> None:
    service.command("routes", "--stop", "orders")
    assert orders.post(b"x")[0] == 503
    service.command("routes", "--start", "orders")
    assert orders.post(b"x")[0] == 200


def test_a_key_whose_request_is_in_progress_is_in_conflict(service: RunningService) -> None:
    slow, found = Sender(service, "slow"), list[int]()
    both = [threading.Thread(target=lambda: found.append(slow.post(b"x", Idempotency_Key="k")[0])) for _ in range(2)]
    for each in both:
        each.start()
    wait_for("the conflict", lambda: found == [409])
    (service.folder.parent / "go").touch()
    for each in both:
        each.join(30)
    assert (found, slow.post(b"x", Idempotency_Key="k")[1]) == ([409, 200], {"taken": "before"})
    (message,) = service.browse("SLOW")
    assert message["MQMD"]["Persistence"] == 0


def test_users_alone_may_send_where_they_are_named(service: RunningService) -> None:
    users = Sender(service, "users")
    key = {"Idempotency_Key": "1"}
    assert users.post(b"x", **key)[0] == 401
    assert users.post(b"x", Authorization=as_user("rita")["Authorization"], **key)[0] == 403
    carl = as_user("carl")["Authorization"]
    assert users.post(b"x", Authorization=carl)[0] == 400
    assert users.post(bytes(1025), Authorization=carl, **key)[0] == 413
    assert users.post(b"x", Authorization=carl, **key)[:2] == (200, {"taken": "now"})
    (found,) = service.browse("BYTES")
    assert (found["MQMD"]["Format"], found["MQMD"]["UserIdentifier"]) == ("SHOPORD", "carl")


def test_inside_tls_passwords_and_certificates_say_who_sends(service: RunningService, tmp_path: Path) -> None:
    service.mqsc("CLEAR QLOCAL(BYTES)")
    context = ssl.create_default_context(cafile=str(AUTHORITY.trust_file(tmp_path / "authority.pem")))
    door = WebDoor(str(service.ready["inputs"]["secure"]), context)
    assert door.url.startswith("https://")
    assert door.ask("POST", "/", {"Content-Type": "text/plain"}, b"nobody", token=False).status == 401
    assert door.ask("POST", "/", as_user("carl"), b"by password", token=False).status == 200
    context.load_cert_chain(AUTHORITY.issue("O=Space,CN=dora", hosts=()).save(tmp_path / "dora.pem"))
    assert door.ask("POST", "/", {}, b"by certificate", token=False).status == 200
    assert [each["MQMD"]["UserIdentifier"] for each in service.browse("BYTES")] == ["carl", "dora"]


def test_everybody_may_send_where_that_is_allowed(service: RunningService) -> None:
    service.mqsc("CLEAR QLOCAL(BYTES)")
    url = str(service.ready["inputs"]["open"])
    assert url.startswith("http://0.0.0.0:")
    door = WebDoor(url.replace("0.0.0.0", "127.0.0.1"))
    binary = {"Content-Type": "application/octet-stream"}
    assert door.ask("POST", "/a%20b", binary, bytes(3 << 20), token=False).status == 200
    assert door.ask("POST", "/a%20b", {**binary, "Authorization": "Basic rubbish"}, b"x", token=False).status == 200
    assert [len(each["body"]["hex"]) // 2 for each in service.browse("BYTES")] == [3 << 20, 1]


def test_a_silent_connection_holds_nothing_up(service: RunningService, orders: Sender) -> None:
    _, _, address = str(service.ready["inputs"]["orders"]).partition("://")
    host, _, port = address.rpartition(":")
    with socket.create_connection((host, int(port))) as silent:
        silent.sendall(b"POST /orders HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le")
        assert orders.post(b"x")[0] == 200
    with socket.create_connection((host, int(port))) as rubbish:
        rubbish.sendall(b"\x16\x03\x01 rubbish\r\n\r\n")
        rubbish.settimeout(5)
        assert not rubbish.recv(100).startswith(b"HTTP/1.1 200")


def test_a_repeated_request_is_not_doubled_though_the_queue_manager_is_killed(
    make_service: MakeService, tmp_path: Path
) -> None:
    (tmp_path / "http.toml").write_text(CONFIGURATION.partition('[[route]]\nname = "users"')[0])
    service = make_service(mqsc=MQSC, options=("--config", str(tmp_path / "http.toml")))
    sender, sent = Sender(service, "orders", "/orders"), itertools.count()
    begun: list[int] = []

    def post() -> None:
        with contextlib.suppress(OSError, http.client.HTTPException):
            while True:
                number = next(sent)
                begun.append(number)
                sender.post(b"%d" % number, Idempotency_Key=f"key {number}")

    threads = [threading.Thread(target=post) for _ in range(4)]
    for thread in threads:
        thread.start()
    wait_for("some messages", lambda: len(begun) > 40)
    service.restart(kill=True)
    for thread in threads:
        thread.join(30)
    sender = Sender(service, "orders", "/orders")
    before = [sender.post(b"%d" % each, Idempotency_Key=f"key {each}")[1]["taken"] for each in begun]
    assert before.count("before") > 30
    texts = [message["body"]["text"] for message in service.browse("OUT")]
    assert sorted(texts) == sorted(map(str, begun))


class Nowhere:
    """A sink and an opener of endpoints that are reached by others; see `Sink`, `OpenDoor`."""

    local = False
    url = ""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def identities(self) -> dict[bytes, bytes]:
        """None."""
        return {}

    def later(self, seconds: float, call: Any) -> Any:
        """Never."""
        return lambda: None

    async def open(self, settings: DoorSettings) -> Nowhere:
        """This one."""
        return self


@pytest.mark.parametrize(
    ("changed", "key", "what"),
    [
        ({"endpoint": "tcp:8080"}, "endpoint", "everybody could send; name 'users', or allow it"),
        ({"users": ["carl"]}, "plain", "passwords would pass in clear"),
        ({"path": "orders"}, "path", "'path' begins with a slash"),
        ({"wait": 100000}, "wait", "'wait' is at most"),
        ({"wait": 0}, "wait", "'wait': expected a number of seconds"),
        ({"max_length": "1 GiB"}, "max_length", "at most 104857600 bytes"),
        ({"certificate": "x"}, "certificate", "a certificate is for TLS"),
        ({"plane": True}, "plane", "unknown key 'plane'; did you mean 'plain'?"),
        ({"ccsid": -1}, "ccsid", "a whole number from 1"),
        ({"endpoint": "ssl:0"}, "endpoint", "endpoints are tcp"),
        ({"endpoint": 5}, "endpoint", "expected text in quotes"),
        ({"anonymous": True, "users": ["carl"]}, "anonymous", "'anonymous' is for an input without 'users'"),
        ({"users": "carl"}, "users", "an array"),
    ],
)
def test_wrong_settings(tmp_path: Path, changed: dict[str, Any], key: str, what: str) -> None:
    nowhere = Nowhere(tmp_path)
    given = {"endpoint": "tcp:0", "plain": True, **changed}
    with pytest.raises(InputError) as caught:
        HttpInput(given, nowhere, nowhere.open, Users).start().send(None)  # type: ignore[arg-type]
    assert (caught.value.key, what in str(caught.value)) == (key, True), str(caught.value)


def test_an_endpoint_is_needed(tmp_path: Path) -> None:
    nowhere = Nowhere(tmp_path)
    with pytest.raises(InputError, match="there is no 'endpoint'"):
        HttpInput({}, nowhere, nowhere.open, Users)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("was", "becomes", "status", "what"),
    [
        ("plain = true, wait", "wait", 2, "has no certificate"),
        ("tcp:0:interface=127.0.0.1", "tcp:PORT:interface=127.0.0.1", 3, "Address already in use"),
    ],
)
def test_an_endpoint_that_cannot_be_prevents_the_start(
    failing_starts: FailingStarts, tmp_path: Path, was: str, becomes: str, status: int, what: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        (tmp_path / "slowly.py").write_text(SLOWLY)
        text = CONFIGURATION.replace(was, becomes.replace("PORT", str(taken.getsockname()[1])), 1)
        (tmp_path / "wrong.toml").write_text(text)
        found, log = failing_starts.start(tmp_path, "--config", str(tmp_path / "wrong.toml"))
    assert found == status
    assert what in log
    assert "wrong.toml, line 7: route 'orders'" in log


def test_keys_are_forgotten_when_they_are_old_or_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, third = (identity_of("carl", name) for name in "abc")
    known = TakenKeys({second: TakenKeys.mark(b"2", 20), first: TakenKeys.mark(b"1", 10), third: b""}, 30)
    assert [known.known(each, b"1") for each in (first, second, third)] == [Known.SAME, Known.OTHER, Known.SAME]
    assert known.known(identity_of("rita", "a"), b"1") is Known.NEW
    assert known.forget(15) == [first]
    monkeypatch.setattr(keys, "MAX_KEYS", 1)
    assert known.forget(15) == [second]
    known.add(first, TakenKeys.mark(b"1", 50), 40)
    assert known.forget(35) == [third]
    assert known.forget(41) == [first]
