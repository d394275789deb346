"""Any text gives a selector or a documented error, soon, and a selector gives an answer for any values."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mqbridge.mappings.selectors import MAX_LENGTH, SelectorError, compile_selector
from mqbridge.protocol.constants import MQRC

pytestmark = [pytest.mark.spec("mqi.md 18.2"), pytest.mark.spec("mqi.md 21.19")]

REASONS = {MQRC.SELECTION_NOT_AVAILABLE, MQRC.SELECTION_STRING_ERROR, MQRC.SELECTOR_ALWAYS_FALSE}
SECONDS = 5.0
"""Of processor time for one text; the worst takes about a tenth of a second."""
WORDS = (
    "AND", "or", "NOT", "BETWEEN", "LIKE", "IN", "IS", "NULL", "ESCAPE", "TRUE", "FALSE", "(", ")", ",", "=", "<>",
    "<", ">=", "+", "-", "*", "/", "a", "b.c", "JMSPriority", "Root.MQMD.MsgId", "'x'", "'%_'", "5", "0x1F", "7.5e3",
    '"0x00ff"', "'", '"', ".", "0", "JMS", "Root", "9223372036854775808", " ", "\n",
)  # fmt: skip
values = st.none() | st.text(max_size=5) | st.integers(-9, 9) | st.floats() | st.booleans() | st.binary(max_size=3)


def attempt(text: str, value: object = None) -> None:
    started = time.process_time()
    fault = None
    try:
        assert compile_selector(text).decide(lambda name: value) in (True, False, None)
    except SelectorError as error:
        fault = error
    assert fault is None or (fault.reason in REASONS and len(str(fault)) < 300)
    assert time.process_time() - started < SECONDS


@given(st.text(max_size=60), values)
def test_any_text(text: str, value: object) -> None:
    attempt(text, value)


@given(st.lists(st.sampled_from(WORDS), max_size=25), st.sampled_from(["", " "]), values)
def test_any_words(words: list[str], gap: str, value: object) -> None:
    attempt(gap.join(words), value)


@given(st.sampled_from(WORDS), st.sampled_from(WORDS), st.sampled_from(["", "a", "a)", "'"]))
def test_long_repetitions(one: str, other: str, end: str) -> None:
    pair = f"{one} {other} "
    attempt((pair * (MAX_LENGTH // len(pair) + 1))[: MAX_LENGTH - len(end)] + end, True)


@pytest.mark.parametrize(
    "piece",
    ["(", "((a)", "NOT ", "-", "- ", "a AND ", "(a OR ", "a OR (a AND (", "a+", "(a+", "a IN('", "''", "'", "1.", "0x",
     "a LIKE '%", "a BETWEEN ", "a = ", "1e1", "9", "\\", "a.", "$", "_", "\udc80", "\0", "é", "(((a = 1) AND b) OR "],
)  # fmt: skip
def test_the_same_over_and_over(piece: str) -> None:
    attempt((piece * MAX_LENGTH)[:MAX_LENGTH], True)
    attempt((piece * MAX_LENGTH)[: MAX_LENGTH - 1] + "a", True)


def test_depth_leaves_room_on_the_stack() -> None:
    """The deepest selector is decided with half of the interpreter's frames in use."""

    def deep(levels: int, text: str) -> bool | None:
        return deep(levels - 1, text) if levels else compile_selector(text).decide(lambda name: True)

    levels = 99
    text = "NOT (b AND (" * levels + "a" + "))" * levels
    assert deep(sys.getrecursionlimit() // 2, text) in (True, False)
