"""RR: the response record, completion and reason code of one destination of a distribution list, mq-wire.md 5.6."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import MQCC, reason_name
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.rr import RrBig, RrLittle


def _rr(n: Numbers) -> Any:
    return Struct(
        n.u32("CompCode", "outcome", names=MQCC),
        n.u32("Reason", "reason", names=reason_name),
    )


RR = Structure("RR", _rr, RrBig, RrLittle, mq_name="MQRR", spec="mq-wire.md 5.6")
"""8 bytes."""
