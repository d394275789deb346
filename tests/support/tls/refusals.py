"""What each end is told where TLS keeps a connection from being made: the table of docs/security.md, row by row."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mqbridge.protocol.constants import MQRQ, StatusCode

TLS_1_2, TLS_1_3 = "ECDHE_RSA_AES_256_GCM_SHA384", "TLS_AES_256_GCM_SHA384"


@dataclass(frozen=True, slots=True)
class Told:
    """What is seen of a refusal. ``reason``: of the client; ``status``: to the partner; ``amq``: our log; ``event``:
    the qualifier of the event, or the name of its reason. Blank and None: nothing."""

    reason: int = 0
    status: StatusCode | None = None
    amq: str = ""
    event: MQRQ | None = None


@dataclass(frozen=True, slots=True)
class ClientRow:
    """A client of IBM's that should not come in. ``wish``: what it is told beyond the usual; ``trust`` and ``key`` are
    names of stores."""

    case: str
    channel: str
    told: Told
    wish: dict[str, str] = field(default_factory=dict)


HEADER = ("case", "client's reason", "status to the partner", "log", "event")


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines]


def shown(told: Told) -> list[str]:
    """The cells of what is told."""
    status = "" if told.status is None else f"0x{told.status:02X} {told.status.name}"
    return [str(told.reason or ""), status, told.amq, "" if told.event is None else f"{told.event.name}"]
