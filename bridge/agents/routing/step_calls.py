"""The effect by which a Python function is called that is a step of a route."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.mappings.transformations import CallPython


class StepAnswer(NamedTuple):
    """What became of a call: the messages that the function returned, none if it dropped the message; or a failure.

    ``reason``: 0, or the MQRC of a failure. ``text``: a sentence about it, without data of messages.
    """

    messages: tuple[Message, ...] = ()
    reason: int = 0
    text: str = ""


@dataclass(slots=True, eq=False)
class CallStep:
    """Effect: call a Python function in a worker process within its time limit, then ``then(answer, now)``, once."""

    call: CallPython
    then: Callable[[StepAnswer, Time], None]
