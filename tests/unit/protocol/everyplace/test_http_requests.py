"""What an end that calls over HTTP says, and how it takes answers: straight, and through a proxy."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.http_answers import Answer
from mqbridge.protocol.everyplace.http_requests import CHANNEL, MAX_CHANNEL, HttpRequests


class Values:
    def __init__(self, values: dict[str, str]) -> None:
        self._values = values

    def get(self, name: str, /) -> str:
        return self._values.get(name, "")


class Place(NamedTuple):
    host: str
    port: int
    path: str
    properties: Values
    ask: None = None

    def __str__(self) -> str:
        return "http://zen"


def requests(*, secured: bool = False, host: str = "zen", path: str = "", **values: str) -> HttpRequests:
    return HttpRequests(Place(host, 8081, path, Values(values)), secured=secured)


def lines(request: bytes) -> list[str]:
    return request.decode("latin-1").split("\r\n")


def answer(status: int, **headers: str) -> Answer:
    return Answer(status, "reason", headers, b"", keeps=True)


@pytest.mark.spec("E-302", "E-303")
def test_a_frame_is_a_post_and_names_its_line() -> None:
    first = lines(requests().post(b"frame", ""))
    assert first[:2] == ["POST /servlet/MQe HTTP/1.1", "Host: zen:8081"]
    assert "Content-Length: 5" in first
    assert first[-2:] == ["", "frame"]
    assert not [each for each in first if each.startswith(CHANNEL)]
    later = lines(requests(host="::1", path="/here", http_version="1.0").post(b"", "a1"))
    assert later[:2] == ["POST /here HTTP/1.0", "Host: [::1]:8081"]
    assert f"{CHANNEL}: a1" in later
    assert "Connection: keep-alive" in later
    assert requests().next_hop == ("zen", 8081)


@pytest.mark.spec("E-308", "E-488")
def test_the_ways_through_a_proxy() -> None:
    values = {"proxy": "http://sun:light@proxy:3128", "user": "moon", "password": "dark", "clear_passwords": "yes"}
    plain = requests(**values)
    assert (plain.tunnelled, plain.next_hop) == (False, ("proxy", 3128))
    said = lines(plain.post(b"", ""))
    assert said[0] == "POST http://zen:8081/servlet/MQe HTTP/1.1"
    names = {each.partition(":")[0] for each in said}
    assert names >= {"Authorization", "Proxy-Authorization"}
    secured = requests(secured=True, **values)
    assert secured.tunnelled
    assert lines(secured.connect())[0] == "CONNECT zen:8081 HTTP/1.1"
    assert not [each for each in lines(secured.post(b"", "")) if each.startswith("Proxy-")]
    with pytest.raises(EveryplaceError, match="inside TLS only"):
        requests(**values | {"clear_passwords": "no"}).post(b"", "")


@pytest.mark.spec("E-308")
def test_a_connection_to_a_proxy_is_kept_if_that_says_so() -> None:
    closing = answer(200)._replace(keeps=False)
    said = answer(200, connection="Keep-Alive")
    straight, relayed = requests(), requests(proxy="proxy")
    assert [straight.keeps(each) for each in (answer(200), said, closing)] == [True, True, False]
    assert [relayed.keeps(each) for each in (answer(200), said, closing)] == [False, True, False]
    assert requests(proxy="proxy", secured=True).keeps(answer(200))


@pytest.mark.spec("E-483", "E-484", "E-487")
def test_401_and_407_are_authenticate_and_other_statuses_are_not() -> None:
    waiting = requests(user="moon", password="dark", clear_passwords="yes", wait_for_challenge="yes")
    assert not waiting.answered(answer(401))
    assert waiting.answered(answer(200))
    assert waiting.answered(answer(204))
    proxied = requests(secured=True, proxy="proxy:3128")
    assert proxied.connected(answer(200))
    for judge, status in ((waiting.answered, 401), (proxied.connected, 407), (proxied.connected, 401)):
        with pytest.raises(EveryplaceError) as refused:
            judge(answer(status))
        assert refused.value.code is Code.AUTHENTICATE
    for status, word in ((404, "nothing is at /servlet/MQe"), (500, "HTTP 500 reason"), (302, "HTTP 302")):
        with pytest.raises(EveryplaceError, match=word) as failed:
            waiting.answered(answer(status))
        assert failed.value.code is Code.ADAPTER_EXCEPTION
    assert waiting.too_often().code is Code.AUTHENTICATE


@pytest.mark.spec("E-571")
def test_the_name_of_a_line_is_short_and_printable() -> None:
    found = requests()
    assert found.channel_of(answer(200)) == ""
    assert found.channel_of(answer(200, **{CHANNEL.lower(): "a1"})) == "a1"
    for name in ("x" * (MAX_CHANNEL + 1), "a\tb"):
        with pytest.raises(EveryplaceError) as refused:
            found.channel_of(answer(200, **{CHANNEL.lower(): name}))
        assert refused.value.code is Code.CHNL_ID
