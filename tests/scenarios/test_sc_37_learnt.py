"""SC-37, the learning half: from two packets of the thesis alone the aid proposes the fields of a template."""

from __future__ import annotations

import io

import pytest

pytest.importorskip("numpy")

from mqbridge.captures.dialogues import open_dialogues
from mqbridge.captures.drafts import Drafted, DraftOptions, collect, draft_protocol
from mqbridge.captures.drafts.specs import Spec
from support.captures.vectors import thesis

pytestmark = pytest.mark.spec("SC-37", "M-172")


def learnt(**options: object) -> Drafted:
    text = f"C> {thesis(3).hex()}\nC> {thesis(6).hex()}\n"
    collected = collect(open_dialogues(io.BytesIO(text.encode())))
    return draft_protocol(collected, DraftOptions(**options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def drafted() -> Drafted:
    return learnt()


@pytest.fixture(scope="module")
def fields(drafted: Drafted) -> dict[int | None, Spec]:
    (kind,) = drafted.kinds
    return {spec.start: spec for spec in kind.specs if not spec.is_constant}


@pytest.mark.spec("M-139", "M-142", "M-143")
@pytest.mark.parametrize(
    ("start", "order", "of"), [(4, "big", "packet"), (36, "little", {"from": 476}), (44, "little", {"from": 48})]
)
def test_the_lengths_are_proposed(fields: dict[int | None, Spec], start: int, order: str, of: object) -> None:
    spec = fields[start]
    assert (spec.claim.what, spec.length, spec.keys["order"]) == ("length", 4, order)
    assert spec.keys["compute"] == {"kind": "length", "of": of}
    assert spec.claim.support == (1 if start == 44 else 2), "one of two: the other is a misprint (K-17)"


def test_the_rest_of_the_fields_is_proposed(fields: dict[int | None, Spec]) -> None:
    assert (fields[32].claim.what, fields[32].length) == ("number", 4)
    for start in (56, 104, 300):
        assert (fields[start].claim.what, fields[start].length) == ("text", 48)
    assert (fields[200].claim.what, fields[200].length) == ("id", 24)
    assert (fields[456].claim.what, fields[456].keys["format"]) == ("time", "CCYYMMDDhhmmssth")
    assert (fields[476].length, fields[476].keys["map"]) == ("rest", "message")


@pytest.mark.spec("M-171")
def test_the_draft_reads_and_builds_both_packets(drafted: Drafted) -> None:
    assert drafted.tried.all_right
    assert "position = 4\nwidth = 4" in drafted.text


@pytest.mark.spec("M-176", "M-177")
def test_nothing_of_the_captured_system_is_in_the_draft(drafted: Drafted) -> None:
    for word in (b"QM_", b"WebSphere", b"MyHPQ", b"MyOpenQ", b"amqsput", bytes.fromhex("fa4f0c2f23")):
        assert word.hex(" ") not in drafted.text.replace('",\n    "', " ")
    assert drafted.blanked == 3
    kept = learnt(keep_values=True).text.replace('",\n    "', " ")
    assert b"WebSphere".hex(" ") in kept


def test_a_known_name_names_its_field() -> None:
    assert 'name = "queue", position = 56' in learnt(known={"queue": "MyHPQ"}).text
