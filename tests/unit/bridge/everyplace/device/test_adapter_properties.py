"""Where adapters lead, what they are told, and from whom."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.device.adapters.interface import Place, Properties
from mqbridge.bridge.everyplace.device.adapters.streams import Tcp
from mqbridge.everyplace import Code, EveryplaceError
from mqbridge.protocol.everyplace.endpoints import parse_endpoint
from mqbridge.protocol.everyplace.http_login import PROXY, SERVER, Login, Proxy


@pytest.mark.spec("E-467", "E-472")
def test_values_of_the_application_come_before_those_of_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MQE_PROXY", "of the process")
    monkeypatch.setenv("MQE_HTTP_VERSION", "1.0")
    found = Properties({"EARTH.proxy": "of the connection", "proxy": "of all"}, "EARTH")
    assert found.get("proxy") == "of the connection"
    assert Properties({"EARTH.proxy": "x", "proxy": "of all"}, "MARS").get("proxy") == "of all"
    assert Properties().get("proxy") == "of the process"
    assert found.get("http_version") == "1.0"
    assert found.get("user") == ""
    assert "of all" not in repr(found)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("earth:9000", "earth", 9000),
        ("earth", "earth", 8081),
        (":7", "", 7),
        ("[::1]:80", "::1", 80),
        ("[::1]", "::1", 8081),
    ],
)
@pytest.mark.spec("E-240")
def test_endpoints(text: str, host: str, port: int) -> None:
    assert parse_endpoint(text) == (host, port)


@pytest.mark.parametrize("text", ["earth:", "earth:x", "::1", "earth:70000"])
def test_what_is_no_endpoint(text: str) -> None:
    with pytest.raises(EveryplaceError) as raised:
        parse_endpoint(text)
    assert raised.value.code is Code.ADAPTER_MISSING_REMOTE_ADDRESS


@pytest.mark.spec("E-469", "E-478")
def test_an_adapter_is_closed_as_often_as_anybody_likes() -> None:
    adapter = Tcp().initiator(Place("tcp", "127.0.0.1", 1))
    assert (adapter.network, adapter.local_address) == ("tcp", "")
    adapter.close()
    with pytest.raises(EveryplaceError):
        adapter.open()
    adapter.close()


def login(kind: int = SERVER, *, safe: bool = True, user: str = "moon", **values: str) -> Login:
    place = Place("https" if safe else "http", "earth", 443, properties=Properties(values))
    return Login(kind, place, user, "secret", safe=safe)


@pytest.mark.spec("E-483", "E-484", "E-487", "E-488")
def test_credentials_go_inside_tls_alone_and_at_once_or_when_asked() -> None:
    assert login().headers() == {"Authorization": "Basic bW9vbjpzZWNyZXQ="}
    assert login(PROXY).headers().keys() == {"Proxy-Authorization"}
    with pytest.raises(EveryplaceError, match="inside TLS only") as raised:
        login(safe=False).headers()
    assert "secret" not in raised.value.text
    assert login(safe=False, clear_passwords="yes").headers()
    waiting = login(wait_for_challenge="yes")
    assert waiting.headers() == {}
    waiting.challenged()
    assert waiting.headers()
    with pytest.raises(EveryplaceError) as refused:
        waiting.challenged()
    assert refused.value.code is Code.AUTHENTICATE
    assert "does not accept user 'moon'" in refused.value.text
    with pytest.raises(EveryplaceError, match="wants a user and password"):
        login(user="").challenged()


@pytest.mark.spec("E-485")
def test_a_person_is_asked_first_and_again_and_may_cancel() -> None:
    answers = iter([("moon", "wrong"), ("moon", "right"), None])
    place = Place("https", "earth", 443, ask=lambda _: next(answers))
    found = Login(SERVER, place, "", "", safe=True)
    first = found.headers()
    found.challenged()
    assert found.headers() != first
    with pytest.raises(EveryplaceError) as raised:
        found.challenged()
    assert raised.value.code is Code.STOPPED


@pytest.mark.spec("E-308")
def test_proxies() -> None:
    found = Proxy("http://moon:a%40b@proxy:8000")
    assert (found.host, found.port, found.user, found.password) == ("proxy", 8000, "moon", "a@b")
    assert Proxy("proxy").port == 3128
    with pytest.raises(EveryplaceError) as raised:
        Proxy("socks://moon:secret@proxy")
    assert "secret" not in raised.value.text
