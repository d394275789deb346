"""Devices over HTTP: what the listener answers, and the way through Debian's nginx and tinyproxy."""

from __future__ import annotations

import http.client
import socket
import time
from pathlib import Path

import pytest

from mqbridge.protocol.everyplace.frames import Frame, FrameReader, Kind
from support.everyplace_devices import eventually
from support.gateway_device import Device, HttpTransport, enrol, operate
from support.gateway_web import HELLO, PATH, Web, length, post, raw
from support.web_servers import Nginx, Tinyproxy


@pytest.mark.spec("E-301", "E-302", "E-307", "SC-26")
@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (post(b"", method="GET"), 405),
        (post(b"", method="HEAD"), 405),
        (post(HELLO, length(HELLO), path="/elsewhere"), 404),
        (post(b"", "Content-Length: 0"), 411),
        (post(b""), 411),
        (post(HELLO, length(HELLO), length(HELLO + b"x")), 400),
        (post(HELLO, length(HELLO), length(HELLO)), 400),
        (post(HELLO, "Content-Length: -1"), 400),
        (post(HELLO, length(HELLO), "Transfer-Encoding: chunked"), 400),
        (post(b"", "Content-Length: 99999999"), 413),
        (post(b"20000000\r\n" + bytes(2 << 20), "Transfer-Encoding: chunked"), 413),
        (post(HELLO + b"x", length(HELLO + b"x")), 400),
        (post(HELLO[:-1], length(HELLO[:-1])), 400),
        (post(b"short", "Content-Length: 5"), 400),
        (post(HELLO + HELLO, length(HELLO + HELLO)), 400),
        (post(Frame(Kind.PING, 1).encode(), "Content-Length: 10"), 400),
        (post(HELLO, length(HELLO), "MQe-Channel: 0123456789abcdef"), 410),
        (post(HELLO, length(HELLO), "MQe-Channel: a", "MQe-Channel: b"), 400),
        (b"\x16\x03\x01\x00\x10 this is TLS\r\n\r\n", 400),
    ],
)
def test_what_is_no_frame_gets_a_status(web: Web, request_bytes: bytes, status: int) -> None:
    answer = raw(web, request_bytes)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split()[:2] in ([b"HTTP/1.1", b"%d" % status], [b"HTTP/1.0", b"%d" % status]), head
    if status == 405:
        assert b"\r\nAllow: POST" in head
    assert list(FrameReader().receive(body))[:1] == [] if len(body) < 10 else b"frame" in body or b"channel" in body


@pytest.mark.spec("E-302", "E-307", "SC-26")
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_a_frame_gets_its_answer_with_its_length(web: Web, version: str) -> None:
    head, _, body = raw(web, post(HELLO, length(HELLO), version=version)).partition(b"\r\n\r\n")
    assert b" 200 OK" in head
    assert f"Content-Length: {len(body)}".encode() in head
    (frame,) = FrameReader().receive(body)
    assert (frame.kind, frame.request) == (Kind.CHALLENGE, 7)
    assert b"\r\nmqe-channel: " in head.lower()
    assert b"no-store" in head


def test_a_chunked_body_is_a_body(web: Web) -> None:
    chunks = b"".join(b"1\r\n%c\r\n" % each for each in HELLO) + b"0\r\n\r\n"
    assert b" 200 OK" in raw(web, post(chunks, "Transfer-Encoding: chunked"))


@pytest.mark.spec("E-302", "SC-26")
def test_a_short_body_is_nothing(web: Web) -> None:
    assert raw(web, post(HELLO[:-3], length(HELLO)), half=True) == b""
    assert raw(web, post(HELLO, length(HELLO)))[:12] == b"HTTP/1.1 200"


@pytest.mark.spec("E-304", "E-259", "SC-26")
def test_an_idle_channel_is_closed_by_the_timer(web: Web) -> None:
    token = enrol(web.service, "IDLE")["token"]
    idle = Device("IDLE", "HUB", lambda: HttpTransport(connection(web), PATH), token)
    web.open.append(idle)
    idle.sends_to("REPLIES", "JUPITER")
    idle.put("REPLIES@JUPITER", "one")
    idle.run_until(lambda: idle.waiting("REPLIES", "JUPITER") == 0)
    transport = idle.transport
    assert isinstance(transport, HttpTransport)
    time.sleep(3)
    ping = Frame(Kind.PING, 99).encode()
    assert b" 410 Gone" in raw(web, post(ping, length(ping), f"MQe-Channel: {transport.channel}"))


def connection(web: Web) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", web.port(), timeout=60)


@pytest.mark.spec("E-303", "E-308", "SC-26")
@pytest.mark.parametrize("adapter", ["http", "https"])
def test_a_device_puts_and_pulls_over_http(web: Web, adapter: str) -> None:
    moon = web.moon(adapter, web.port("plain" if adapter == "http" else "secure"), authorities=str(web.trusted))
    for number in range(5):
        moon.put("REPLIES@JUPITER", f"apple {number}")
    moon.put("REPLIES@JUPITER", "x" * 200_000)
    eventually(lambda: all(not row.waiting for row in moon.status()))
    assert not [text for row in moon.status() for text in row.blocks]


@pytest.mark.spec("E-308", "E-367", "E-483", "E-484", "E-486", "SC-26")
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_the_way_through_nginx_with_a_password(web: Web, tmp_path: Path, version: str) -> None:
    nginx = Nginx(tmp_path, web.port(), version=version)
    web.open.append(nginx)
    wrong = web.moon("http", nginx.port, user="sun", password="dark", clear_passwords="yes")
    wrong.put("REPLIES@JUPITER", "kept")
    eventually(lambda: [row for row in wrong.status() if row.blocks])
    assert sum(row.waiting for row in wrong.status()) == 1
    right = web.moon("http", nginx.port, user="sun", password="light", clear_passwords="yes")
    right.put("REPLIES@JUPITER", "delivered")
    eventually(lambda: all(not row.waiting for row in right.status()))


@pytest.mark.spec("E-485", "E-487", "E-488", "SC-26")
def test_how_a_password_is_given(web: Web, tmp_path: Path) -> None:
    nginx = Nginx(tmp_path, web.port())
    web.open.append(nginx)
    silent = web.moon("http", nginx.port, user="sun", password="light")
    silent.put("REPLIES@JUPITER", "kept")
    eventually(lambda: any("inside TLS only" in text for row in silent.status() for text in row.blocks))
    challenged = web.moon(
        "http", nginx.port, user="sun", password="light", clear_passwords="yes", wait_for_challenge="yes"
    )
    asked: list[str] = []

    def ask(text: str) -> tuple[str, str]:
        asked.append(text)
        return ("sun", "dark") if len(asked) == 1 else ("sun", "light")

    person = web.moon("http", nginx.port, ask, clear_passwords="yes")
    for each in (challenged, person):
        each.put("REPLIES@JUPITER", "delivered")
        eventually(lambda each=each: all(not row.waiting for row in each.status()))
    assert len(asked) >= 2


@pytest.mark.spec("E-308", "E-367", "E-484", "SC-26")
@pytest.mark.parametrize("adapter", ["http", "https"])
def test_the_way_through_tinyproxy_with_a_password(web: Web, tmp_path: Path, adapter: str) -> None:
    proxy = Tinyproxy(tmp_path)
    web.open.append(proxy)
    port = web.port("plain" if adapter == "http" else "secure")
    options = {"authorities": str(web.trusted), "clear_passwords": "yes"}
    wrong = web.moon(adapter, port, proxy=f"http://sun:dark@127.0.0.1:{proxy.port}", **options)
    wrong.put("REPLIES@JUPITER", "kept")
    eventually(lambda: [row for row in wrong.status() if row.blocks])
    right = web.moon(adapter, port, proxy=f"http://sun:light@127.0.0.1:{proxy.port}", **options)
    right.put("REPLIES@JUPITER", "delivered")
    eventually(lambda: all(not row.waiting for row in right.status()))


@pytest.mark.spec("E-260", "SC-25", "SC-26")
def test_fifty_clients_at_once_and_no_more_than_allowed(web: Web) -> None:
    answers = []
    sockets = [socket.create_connection(("127.0.0.1", web.port()), 10) for _ in range(50)]
    for each in sockets:
        each.sendall(post(HELLO, length(HELLO)))
    for each in sockets:
        answers.append(each.recv(20)[:12])
        each.close()
    assert answers == [b"HTTP/1.1 200"] * 50
    more = [raw(web, post(HELLO, length(HELLO)))[:12] for _ in range(30)]
    assert b"HTTP/1.1 503" in more
    assert operate(web.service, "status").exit_code == 0
