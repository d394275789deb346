"""SSLPEER: a pattern made of a name matches it and no other; quoting loses nothing; nothing but its error is raised."""

from __future__ import annotations

import contextlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.bridge.security import Caller, ChannelRules
from mqbridge.bridge.security.tls import (
    DistinguishedName,
    PeerCertificate,
    PeerNameError,
    certificate_called,
    channel_named,
    parse_peer_name,
    peer_name_of,
    server_name,
)
from mqbridge.bridge.security.tls.distinguished_name import quoted
from mqbridge.bridge.security.tls.peer_names import REPEATED, TYPES
from support.queue_manager.security_records import rule

pytestmark = pytest.mark.spec("tls.md T-11")

VALUES = st.one_of(
    st.text(alphabet='ab,;="\\* ', max_size=8), st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
)
SINGLE = [kind for kind in TYPES[1:] if kind not in REPEATED]
SERIALS = st.integers(0, 1 << 160)


@st.composite
def names(draw: st.DrawFn) -> DistinguishedName:
    kinds = draw(st.lists(st.sampled_from(SINGLE), unique=True, max_size=4))
    kinds += draw(st.lists(st.sampled_from(sorted(REPEATED)), max_size=4))
    return DistinguishedName(tuple((kind, draw(VALUES)) for kind in draw(st.permutations(kinds))))


@given(names(), SERIALS, names(), SERIALS)
def test_a_pattern_of_a_certificate_matches_it_and_no_other(
    subject: DistinguishedName, serial: int, other: DistinguishedName, other_serial: int
) -> None:
    certificate = PeerCertificate(subject, DistinguishedName(), serial)
    pattern = parse_peer_name(peer_name_of(certificate))
    assert pattern.matches_certificate(certificate)
    assert pattern.matches(subject, other_serial) is (serial == other_serial)
    given_once = sorted((kind, value.casefold()) for kind, value in subject.attributes)
    others = sorted((kind, value.casefold()) for kind, value in other.attributes)
    if len(given_once) == len(others) and given_once != others:
        assert not pattern.matches(other, serial)


@given(names(), st.data())
def test_a_changed_value_does_not_match(subject: DistinguishedName, data: st.DataObject) -> None:
    if not subject.attributes:
        return
    place = data.draw(st.integers(0, len(subject.attributes) - 1))
    kind, value = subject.attributes[place]
    changed = data.draw(VALUES.filter(lambda each: each.casefold() != value.casefold()))
    attributes = (*subject.attributes[:place], (kind, changed), *subject.attributes[place + 1 :])
    pattern = parse_peer_name(peer_name_of(PeerCertificate(subject, DistinguishedName(), 1)))
    assert not pattern.matches(DistinguishedName(attributes), 1)


@given(names())
def test_what_is_displayed_matches(subject: DistinguishedName) -> None:
    certificate = PeerCertificate(subject, DistinguishedName(), 0xAB)
    assert parse_peer_name(certificate.peer_name).matches_certificate(certificate)


@given(VALUES)
def test_quoting_round_trip(value: str) -> None:
    ((_, found),) = parse_peer_name(f"CN={quoted(value, exact=True)}").values
    assert (found.text, found.before, found.after) == (value.casefold(), False, False)


@given(st.text(alphabet='CNOUab=,;"\\* ', max_size=30))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    with contextlib.suppress(PeerNameError):
        pattern = parse_peer_name(text)
        assert pattern.values
        assert pattern.specificity == pattern.specificity


@given(st.text(alphabet="ABCXYZabcxyz019._/%", min_size=1, max_size=20))
@pytest.mark.spec("tls.md T-02")
def test_server_names_both_ways(channel: str) -> None:
    assert channel_named(server_name(channel)) == channel


@given(st.text(alphabet="abfg0129-.", max_size=20))
@pytest.mark.spec("tls.md T-02")
def test_a_server_name_names_one_channel_in_one_way(label: str) -> None:
    name = label + ".chl.mq.ibm.com"
    channel = channel_named(name)
    assert channel == "" or server_name(channel) == name


PATTERNS = st.lists(
    st.sampled_from(["CN=MARS", "CN=M*", "CN=*", "OU=a", "OU=*", "O=Space", "O=S*", "SERIALNUMBER=2A", "L=x"]),
    min_size=1,
    max_size=3,
    unique_by=lambda part: part.partition("=")[0],
).map(",".join)
RECORDS = st.lists(
    st.tuples(st.sampled_from(["*", "A*", "APP"]), PATTERNS, st.sampled_from(["", "CN=CA", "CN=*", "CN=B"])),
    min_size=1,
    max_size=6,
    unique=True,
)


@given(RECORDS, st.randoms())
def test_the_record_that_decides_matches_and_does_not_depend_on_the_order(
    records: list[tuple[str, str, str]], random: Random
) -> None:
    certificate = certificate_called("SERIALNUMBER=2A,CN=MARS,OU=a,OU=b,O=Space", "CN=CA")
    caller = Caller("APP", "10.0.0.1", client=True, certificate=certificate)
    rows = [
        rule(profile, "SSLPEERMAP", SSLPEER=peer_name, SSLCERTI=issuer, MCAUSER="u")
        for profile, peer_name, issuer in records
    ]
    matching = [
        row
        for row in rows
        if parse_peer_name(row.text("SSLPEER")).matches_certificate(certificate) and row.text("SSLCERTI") != "CN=B"
    ]
    found = ChannelRules(rows).mapping(caller)
    assert (found is None) is (not matching)
    assert found is None or found in matching
    random.shuffle(rows)
    assert ChannelRules(rows).mapping(caller) is found
