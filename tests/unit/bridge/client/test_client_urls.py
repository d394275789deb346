"""URLs of queue managers, MQSERVER, and that a password is never shown."""

from __future__ import annotations

import pytest

import mqbridge
from mqbridge.bridge.client import MQUrl, from_environment, parse_url
from mqbridge.bridge.client.link import parameters_for


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("mq://host/QM1", MQUrl("host", 1414, "QM1", "DEV.APP.SVRCONN")),
        ("mq://host:1415", MQUrl("host", 1415)),
        ("mq://app@h/*Q?channel=A.B", MQUrl("h", 1414, "*Q", "A.B", "app")),
        ("mq://a%40b:p%2Fw%3A@[::1]:1/QM%2F1", None),
        ("mq://a%40b:p%2Fw%3A@[::1]:1/QM1", MQUrl("::1", 1, "QM1", user="a@b", password="p/w:")),
    ],
)
def test_a_url_is_read(text: str, url: MQUrl | None) -> None:
    if url is None:
        with pytest.raises(mqbridge.UrlError):
            parse_url(text)
    else:
        assert parse_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "host",
        "http://h/Q",
        "mqs://u:secret@h/Q",
        "mq:///Q",
        "mq://u:secret@h:x/Q",
        "mq://h/" + "Q" * 49,
        "mq://u:secret@h/Q?chanel=A",
        "mq://h/Q?channel=" + "A" * 21,
        "mq://h/Q?channel=",
    ],
)
def test_what_is_no_url_is_refused_without_showing_a_password(text: str) -> None:
    with pytest.raises(mqbridge.UrlError) as error:
        parse_url(text)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    "password", ["zq/cret", "zq?cret", "zq#cret", "12/zqcret", "12#zqcret", "a@zq/cret", "zq[cret", "zq\u2100cret"]
)
@pytest.mark.parametrize("rest", ["h/Q", "h:x/Q", "h:99999/Q", "h/Q?chanel=A", "h/" + "Q" * 49])
def test_a_password_that_is_not_encoded_is_not_shown_in_part(password: str, rest: str) -> None:
    with pytest.raises(mqbridge.UrlError) as error:
        parse_url(f"mq://app:{password}@{rest}")
    assert all(piece not in str(error.value) for piece in ("zq", "cret", "12"))


def test_a_password_is_never_shown() -> None:
    url = parse_url("mq://app:secret@h/Q")
    assert url.password == "secret"
    shown = f"{url} {url!r} {parameters_for(url)!r} {parameters_for(url)}"
    assert "secret" not in shown
    assert "app" in shown


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("DEV.APP.SVRCONN/TCP/host(1415)", MQUrl("host", 1415, "", "DEV.APP.SVRCONN", "me")),
        ("C/tcp/10.0.0.1", MQUrl("10.0.0.1", 1414, "", "C", "me")),
        ("C/TCP/a(1),b(2)", MQUrl("a", 1, "", "C", "me")),
    ],
)
def test_mqserver_is_read_as_clients_do(text: str, url: MQUrl) -> None:
    assert from_environment({"MQSERVER": text, "MQSAMP_USER_ID": "me"}) == url


def test_mqserver_may_be_missing_or_wrong() -> None:
    assert from_environment({}) is None
    with pytest.raises(mqbridge.UrlError, match="CHANNEL/TCP/host"):
        from_environment({"MQSERVER": "what"})
