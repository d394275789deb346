from __future__ import annotations

import pytest
from spec_coverage import load_index, report, resolve

INDEX = {"channels.md": {"5": "Batches", "5.1": "Ends", "5.2": "Commit protocol", "6": "Heartbeats"}}


@pytest.mark.parametrize(
    ("reference", "number"),
    [("channels.md 5.2", "5.2"), ("channels.md 5.2 step 3", "5.2"), ("channels.md 5", "5")],
)
def test_a_reference_names_document_and_number(reference: str, number: str) -> None:
    assert resolve(reference, INDEX) == ("channels.md", number)


@pytest.mark.parametrize("reference", ["channels.md", "channels.md 5.3", "channel.md 5.2", "channels.md 5.2 so", 5])
def test_an_unknown_reference_is_an_error(reference: object) -> None:
    with pytest.raises(ValueError, match="unknown reference"):
        resolve(reference, INDEX)


def test_the_nearest_reference_is_offered() -> None:
    with pytest.raises(ValueError, match=r"did you mean 'channels\.md 5\.2'"):
        resolve("channel.md 5.2", INDEX)


def test_the_report_counts_what_has_no_parts_and_names_what_is_missing() -> None:
    lines = report(INDEX, {("channels.md", "5.2"): {"a", "b"}, ("channels.md", "5"): {"c"}})
    assert lines[0] == "channels.md: 1 of 3 cited"
    assert "  5       Batches (1 test)" in lines
    assert "  5.2     Commit protocol (2 tests)" in lines
    assert lines[-2:] == ["  5.1     Ends: NOT CITED", "  6       Heartbeats: NOT CITED"]


def test_the_index_holds_the_sections_and_checklists_of_the_notes() -> None:
    index = load_index()
    assert {"mq-wire.md", "channels.md", "mqi.md"} <= set(index)
    assert "5.16" in index["mq-wire.md"]
    assert "20.20" in index["channels.md"]
    assert "21.20" in index["mqi.md"]
