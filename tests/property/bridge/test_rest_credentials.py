"""Headers with credentials: whatever is in them, they are those of one user, or refused."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.admin.authentication import _basic
from mqbridge.bridge.admin.errors import RestError
from mqbridge.bridge.rest_client import parse_url

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
HEADERS = st.one_of(st.text(), st.binary().map(lambda data: "Basic " + base64.b64encode(data).decode()))


def outcome(action: Callable[[], Any]) -> Any:
    """What an action returns, or the error that it raises."""
    try:
        return action()
    except (RestError, ValueError) as error:
        return error


@given(TEXTS.filter(lambda text: ":" not in text), TEXTS)
def test_user_and_password_are_read_as_they_were_written(user: str, password: str) -> None:
    encoded = base64.b64encode(f"{user}:{password}".encode()).decode()
    for scheme in ("Basic", "basic", "BASIC"):
        assert _basic([f"{scheme} {encoded}"]) == (user, password)


@given(HEADERS)
def test_what_is_no_header_of_credentials_is_refused(header: str) -> None:
    found = outcome(lambda: _basic([header]))
    if isinstance(found, RestError):
        assert found.status == 401
        assert len(header) < 5 or header not in str(found)
        return
    user, password = found
    assert header.lower().startswith("basic ")
    assert base64.b64decode(header[6:].strip()) == f"{user}:{password}".encode()


@given(st.text())
def test_a_url_is_an_address_or_refused_without_its_password(text: str) -> None:
    found = outcome(lambda: parse_url(f"https://ann:{text}@mq.example.com:9443"))
    if isinstance(found, ValueError):
        assert len(text) < 5 or text not in str(found)
    else:
        assert (found.user, found.host) == ("ann", "mq.example.com")
