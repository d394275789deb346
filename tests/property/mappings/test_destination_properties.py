"""URIs of destinations: what is written is read, and what is read is written alike."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.destinations import Destination, DestinationError

NAMES = st.from_regex(r"[A-Za-z0-9._/%]{1,48}", fullmatch=True)
MANAGERS = st.from_regex(r"[A-Za-z0-9._%]{0,48}", fullmatch=True)
TOPICS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
PROPERTIES = st.lists(
    st.tuples(
        st.from_regex(r"[A-Za-z_]{1,9}x", fullmatch=True),
        st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    ),
    max_size=5,
)
DESTINATIONS = st.one_of(st.builds(Destination.queue, NAMES, MANAGERS), st.builds(Destination.topic, TOPICS))
TEXTS = st.one_of(
    st.text(max_size=30),
    st.builds(
        lambda scheme, rest: scheme + rest,
        st.sampled_from(["queue://", "queue:///", "topic://"]),
        st.text(st.sampled_from("AB/?&=%+2dF .~é"), max_size=20),
    ),
)


@pytest.mark.spec("jms-mapping.md 7.1")
@given(DESTINATIONS, PROPERTIES)
def test_what_is_written_is_read(destination: Destination, properties: list[tuple[str, str]]) -> None:
    for name, value in properties:
        destination = destination.with_property(name, value)
    again = Destination.parse(destination.uri)
    assert again == destination
    assert again.uri == destination.uri


@pytest.mark.spec("jms-mapping.md 7.1")
@given(TEXTS, st.booleans())
def test_a_uri_that_was_read_is_written_so_that_it_reads_alike(text: str, conforming: bool) -> None:
    with suppress(DestinationError):
        destination = Destination.parse(text, conforming=conforming)
        uri = destination.uri
        assert Destination.parse(uri, conforming=conforming) == destination
        assert Destination.parse(uri, conforming=conforming).uri == uri
        assert "priority" not in text or destination.with_property("priority", 3).priority == 3
