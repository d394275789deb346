"""CSH: the compression header behind the API header of a compressed call, client-observed.md O-013.

Behind it the other structures of the call follow, run-length coded. We agree to no compression, so this is only shown.
"""

from __future__ import annotations

from typing import Any

from construct import Int16ub, Struct

from mqbridge.protocol.constants import MQCOMPRESS
from mqbridge.protocol.fields import Numbers, part
from mqbridge.protocol.grammar import Structure
from mqbridge.protocol.layouts.csh import CshBig, CshLittle


def _csh(n: Numbers) -> Any:
    return Struct(
        part("Length", Int16ub, "bytes of the segment without eight, always big-endian", kind="int", default=8),
        n.u8("Unknown", "not known, 0"),
        n.u8("MsgCompression", "compression of message data in use", names=MQCOMPRESS),
    )


CSH = Structure("CSH", _csh, CshBig, CshLittle, spec="client-observed.md 1")
"""4 bytes."""
