"""Programs as the queue manager knows them: which one, and who it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from mqbridge.protocol.constants import MQAT

ProgramId: TypeAlias = bytes
"""Says to which program something belongs: the ConnectionId of its connection; empty for the queue manager's own
agents."""
NO_PROGRAM: Final[ProgramId] = b""


@dataclass(slots=True)
class Application:
    """Who calls: what default context is made of (mqi.md 5.4) and what handle displays show.

    ``accounting_token`` has 32 bytes; its last one is the token type.
    """

    user: str = ""
    appl_type: int = MQAT.DEFAULT
    appl_name: str = ""
    accounting_token: bytes = bytes(32)
    channel: str = ""
    connection: str = ""

    def __post_init__(self) -> None:
        self.appl_type = int(self.appl_type)
