"""The notes that a report carries: divided at their anchors, and there for every rule."""

from __future__ import annotations

import pytest

from mqbridge.captures.report.notes import cited, parse_note, read_note
from mqbridge.captures.rules import load

NOTE = """# A note

## <a id="1"></a>1 Start

Words.

| # | Fact |
|---|---|
| <a id="o-001"></a>O-001 | one |
| <a id="o-001a"></a>O-001a | another |

## <a id="2"></a>2 End

### <a id="2.1"></a>2.1 How

1. <a id="2.1.1"></a>first
   goes on
2. second

---

## <a id="3"></a>3 Last

Text (<a id="m-137"></a>M-137).
"""


def test_a_note_is_divided_at_its_anchors() -> None:
    note = parse_note(NOTE)
    assert [section.number for section in note.values()] == ["1", "O-001", "O-001a", "2", "2.1", "2.1.1", "3", "M-137"]
    assert note["1"].title == "Start"
    assert note["1"].text.startswith("Words.")
    assert note["1"].text.endswith("another |")
    assert note["2.1"].text == "1. first\n   goes on\n2. second"
    assert note["m-137"].text == "Text (M-137)."


def test_a_row_comes_with_the_head_of_its_table_and_an_item_whole() -> None:
    note = parse_note(NOTE)
    assert note["o-001a"].text == "| # | Fact |\n|---|---|\n| O-001a | another |"
    assert note["o-001a"].title == "Start"
    assert note["2.1.1"].text == "1. first\n   goes on"


def test_a_section_of_parts_alone_has_their_text() -> None:
    assert parse_note(NOTE)["2"].text.startswith("### 2.1 How")
    assert "Last" not in parse_note(NOTE)["2"].text


def test_an_anchor_stands_once() -> None:
    with pytest.raises(ValueError, match="anchor 1 stands twice"):
        parse_note('## <a id="1"></a>1 One\n## <a id="1"></a>1 One\n')


def test_a_report_carries_what_every_rule_cites() -> None:
    wanted = {row.spec for row in load().values()}
    found = cited(wanted)
    assert set(found) == wanted
    assert all(each["title"] and each["text"] for each in found.values())
    assert not any("<a id" in each["text"] for each in found.values())


def test_what_is_no_note_is_left_out() -> None:
    assert cited(["x.md 1", "channels.md 99", ""]) == {}
    assert read_note("x.md") == {}
