"""What a rule says of a capture."""

from __future__ import annotations

from typing import NamedTuple

from mqbridge.protocol.states import Member


class Severity(Member):
    """How bad a finding is; the value is how reports write it, the order that of reports."""

    ERROR = "error"
    WARNING = "warning"
    SECURITY = "security"
    PERFORMANCE = "performance"
    INFERRED = "inferred"
    INFO = "info"


class Deviation(NamedTuple):
    """What a rule found: what was ``expected`` and what was ``seen``, each a clause without a full stop."""

    expected: str
    seen: str


class Finding(NamedTuple):
    """A row of the table of findings.

    ``rule``: its number, such as ``C-201``. ``flow``: number of the flow in its capture. ``packet``: number of the
    packet as tshark counts them, 0 where none can be named. ``time``: seconds since the epoch. ``spec``: section of
    the protocol notes that the rule rests on.
    """

    rule: str
    severity: Severity
    flow: int
    packet: int
    time: float
    title: str
    expected: str
    seen: str
    spec: str
