"""Links of a configuration that cannot be: each error names line and key."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from mqbridge.bridge.config import parse_configuration
from mqbridge.bridge.service.errors import WRONG_CONFIGURATION, StartError
from mqbridge.bridge.service.links import Links

ENDS = 'send = [{ queue = "Q", address = "a" }]\n'
LOCAL = 'endpoint = "tcp:127.0.0.1:5672"\n'
FAR = 'endpoint = "tcp:artemis.example:5672"\n'
PASSWORD = 'user = "mq"\npassword_file = "pw"\n'


def links(folder: Path, *tables: str) -> Links:
    (folder / "pw").write_text("a word\n", encoding="utf-8")
    (folder / "empty").write_text("\n", encoding="utf-8")
    text = "".join(f'[[link]]\nname = "{number}"\n{table}' for number, table in enumerate(tables))
    return Links(parse_configuration(text, folder / "links.toml"))


@pytest.mark.parametrize(
    ("table", "line", "problem"),
    [
        (LOCAL, 1, "nothing to send or receive"),
        (LOCAL + 'user = "mq"\n' + ENDS, 4, "need each other"),
        (LOCAL + 'password_file = "pw"\n' + ENDS, 4, "need each other"),
        (LOCAL + 'user = "mq"\npassword_file = "none"\n' + ENDS, 5, "no password"),
        (LOCAL + 'user = "mq"\npassword_file = "empty"\n' + ENDS, 5, "first line of the file is empty"),
        (LOCAL + 'certificate = "us"\n' + ENDS, 4, "a certificate is for TLS"),
        ('endpoint = "unix:sock"\ntrusted = "ca.pem"\n' + ENDS, 4, "no TLS over a Unix socket"),
        (FAR + PASSWORD + ENDS, 4, "plain text; use TLS by 'trusted', or allow it by plain_password = true"),
        ('endpoint = "tcp:127.0.0.1:99999"\n' + ENDS, 3, "is no endpoint to connect to"),
    ],
)
def test_a_link_that_cannot_be(tmp_path: Path, table: str, line: int, problem: str) -> None:
    pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")
    with pytest.raises(StartError, match=problem) as caught:
        links(tmp_path, table)
    assert f"links.toml, line {line}: " in str(caught.value)
    assert caught.value.status == WRONG_CONFIGURATION
    assert "a word" not in str(caught.value)


@pytest.mark.parametrize(
    "table", [LOCAL + PASSWORD, FAR + PASSWORD + "plain_password = true\n", FAR, FAR + PASSWORD + 'trusted = "ca"\n']
)
def test_a_link_that_can_be(tmp_path: Path, table: str) -> None:
    pytest.importorskip("proton", reason="python-qpid-proton is not installed (extra amqp)")
    links(tmp_path, table + ENDS)


def test_without_the_engine_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("mqbridge.bridge.links", "proton"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "proton", None)
    with pytest.raises(StartError, match=r"install mqbridge\[amqp\]"):
        links(tmp_path, LOCAL + ENDS)
    links(tmp_path)
