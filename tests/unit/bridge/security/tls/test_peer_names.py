"""SSLPEER: its form, what it matches, and which of two patterns is more specific (tls.md, SSLPEER)."""

from __future__ import annotations

import pytest

from mqbridge.bridge.security.tls import (
    DistinguishedName,
    PeerCertificate,
    PeerNameError,
    PeerPattern,
    parse_peer_name,
    peer_name_of,
)

pytestmark = [pytest.mark.spec("tls.md T-09"), pytest.mark.spec("tls.md T-11")]

ISSUER = DistinguishedName((("O", "Tests"), ("CN", "Authority")))


def name(*attributes: tuple[str, str]) -> DistinguishedName:
    return DistinguishedName(attributes)


MARS = name(
    ("DC", "org"), ("DC", "example"), ("C", "GB"), ("O", "Space, Inc"), ("OU", "Planets"), ("OU", "Inner"),
    ("CN", "MARS"), ("UID", "mars"), ("MAIL", "m@example.org"),
)  # fmt: skip
SERIAL = 0x4CD049D5025F38


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("CN=MARS", True),
        ("CN=mars", True),
        ("CN=VENUS", False),
        ("CN=MAR", False),
        ("CN=M*", True),
        ("CN=*s", True),
        ("CN=*ar*", True),
        ("CN=*", True),
        ("CN=**", True),
        ("CN=*x*", False),
        ("CN=M*S", False),
        ('CN="MARS"', True),
        ('CN=" MARS"', False),
        ('CN="M*"', True),
        ('CN="M\\*"', False),
        ("CN=MARS,C=GB", True),
        ("CN=MARS;C=GB", True),
        ("  CN= MARS ,  C=GB ; UID=mars ", True),
        ('CN="MARS" , C = GB', None),
        ('O="Space, Inc"', True),
        ('O="space, INC" ;CN=MARS', True),
        ("O=Space*", True),
        ('O="Space, Inc,CN=MARS"', False),
        ("OU=Planets", True),
        ("OU=Inner", False),
        ("OU=Planets,OU=Inner", True),
        ("OU=Inner,OU=Planets", False),
        ("OU=Planets,OU=Inner,OU=Small", False),
        ("OU=*,OU=Inner", True),
        ("DC=org", True),
        ("DC=org,CN=MARS,DC=example", True),
        ("DC=example", False),
        ("L=London", False),
        ("L=*", False),
        ("MAIL=m@*", True),
        ("E=m@example.org", True),
        ("USERID=mars", True),
        ("SERIALNUMBER=4C:D0:49:D5:02:5F:38", True),
        ("SERIALNUMBER=4cd049d5025f38", True),
        ("SERIALNUMBER=4C:D0:*", True),
        ("SERIALNUMBER=*:5F:38,CN=MARS", True),
        ("SERIALNUMBER=4C:D0:49:D5:02:5F:39", False),
    ],
)
def test_matching(pattern: str, expected: bool | None) -> None:
    if expected is None:
        with pytest.raises(PeerNameError):
            parse_peer_name(pattern)
    else:
        assert parse_peer_name(pattern).matches(MARS, SERIAL) is expected


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("", ""), (" ", ""), ("CN", ""), ("CN=", "CN"), ("CN= ,O=x", "CN"), ("CN =MARS", "CN"), ("cn=MARS", "cn"),
        ("=MARS", ""), ("CN=MARS,", ""), ("CN=MARS,,O=x", ""), (",CN=MARS", ""), ("XX=1", "XX"),
        ("2.5.4.3=MARS", "2.5.4.3"),
        ("CN=a,CN=b", "CN"), ("E=a,MAIL=b", "MAIL"), ("ST=a,S=b", "ST"), ("UID=a,USERID=b", "UID"),
        ('CN="MARS', "CN"), ('CN="MARS\\"', "CN"), ('CN="MARS" x', "CN"), ('CN=""x', "CN"), ('"CN=MARS"', ""),
        ("CN=MARS O", None), ("\0=x", "\0"), ("CN=x\0", None), ("CN\n=x", "CN"),
    ],
)  # fmt: skip
def test_form(text: str, attribute: str | None) -> None:
    if attribute is None:
        parse_peer_name(text)
        return
    with pytest.raises(PeerNameError) as caught:
        parse_peer_name(text)
    assert caught.value.attribute == attribute


def test_length() -> None:
    assert parse_peer_name("CN=" + "x" * 1021).matches(name(("CN", "X" * 1021)))
    with pytest.raises(PeerNameError, match="1024"):
        parse_peer_name("CN=" + "x" * 1022)


@pytest.mark.parametrize("text", ['CN="' + "\\" * 1000, 'CN="' + '\\"' * 500, "=" * 1024, "CN=x," * 204, " " * 1024])
def test_bad_text_costs_little(text: str) -> None:
    with pytest.raises(PeerNameError):
        parse_peer_name(text)


@pytest.mark.parametrize(
    ("value", "pattern"),
    [
        ("*.example.org", "CN=\\*.example.org"),
        ("a*", 'CN="a\\*"'),
        ('a"b', 'CN="a\\"b"'),
        ("a\\", "CN=a\\\\"),
        ("a\\b", "CN=a\\b"),
    ],
)
def test_characters_that_stand_for_themselves(value: str, pattern: str) -> None:
    assert parse_peer_name(pattern).matches(name(("CN", value)))
    assert not parse_peer_name(pattern).matches(name(("CN", value + "x")))
    assert not parse_peer_name(pattern).matches(name(("CN", "x" + value)))


def test_a_type_that_a_name_may_not_repeat() -> None:
    """The last value counts, which is the most specific."""
    twice = name(("CN", "first"), ("O", "x"), ("CN", "last"))
    assert parse_peer_name("CN=last").matches(twice)
    assert not parse_peer_name("CN=first").matches(twice)


def test_an_issuer_has_no_serial_number() -> None:
    assert not parse_peer_name("SERIALNUMBER=*").matches(ISSUER)
    assert not parse_peer_name("SERIALNUMBER=5").matches(name(("SERIALNUMBER", "5")))


def test_nothing_matches_without_a_certificate() -> None:
    assert not parse_peer_name("CN=*").matches_certificate(None)
    assert not PeerPattern(()).matches(MARS, SERIAL)


def test_what_is_displayed_can_be_given() -> None:
    certificate = PeerCertificate(MARS, ISSUER, SERIAL)
    assert certificate.peer_name == (
        'SERIALNUMBER=4C:D0:49:D5:02:5F:38,MAIL=m@example.org,UID=mars,CN=MARS,OU=Planets,OU=Inner,O="Space, Inc",C=GB,'
        "DC=org,DC=example"
    )
    assert parse_peer_name(certificate.peer_name).matches_certificate(certificate)
    assert parse_peer_name(peer_name_of(certificate)).matches_certificate(certificate)


@pytest.mark.parametrize(
    "patterns",
    [
        ["SERIALNUMBER=01", "MAIL=a", "UID=a", "CN=a", "T=a", "OU=a", "DC=a", "O=a", "STREET=a", "L=a", "ST=a", "PC=a",
         "C=a", "UNSTRUCTUREDNAME=a", "UNSTRUCTUREDADDRESS=a", "DNQ=a"],
        ["CN=MARS,O=x", "CN=MARS", "CN=MAR*,O=x", "CN=MAR*", "CN=MA*", "CN=*S", "CN=*", "O=x,C=GB", "O=x", "O=*,C=GB"],
        ["CN=MARS", "CN=MAR*,OU=Planets,O=Space"],
        ["OU=a,OU=b", "OU=a,OU=b*", "OU=a", "OU=a*,OU=b"],
        ["O=a\\*b", "O=a*"],
    ],
)  # fmt: skip
def test_the_more_specific_first(patterns: list[str]) -> None:
    parsed = {text: parse_peer_name(text).specificity for text in patterns}
    assert [parsed[text] for text in patterns] == sorted(parsed.values())
    assert len(set(parsed.values())) == len(patterns)
