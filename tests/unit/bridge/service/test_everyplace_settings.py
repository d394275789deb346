"""The tables [everyplace] and [[everyplace.listener]]: what they say, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.config import ConfigError, Configuration, EveryplaceListenerSettings, parse_configuration

FILE = Path("/etc/mqbridge/queue-manager.toml")


def test_without_the_table_there_is_no_gateway() -> None:
    assert Configuration().everyplace is None
    assert parse_configuration("", FILE).everyplace is None


def test_the_tables_are_read() -> None:
    text = """
[everyplace]
name = "EARTH"
definitions = "earth.ini"
[[everyplace.listener]]
name = "devices"
endpoint = "tcp:8081"
certificate = "earth.pem"
key = "earth.key"
authorities = "devices"
authenticator = "certificate"
timeout = 60
max = 5
[[everyplace.listener]]
name = "web"
adapter = "http"
endpoint = "tcp:8080:interface=127.0.0.1"
path = "/mqe"
"""
    found = parse_configuration(text, FILE).everyplace
    assert found is not None
    assert (found.name, found.definitions) == ("EARTH", FILE.parent / "earth.ini")
    first, second = found.listeners
    assert first == EveryplaceListenerSettings(
        name="devices",
        endpoint="tcp:8081",
        certificate="earth.pem",
        key=FILE.parent / "earth.key",
        authorities=FILE.parent / "devices",
        authenticator="certificate",
        timeout=60.0,
        max=5,
    )
    assert (first.adapter, first.path) == ("tls", "/servlet/MQe")
    assert (second.adapter, second.path, second.authenticator) == ("http", "/mqe", "key")


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ("[everyplace]\n", 1, "[everyplace] has no 'name'"),
        ("[everyplace]\nnam = 'EARTH'", 2, "did you mean 'name'?"),
        ("everyplace = 'EARTH'", 1, "'everyplace' must be a table [everyplace], found the text"),
        ("[[everyplace]]\nname = 'EARTH'", 1, "'everyplace' must be a table [everyplace], found an array"),
        ("[everyplace]\nname = 'two words'", 2, "'name' in [everyplace]: expected a name"),
        ("[everyplace]\nname = 'EARTH'\n[[everyplace.listener]]\nname = 'L'", 3, "has no 'endpoint'"),
        (
            "[everyplace]\nname = 'EARTH'\n[[everyplace.listener]]\nname = 'L'\nendpoint = 'tcp:1'\nadpater = 'tcp'",
            6,
            "did you mean 'adapter'?",
        ),
        (
            "[everyplace]\nname = 'EARTH'\n[[everyplace.listener]]\nname = 'L'\nendpoint = 'tcp:1'\nadapter = 'udp'",
            6,
            'expected "tcp" or "tls" or "http" or "https", found the text',
        ),
        (
            "[everyplace]\nname = 'EARTH'\n[[everyplace.listener]]\nname = 'L'\nendpoint = 'tcp:1'\npath = 'x y'",
            6,
            "expected a path such as",
        ),
        (
            "[everyplace]\nname = 'EARTH'\n[[everyplace.listener]]\nname = 'L'\nendpoint = 'tcp:1'\ntimeout = 3000000",
            6,
            "expected at most 2000000 seconds",
        ),
        ("[web]\nauthorities = 'x'", 2, "unknown key 'authorities' in [web]"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_configuration(text, FILE)
    assert caught.value.line == line
    assert problem in str(caught.value)
