"""Citations are found in the forms that they are written in, and what they cite is looked up."""

from __future__ import annotations

import pytest

from support.project.citations import check, citations, load_notes, other_forms


def found(text: str) -> list[str]:
    return [f"{each.document} {each.number}" + "".join(f" {row}" for row in each.rows) for each in citations(text)]


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("see mq-wire.md 6.1.", ["mq-wire.md 6.1"]),
        ("(channels.md 17.3 and 17.4)", ["channels.md 17.3", "channels.md 17.4"]),
        ("mq-wire.md 5.4 to 5.13, 9.2", ["mq-wire.md 5.4", "mq-wire.md 5.13", "mq-wire.md 9.2"]),
        ("mqi.md 5, mq-wire.md 5.17", ["mqi.md 5", "mq-wire.md 5.17"]),
        ("(mqi.md 4.2 row 3)", ["mqi.md 4.2 3"]),
        ("mqi.md 17 rows 5 to 7", ["mqi.md 17 5 6 7"]),
        ("channels.md 7.2 steps 2, 4 and 5", ["channels.md 7.2 2 4 5"]),
        ("client-observed.md O-003a, O-004", ["client-observed.md O-003a", "client-observed.md O-004"]),
        ("O-091 alone, E-001, SC-02", ["client-observed.md O-091", "mqe.md E-001", "scenarios.md SC-02"]),
        ("# as channels.md\n    # 5.2 says", ["channels.md 5.2"]),
        ("mqe.md C-01, O-03", ["mqe.md C-01", "mqe.md O-03"]),
        ("FOO-001, T-01x, channels.md, the O-01 of others", []),
    ],
)
def test_a_text_cites(text: str, cited: list[str]) -> None:
    assert found(text) == cited


@pytest.mark.parametrize(
    "text",
    ["client-observed O-001", "`mq-wire.md` 7.9", "mqi.md section 5", "mqi.md §5.3", "mq-wire 5.14", "mqe\n    E-001"],
)
def test_another_form_is_told(text: str) -> None:
    assert list(other_forms(text))


@pytest.mark.parametrize("text", ["client-observed.md O-001", "two channels 5 times", "mqi.md, 5 calls", "a/mqi 3"])
def test_the_one_form_and_other_words_are_not_told(text: str) -> None:
    assert not list(other_forms(text))


@pytest.mark.parametrize(
    "text", ["channels.md 5.9", "client-observed.md O-199", "mqi.md 4.2 row 6", "E-999", "mqi.md 17 rows 17 to 19"]
)
def test_what_is_not_there_is_told(text: str) -> None:
    def look_up() -> None:
        for citation in citations(text):
            check(citation, load_notes())

    with pytest.raises(LookupError):
        look_up()
