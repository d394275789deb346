"""Where and as whom a link connects."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.links.access import Access, PasswordFileError
from mqbridge.bridge.links.places import Place, read_place

PLACE = Place("artemis.example", 5672)


def access(**fields: object) -> Access:
    return Access(PLACE, 1000, 5.0, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "mechanism"),
    [
        ({}, "ANONYMOUS"),
        ({"certificate": "us", "trusted": Path("ca.pem")}, "EXTERNAL"),
        ({"user": "mq"}, "PLAIN"),
        ({"user": "mq", "certificate": "us", "trusted": Path("ca.pem")}, "PLAIN"),
    ],
)
def test_the_mechanism_of_a_link(fields: dict[str, object], mechanism: str) -> None:
    settings = access(**fields).settings("MARS.warehouse")
    assert settings.mechanism == mechanism
    assert settings.container.startswith("MARS.warehouse@")
    assert (settings.host, settings.max_message, settings.idle_timeout) == ("artemis.example", 1000, 5.0)


def test_a_password_is_the_first_line_and_is_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "pw"
    file.write_text("a w\u00f6rd\nsecond line\n", encoding="utf-8")
    made = access(user="mq", password_file=file)
    settings = made.settings("MARS.warehouse")
    assert settings.password == "a w\u00f6rd"
    assert "w\u00f6rd" not in repr((made, settings))


@pytest.mark.parametrize("content", [None, b"", b"\nsecret", b"\xffsecret\n"])
def test_a_file_without_password(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "pw"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PasswordFileError) as caught:
        access(user="mq", password_file=file).settings("MARS.warehouse")
    assert str(caught.value).startswith(f"{file}: ")
    assert "secret" not in str(caught.value)


def test_there_are_no_keys_without_authorities() -> None:
    def repository() -> object:
        raise AssertionError

    assert access().keys(repository) is None  # type: ignore[arg-type]
    assert access(trusted=Path("ca.pem")).keys(repository) is not None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "place", "here"),
    [
        ("tcp:artemis.example:5672", Place("artemis.example", 5672), False),
        ("tcp:localhost:5672", Place("localhost", 5672), True),
        ("tcp:127.0.0.5:5672", Place("127.0.0.5", 5672), True),
        (r"tcp:\:\:1:5672", Place("::1", 5672), True),
        ("unix:/run/broker", Place(path=Path("/run/broker")), True),
        (r"unix:/run/a\:b", Place(path=Path("/run/a:b")), True),
    ],
)
def test_places(text: str, place: Place, here: bool) -> None:
    assert read_place(text) == place
    assert place.on_this_machine is here


@pytest.mark.parametrize("text", ["", "tcp", "tcp::1", "tcp:host", "tcp:host:0", "tcp:host:65536", "udp:h:1", "unix:"])
def test_what_is_no_place(text: str) -> None:
    with pytest.raises(ValueError, match="no endpoint"):
        read_place(text)
