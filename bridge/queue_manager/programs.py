"""Identity of programs: their ids and who they run as."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from mqbridge.protocol.constants import MQAT

ProgramId: TypeAlias = bytes
"""Id of a program: the ConnectionId of its connection; empty for message channel agents and the queue manager."""
NO_PROGRAM: Final[ProgramId] = b""


@dataclass(slots=True)
class Application:
    """Identity of a program, for default context (mqi.md 5.4) and displays.

    ``accounting_token``: 32 bytes, the last one is the token type.
    """

    user: str = ""
    appl_type: int = MQAT.DEFAULT
    appl_name: str = ""
    accounting_token: bytes = bytes(32)
    channel: str = ""
    connection: str = ""

    def __post_init__(self) -> None:
        self.appl_type = int(self.appl_type)
