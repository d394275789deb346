"""Session scripts: what an end of a connection sends, expects and answers, as states and rules (M-169)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, unique
from typing import Final, NamedTuple

from .values import Value, Values


@unique
class On(Enum):
    """What a rule is for."""

    CONNECT = "connect"
    """The connection stands; in the first state alone."""
    ENTER = "enter"
    """The state was entered."""
    PACKET = "packet"
    """A packet of some kind came."""
    PUT = "put"
    """A message waits to be sent."""
    TIMEOUT = "timeout"
    """Nothing has led out of the state within its time."""
    IDLE = "idle"
    """Nothing was sent for as long as the state says: keep-alive."""
    CLOSED = "closed"
    """The other end has ended the connection."""


@unique
class Other(Enum):
    """What becomes of a packet that no transaction or no rule knows."""

    CLOSE = "close"
    IGNORE = "ignore"
    SEND = "send"
    """An error answer; then the session goes on."""


COPY_REST: Final = "rest"


class Send(NamedTuple):
    """A packet to send.

    ``set``: values of fields. ``copy``: fields by the field of a packet that came, ``field`` of the one that is
    answered or ``transaction.field`` of the last of another kind. ``rest``: whether all else is as in the packet that
    is answered, which is of the same transaction.
    """

    transaction: str
    set: Mapping[str, Value] = {}
    copy: Mapping[str, str] = {}
    rest: bool = False


class Rule(NamedTuple):
    """What happens on an event.

    ``packet``, ``where``: for `On.PACKET`, the transaction and values of its fields. ``send``: in this order. ``next``:
    the state, empty to stay. ``deliver``: the packet carries a message for us; what is sent waits until it is put.
    ``answer``: the packet answers the message that was sent; likewise. ``accepted``: the other side has the message
    that was sent: the point of commit. ``refused``: it will never take it. ``close``: why the connection ends, empty
    if it does not.
    """

    on: On
    packet: str = ""
    where: Mapping[str, Value] = {}
    send: tuple[Send, ...] = ()
    next: str = ""
    deliver: bool = False
    answer: bool = False
    accepted: bool = False
    refused: bool = False
    close: str = ""

    def meets(self, values: Values) -> bool:
        """Return whether a packet is one for this rule."""
        return values.transaction == self.packet and all(
            values.fields.get(name) == value for name, value in self.where.items()
        )


class State(NamedTuple):
    """One state. ``within``, ``idle``: seconds for `On.TIMEOUT` and `On.IDLE`, 0 for never."""

    name: str
    rules: tuple[Rule, ...]
    within: float = 0.0
    idle: float = 0.0

    def rule(self, on: On) -> Rule | None:
        """Return the rule for an event that is no packet."""
        return next((rule for rule in self.rules if rule.on is on), None)

    def rule_for(self, values: Values) -> Rule | None:
        """Return the first rule for a packet."""
        return next((rule for rule in self.rules if rule.on is On.PACKET and rule.meets(values)), None)


class Reaction(NamedTuple):
    """What becomes of packets that are not known, or not expected (M-167)."""

    other: Other
    send: Send | None = None


class Script(NamedTuple):
    """The script of one end. ``first``: the state in which it begins."""

    first: str
    states: Mapping[str, State]
    unrecognised: Reaction
    unexpected: Reaction
