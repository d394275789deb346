"""SUB: the subscription handle in front of the SD of an MQSUB, client-observed.md O-068."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.sub import SubBig, SubLittle


def _sub(n: Numbers) -> Any:
    return Struct(
        n.i32("SubscriptionHandle", "-1, in a reply the handle of the subscription", default=-1),
        n.u32("Unknown", "not known, 0"),
    )


SUB = Structure("SUB", _sub, SubBig, SubLittle, spec="client-observed.md 4")
"""8 bytes."""
