"""What a session tells its owner, beside the bytes to send."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from .values import Values


class Delivered(NamedTuple):
    """A packet carries a message for us. `SessionMachine.settled` is to follow when it is safe."""

    values: Values


class Answered(NamedTuple):
    """The answer to the message that was put. `SessionMachine.settled` is to follow when it is safe.

    ``accepted``, ``refused``: whether this is also the point at which the other side has the message, or will not take
    it: then the get ends together with the put of the answer, and no other event says so.
    """

    values: Values
    accepted: bool
    refused: bool


class Accepted(NamedTuple):
    """The other side has the message that was put."""


class Refused(NamedTuple):
    """The other side will not take the message that was put. ``values``: what it said; None if it said nothing."""

    values: Values | None


class Unknown(NamedTuple):
    """A packet that is not known, damaged, or not expected in this state (M-167).

    ``reason``: one clause. ``extract``: its first bytes, at most 32.
    """

    reason: str
    extract: bytes


class Ended(NamedTuple):
    """The session has ended; the connection is to be closed when all bytes are sent.

    ``reason``: one clause. ``in_doubt``: whether a message was put of which nobody knows whether the other side has it.
    """

    reason: str
    in_doubt: bool


Event: TypeAlias = Delivered | Answered | Accepted | Refused | Unknown | Ended
EXTRACT = 32
"""Bytes of a packet that `Unknown` shows."""
