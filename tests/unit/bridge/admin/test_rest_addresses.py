"""URLs of REST endpoints, and where the password comes from."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from mqbridge.bridge.cli.connecting import connect
from mqbridge.bridge.rest_client import Address, parse_url


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("unix:/run/admin.sock", Address(socket="/run/admin.sock")),
        ("http://127.0.0.1:9080", Address(host="127.0.0.1", port=9080)),
        ("http://mq.example.com", Address(host="mq.example.com", port=80)),
        ("http://ann:pw@localhost:1", Address(host="localhost", port=1, user="ann", password="pw")),
        ("https://mq.example.com/", Address(host="mq.example.com", port=443, secure=True)),
        ("https://ann@[::1]:9443", Address(host="::1", port=9443, secure=True, user="ann")),
        ("https://a%40b:p%3Aw%2F@h", Address(host="h", port=443, secure=True, user="a@b", password="p:w/")),
        (
            "https://h:9443?trusted=/a b/ca.pem&certificate=own.pem",
            Address(host="h", port=9443, secure=True, trusted="/a b/ca.pem", certificate="own.pem"),
        ),
    ],
)
def test_urls_that_are_right(url: str, address: Address) -> None:
    assert parse_url(url) == address


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("unix:", "names no socket"),
        ("ftp://h", "is no address"),
        ("https://", "is no address"),
        ("https://ann:secret@", "is no address"),
        ("https://ann:secret@h/ibmmq", "is no address"),
        ("https://ann:secret@h:x", "percent-encode"),
        ("https://ann:se/cret@h", "percent-encode|is no address"),
        ("https://ann:se#cret@h", "percent-encode|is no address"),
        ("https://ann:se?cret@h", "percent-encode|written as %40"),
        ("https://ann:secret@h?password=x", "unknown option 'password'"),
        ("http://ann:secret@mq.example.com", "in clear"),
        ("http://ann:secret@127.0.0.1?trusted=x", "for https"),
    ],
)
def test_urls_that_are_wrong_do_not_show_the_password(url: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem) as caught:
        parse_url(url)
    assert "secret" not in str(caught.value)
    assert "cret@" not in str(caught.value)
    with pytest.raises(click.UsageError) as shown:
        connect(None, url, "test")
    assert "secret" not in str(shown.value)


def test_a_password_is_in_no_representation() -> None:
    assert "secret" not in repr(parse_url("https://ann:secret@h"))


def test_the_password_comes_from_the_url_the_environment_or_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert connect(None, "https://ann:one@h", "test").address.password == "one"
    assert connect(None, "https://ann@h", "test").address.password == ""
    monkeypatch.setenv("MQBRIDGE_PASSWORD", "two")
    assert connect(None, "https://ann@h", "test").address.password == "two"
    assert connect(None, "https://ann:one@h", "test").address.password == "one"
    assert connect(None, "https://h", "test").address.password == ""
    monkeypatch.setenv("MQSAMP_USER_ID", "bob")
    (tmp_path / "running.json").write_text('{"admin": "http://127.0.0.1:1", "queue_manager": "EARTH"}')
    address = connect(str(tmp_path), None, "test").address
    assert (address.user, address.password) == ("bob", "two")
    (tmp_path / "running.json").write_text('{"admin": "unix:/admin.sock", "queue_manager": "EARTH"}')
    assert connect(str(tmp_path), None, "test").address.user == ""
