"""SC-26: a gateway behind a web server that asks for a password, path /servlet/MQe."""

from __future__ import annotations

import base64
import http.client
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mqbridge.protocol.everyplace.frames import FrameReader, Kind
from support.everyplace_devices import eventually
from support.gateway_web import HELLO, PATH, Web, length, post, raw, running_web
from support.web_servers import Nginx

pytestmark = pytest.mark.spec("SC-26", "E-300", "E-301", "E-302", "E-303", "E-307", "E-308", "E-367")
PASSWORD = {"Authorization": "Basic " + base64.b64encode(b"sun:light").decode()}


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    with running_web(tmp_path) as found:
        yield found


def asked(nginx: Nginx, method: str, body: bytes) -> tuple[int, str, bytes]:
    """Status, channel and body of an answer that came through the web server."""
    connection = http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=60)
    try:
        connection.request(method, PATH, body, PASSWORD)
        answer = connection.getresponse()
        found = answer.read()
        if method == "POST" and answer.status == 200:
            assert int(answer.headers["Content-Length"]) == len(found)
        return answer.status, answer.headers.get("MQe-Channel", ""), found
    finally:
        connection.close()


def test_sc_26(web: Web, tmp_path: Path) -> None:
    nginx = Nginx(tmp_path, web.port())
    web.open.append(nginx)
    for words, delivered in (
        ({}, False),
        ({"user": "sun", "password": "dark", "clear_passwords": "yes"}, False),
        ({"user": "sun", "password": "light", "clear_passwords": "yes"}, True),
    ):
        moon = web.moon("http", nginx.port, **words)
        moon.put("REPLIES@JUPITER", "a put")
        if delivered:
            eventually(lambda moon=moon: all(not row.waiting for row in moon.status()))
        else:
            eventually(lambda moon=moon: any("HTTP 401" in text for row in moon.status() for text in row.blocks))
            assert sum(row.waiting for row in moon.status()) == 1
    assert asked(nginx, "GET", b"")[0] == 405
    assert raw(web, post(HELLO[:-3], length(HELLO)), half=True) == b""
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: asked(nginx, "POST", HELLO), range(50)))
    assert [status for status, _, _ in answers] == [200] * 50
    assert len({channel for _, channel, _ in answers}) == 50
    for _, _, body in answers:
        (frame,) = FrameReader().receive(body)
        assert frame.kind is Kind.CHALLENGE
