"""URLs of queue managers, with and without TLS, MQSERVER, and that a password is never shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import mqbridge
from mqbridge.bridge.client import MQUrl, TlsSettings, from_environment, parse_url
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
        "mqx://u:secret@h/Q",
        "mqs:///Q",
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
    ("text", "tls"),
    [
        ("mqs://h/Q", TlsSettings()),
        ("mqs://h/Q?channel=A.B", TlsSettings()),
        ("MQS://h/Q?cipher=ANY_TLS13", TlsSettings(cipher="ANY_TLS13")),
        ("mqs://h/Q?trusted=a/b.pem&certificate=/c/d.pem", TlsSettings(trusted="a/b.pem", certificate="/c/d.pem")),
        ("mqs://h/Q?trusted=/a+b%26c%3Fd%40e%25f%23g/%C3%A9.pem", TlsSettings(trusted="/a+b&c?d@e%f#g/é.pem")),
        ("mqs://h/Q?peer=CN=EARTH,OU=Inner%20Planets,O=S*", TlsSettings(peer="CN=EARTH,OU=Inner Planets,O=S*")),
        *((f"mqs://h/Q?sni={name}", TlsSettings(sni=name)) for name in ("channel", "hostname", "none", "a-1.b_c.d")),
    ],
)
def test_options_of_tls_are_read_and_shown_again(text: str, tls: TlsSettings) -> None:
    url = parse_url(text)
    assert (url.host, url.tls) == ("h", tls)
    assert str(url).startswith("mqs://h:1414/Q?channel=")
    assert parse_url(str(url)) == url


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("trusted=", "trusted has 1 to 4096"),
        ("certificate=%00", "cannot be printed"),
        ("trusted=a%0Ab", "cannot be printed"),
        ("trusted=%FF", "not percent-encoded UTF-8"),
        ("peer=CN=a&peer=CN=b", "'peer' is given twice"),
        ("cipher", "cipher has 1 to 4096"),
        ("cipher=" + "A" * 4097, "cipher has 1 to 4096"),
        ("key=a.pem", "unknown option 'key'; there is channel, trusted, certificate, cipher, peer, sni"),
        ("TRUSTED=a.pem", "unknown option 'TRUSTED'"),
        ("trusted=a.pem;peer=CN=b&&cipher=", "cipher has 1"),
        ("repository=x", "unknown option 'repository'"),
        ("sni=", "sni has 1 to"),
        ("sni=a..b", "or the server name"),
        ("sni=-a", "or the server name"),
        ("sni=a.", "or the server name"),
        ("sni=a%20b", "or the server name"),
        ("sni=%C3%A9", "or the server name"),
        ("sni=" + "a" * 254, "or the server name"),
        ("peer=CN=a@b", "%40"),
        ("peer=CN=a#b", "%23"),
    ],
)
def test_options_of_tls_that_cannot_be_are_named(options: str, told: str) -> None:
    with pytest.raises(mqbridge.UrlError) as error:
        parse_url(f"mqs://u:secret@h/Q?{options}")
    assert told in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("name", ["trusted", "certificate", "cipher", "peer", "sni"])
def test_options_of_tls_are_refused_without_it(name: str) -> None:
    with pytest.raises(mqbridge.UrlError, match=f"'{name}' is an option of mqs://"):
        parse_url(f"mq://h/Q?{name}=a")


printable = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@given(printable, printable, printable, printable, printable)
def test_what_is_shown_is_read_back(user: str, password: str, trusted: str, certificate: str, peer: str) -> None:
    tls = TlsSettings(trusted=trusted, certificate=certificate, peer=peer)
    url = MQUrl("h", 1, "Q", "C", user, password, tls)
    assert parse_url(str(url)) == MQUrl("h", 1, "Q", "C", user, "", tls)


@given(st.text(max_size=60))
def test_any_text_is_a_url_or_refused(text: str) -> None:
    for whole in (text, f"mqs://{text}", f"mqs://h/Q?{text}", f"mqs://h/Q?trusted={text}"):
        try:
            parse_url(whole)
        except mqbridge.UrlError:
            continue


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


@pytest.mark.parametrize(
    ("more", "tls"),
    [
        ({}, None),
        ({"MQSSLKEYR": " "}, None),
        ({"MQCERTLABL": "mine"}, None),
        ({"MQSSLKEYR": "/ssl"}, TlsSettings(repository="/ssl")),
        ({"MQSSLKEYR": "/ssl", "MQCERTLABL": "mine"}, TlsSettings(repository="/ssl", label="mine")),
    ],
)
def test_mqsslkeyr_takes_mqserver_inside_tls(more: dict[str, str], tls: TlsSettings | None) -> None:
    assert from_environment({"MQSERVER": "C/TCP/h", **more}) == MQUrl("h", channel="C", tls=tls)


def test_mqserver_may_be_missing_or_wrong() -> None:
    assert from_environment({}) is None
    with pytest.raises(mqbridge.UrlError, match="CHANNEL/TCP/host"):
        from_environment({"MQSERVER": "what"})
