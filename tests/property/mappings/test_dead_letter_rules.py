"""Rules tables: whatever the text, a table or a documented error; a pattern of a text matches that text."""

from __future__ import annotations

import fnmatch
import re

from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.dead_letter_rules import RulesError, RulesTable, read_rules
from mqbridge.mappings.dead_letter_rules.patterns import glob

WORDS = st.sampled_from(
    ["ACTION", "DESTQ", "REASON", "(", ")", "'", "''", "+\n", "-\n", "\n", "*", " ", ",", "FWD", "IGNORE", "WAIT", "1"]
)


@given(st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map("".join)))
def test_any_text_is_a_table_or_an_error(text: str) -> None:
    line = 0
    try:
        assert isinstance(read_rules(text), RulesTable)
    except RulesError as error:
        line = error.line
    assert 0 <= line <= text.count("\n") + 1


@given(st.text("ab*?", max_size=8), st.text("ab", max_size=8))
def test_wildcards_are_those_of_file_names(pattern: str, text: str) -> None:
    assert glob(pattern, text) == bool(re.match(fnmatch.translate(pattern), text))


@given(st.text("ABCabc./_% '", min_size=1, max_size=40).filter(str.strip))
def test_a_quoted_value_is_as_it_is_written(text: str) -> None:
    quoted = text.replace("'", "''")
    (rule,) = read_rules(f"DESTQ('{quoted}') ACTION(IGNORE)").rules
    assert rule.patterns[0].wanted == text.rstrip(" ")
