"""What a get wants: selection, wait and limits (mqi.md 7, 8 and 10, client-observed.md 5)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from mqbridge.protocol.constants import MQMO
from mqbridge.protocol.errors import LocalProtocolError

NO_ID: Final = bytes(24)
NO_TOKEN: Final = bytes(16)
MATCHED: Final = (
    (int(MQMO.MATCH_MSG_ID), "msg_id"),
    (int(MQMO.MATCH_CORREL_ID), "correl_id"),
    (int(MQMO.MATCH_GROUP_ID), "group_id"),
    (int(MQMO.MATCH_MSG_TOKEN), "msg_token"),
)
"""Values that a message may have to match, by the bit of MQMO that says so."""
_MAX_I32: Final = 0x7FFFFFFF
_RANGES: Final = (("options", 0, 0xFFFFFFFF), ("max_length", -1, _MAX_I32), ("ccsid", 0, _MAX_I32))


@dataclass(frozen=True, kw_only=True, slots=True)
class GetParameters:
    """Selection, wait and limits of a get. ``options``: MQGMO. ``match_options``: MQMO. ``wait``: seconds, None without
    limit, 0 for none. ``max_length``: longest data in bytes, -1 for any.

    Raises ``LocalProtocolError`` for a value that a request cannot hold.
    """

    options: int = 0
    wait: float | None = 0.0
    max_length: int = -1
    match_options: int = 0
    msg_id: bytes = NO_ID
    correl_id: bytes = NO_ID
    group_id: bytes = NO_ID
    msg_token: bytes = NO_TOKEN
    msg_seq_number: int = 0
    offset: int = 0
    md_version: int = 2
    ccsid: int = 0
    """Target of MQGMO_CONVERT; 0 for the queue manager's own."""
    encoding: int = 0

    selection: tuple[Any, ...] = field(init=False, compare=False, repr=False)
    """Values of the selection part of REQUEST_MSGS."""

    def __post_init__(self) -> None:
        selection = (
            self.match_options, self.msg_id, self.correl_id, self.group_id, self.msg_token, self.msg_seq_number,
            self.offset, self.md_version, self.ccsid, self.encoding,
        )  # fmt: skip
        object.__setattr__(self, "selection", selection)
        wait = self.wait
        if wait is not None and not 0 <= wait * 1000 <= _MAX_I32:
            raise LocalProtocolError(f"a wait of {wait} seconds: 0 to {_MAX_I32 // 1000} can be, or None without end")
        for name, least, most in _RANGES:
            value = getattr(self, name)
            if not least <= value <= most:
                raise LocalProtocolError(f"{name} {value} does not fit")
        for _, name in MATCHED:
            value, size = getattr(self, name), len(NO_TOKEN if name == "msg_token" else NO_ID)
            if len(value) != size:
                raise LocalProtocolError(f"{name}: {len(value)} bytes given, the field has {size}")

    @property
    def milliseconds(self) -> int:
        """WaitInterval."""
        return -1 if self.wait is None else int(self.wait * 1000)
