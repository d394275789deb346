from __future__ import annotations

import pytest

from mqbridge.captures.report.notes import parse_note
from support.project.citations import load_notes
from support.project.spec_coverage import report, resolve

NOTES = {
    "channels.md": parse_note(
        """
## <a id="5"></a>5 Batches

### <a id="5.1"></a>5.1 Ends

### <a id="5.2"></a>5.2 Commit protocol

| Step | Sender |
|---|---|
| 1 | sends |
| 3 | asks |

## <a id="6"></a>6 Heartbeats
"""
    )
}


@pytest.mark.parametrize(
    ("reference", "number"),
    [("channels.md 5.2", "5.2"), ("channels.md 5.2 step 3", "5.2"), ("channels.md 5", "5")],
)
def test_a_reference_names_document_and_number(reference: str, number: str) -> None:
    assert resolve(reference, NOTES) == ("channels.md", number)


@pytest.mark.parametrize(
    "reference", ["channels.md", "channels.md 5.3", "channel.md 5.2", "channels.md 5.2 so", "channels.md 5.2 step 2", 5]
)
def test_an_unknown_reference_is_an_error(reference: object) -> None:
    with pytest.raises(ValueError, match="unknown reference"):
        resolve(reference, NOTES)


def test_the_nearest_reference_is_offered() -> None:
    with pytest.raises(ValueError, match=r"did you mean 'channels\.md 5\.2'"):
        resolve("channel.md 5.2", NOTES)


def test_the_report_counts_what_has_no_parts_and_names_what_is_missing() -> None:
    lines = report(NOTES, {("channels.md", "5.2"): {"a", "b"}, ("channels.md", "5"): {"c"}})
    assert lines[0] == "channels.md: 1 of 3 cited"
    assert "  5       Batches (1 test)" in lines
    assert "  5.2     Commit protocol (2 tests)" in lines
    assert lines[-2:] == ["  5.1     Ends: NOT CITED", "  6       Heartbeats: NOT CITED"]


def test_the_notes_have_sections_checklists_and_observations() -> None:
    notes = load_notes()
    assert notes["mq-wire.md"]["5.16"].title.startswith("PCF")
    assert notes["channels.md"]["20.20"].text == "20. name validity."
    assert notes["mqi.md"]["21.20"].title == "Test checklist"
    assert "**2540**" in notes["client-observed.md"]["o-031"].text
    assert "O-032" not in notes["client-observed.md"]["o-031"].text
