"""Errors: one exception, stable numbers, texts without secrets (mqe.md 23)."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Final

import pytest

from mqbridge.protocol.everyplace.calls import Refused, outcome_fields, read_outcome
from mqbridge.protocol.everyplace.errors import Code, DumpError, EveryplaceError, NoMatchingMessage

HOME: Final = Path(__file__).parents[4]
GIVEN: Final = """
7 DATA 100 SYNTAX 101 TYPE 102 NOT_FOUND 103 NOT_ALLOWED 104 NOT_SUPPORTED 105 RULE 106 STOPPED 107 CLOSED 108 ACTIVE
109 BAD_REQUEST 110 TOO_LONG 111 STORE 200 Q_NO_MATCHING_MSG 201 Q_FULL 202 Q_ALREADY_EXISTS 203 Q_NOT_EMPTY
204 Q_UNKNOWN 205 Q_IN_USE 206 DUPLICATE 207 WRONG_LOCK 208 EXPIRED 209 ALIAS_CYCLE 300 AUTHENTICATE 301 CON_UNKNOWN
302 CON_ALREADY_EXISTS 303 CON_ALIAS_ALREADY_EXISTS 304 CON_ADAPTER_REQUIRED 305 CON_INVALID_NAME 306 CHNL_LIMIT
307 CHNL_OVERRUN 308 CHNL_ID 309 CHNL_ATTRIBUTES 310 ADAPTER_EXCEPTION 311 ADAPTER_MISSING_REMOTE_ADDRESS 312 REPLACED
313 LANE_HELD 314 LATER 315 OUTCOME_UNKNOWN 400 ADMIN_ACTION_NOT_SUPPORTED 401 ADMIN_INVALID_FIELD
402 ADMIN_NOT_ADMIN_MSG 500 REGISTRY_WRONG_PIN 501 REGISTRY_NEWER 600 BRIDGE_NOT_RUNNING 601 BRIDGE_MQ_UNAVAILABLE
602 BRIDGE_MQ_REFUSED 603 BRIDGE_ID_TOO_LONG
"""
"""Numbers that were given; they stay for ever."""


@pytest.mark.spec("E-565", "E-568")
def test_numbers_that_were_given_stay() -> None:
    words = GIVEN.split()
    for number, name in zip(words[::2], words[1::2], strict=True):
        assert Code[name] == int(number)
    assert len({each.value for each in Code}) == len(Code)


@pytest.mark.spec("E-565", "E-568")
def test_base_and_bridge_have_sets_of_their_own_and_each_code_is_documented() -> None:
    assert all((each.value >= 600) == each.name.startswith("BRIDGE") for each in Code)
    page = (HOME / "docs/everyplace.md").read_text(encoding="utf-8")
    assert [each for each in Code if not re.search(rf"\| {each.value} \| `{each.name}` \| \S+ \S+", page)] == []


@pytest.mark.spec("E-565", "E-566", "E-569")
@pytest.mark.parametrize(
    "error", [EveryplaceError(Code.Q_FULL, "Q@MOON is full"), NoMatchingMessage(), DumpError(7, "a type is missing")]
)
def test_there_is_one_class_and_errors_are_compared_by_code(error: EveryplaceError) -> None:
    assert isinstance(error, EveryplaceError)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.code, again.text, str(again)) == (type(error), error.code, error.text, str(error))
    refused = Refused(error.code, error.text)
    answer = read_outcome(outcome_fields(refused))
    assert answer == refused
    assert isinstance(answer, Refused)
    raised = answer.error()
    assert raised.code is error.code
    assert isinstance(raised, NoMatchingMessage) == (error.code is Code.Q_NO_MATCHING_MSG)


@pytest.mark.spec("E-566", "E-571")
def test_a_text_ends_with_name_and_number_of_its_code() -> None:
    assert str(EveryplaceError(Code.DATA, "this is no frame")) == "this is no frame (DATA, 7)"
