"""Rows of calls and batches, made from observations."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Final

from mqbridge.captures.tables.rows import BatchRow, CallRow
from mqbridge.protocol.constants import MQCC, reason_name
from mqbridge.protocol.observer import Observation
from mqbridge.protocol.observer.channel import BatchSettled
from mqbridge.protocol.observer.client import CallAnswered, CallUnanswered

CallMaker = Callable[[Any, str, int], CallRow]
BatchMaker = Callable[[Any, str, int], BatchRow]


@cache
def _completion(comp_code: int) -> str:
    return str(MQCC(comp_code))


@cache
def _reason(comp_code: int, reason: int) -> str:
    return str(reason_name(reason)) if comp_code or reason else ""


def _answered(seen: CallAnswered, capture: str, flow: int) -> CallRow:
    asked, answered = seen.asked, seen.answered
    return CallRow(
        capture,
        flow,
        asked.time,
        asked.packet,
        answered.time,
        answered.packet,
        answered.time - asked.time,
        seen.conversation,
        seen.name,
        seen.handle,
        seen.object_name,
        seen.comp_code,
        _completion(seen.comp_code),
        seen.reason,
        _reason(seen.comp_code, seen.reason),
        seen.request_bytes,
        seen.reply_bytes,
        seen.wait,
    )


def _unanswered(seen: CallUnanswered, capture: str, flow: int) -> CallRow:
    asked = seen.asked
    return CallRow(
        capture,
        flow,
        asked.time,
        asked.packet,
        None,
        0,
        None,
        seen.conversation,
        seen.name,
        seen.handle,
        seen.object_name,
        0,
        "",
        0,
        "",
        seen.request_bytes,
        0,
        seen.wait,
    )


def _settled(seen: BatchSettled, capture: str, flow: int) -> BatchRow:
    asked, confirmed = seen.asked, seen.confirmed
    return BatchRow(
        capture,
        flow,
        seen.direction.value,
        seen.batch,
        seen.luwid.hex(),
        seen.first_sequence,
        seen.last_sequence,
        seen.messages,
        seen.size,
        seen.begun.time,
        seen.begun.packet,
        None if asked is None else asked.time,
        None if confirmed is None else confirmed.time,
        None if asked is None or confirmed is None else confirmed.time - asked.time,
        seen.fate.value,
    )


CALL_ROWS: Final[dict[type[Observation], CallMaker]] = {CallAnswered: _answered, CallUnanswered: _unanswered}
"""Functions that make rows of calls from observation, capture and flow, by class of the observation."""

BATCH_ROWS: Final[dict[type[Observation], BatchMaker]] = {BatchSettled: _settled}
"""Functions that make rows of batches, likewise."""
