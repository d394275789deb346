"""XA: the header of XA calls, in place of the API header, mq-wire.md 5.13."""

from __future__ import annotations

from typing import Any

from construct import Struct

from mqbridge.protocol.constants import TMFlags, XAReturn
from mqbridge.protocol.fields import Numbers
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.xa import XaBig, XaLittle


def _xa(n: Numbers) -> Any:
    return Struct(
        n.network_u32("Length", "longest reply wanted; in a reply its own length; always big-endian"),
        n.i32("ReturnValue", "outcome", names=XAReturn),
        n.u32("TMFlags", "flags of the call, in the order of the segment", names=TMFlags),
        n.u32("RMId", "resource manager"),
    )


XA = Structure("XA", _xa, XaBig, XaLittle, spec="mq-wire.md 5.13")
"""16 bytes."""
