"""Division of captures into tasks: few and large ones, because a Python task costs more than reading a small file.

Small captures are read completely, several per task; large ones are divided by flows (:mod:`captures.indexing`): into
few shares, which need no preceding pass, or by an index, for many parts or if only some flows are wanted. The index's
results about the whole capture are a piece of their own, as are findings across flows; for a capture in shares the last
share returns the results about the whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, Protocol, TypeVar

from pyspark.sql.datasource import InputPartition

from mqbridge.captures.analysis import unread_of_mq
from mqbridge.captures.errors import CaptureError
from mqbridge.captures.indexing import CaptureIndex, CapturePart, FlowShare, IndexedFlow, index_capture, share_flows
from mqbridge.captures.indexing.sampling import spread
from mqbridge.captures.reading.embedded_keys import look_for_keys
from mqbridge.captures.reading.unpacking import is_packed
from mqbridge.captures.spark.conditions import Conditions
from mqbridge.captures.spark.options import SourceOptions
from mqbridge.captures.tables import PROTOCOL_MESSAGES

TASK_SIZE: Final = 64 << 20
"""Bytes of captures per task, if no number of tasks is given."""
LARGE: Final = 32 << 20
"""Minimum size in bytes of a capture that is divided among the cores."""
SMALLEST_PART: Final = 16 << 10
"""Minimum size in bytes of a part, however many tasks are requested."""
MOST_SHARES: Final = 8
"""Maximum number of shares, each of which distinguishes all flows; for more parts an index takes less processor
time."""

_OF_FLOWS: Final = ("flow", "client", "server", "start")  # what an index knows of the rows of flows


class CaptureSummary(NamedTuple):
    """Results of the index of a divided capture; see ``captures.analysis.capture_rows``."""

    packets: int
    bytes_read: int
    error: CaptureError | None
    unread: dict[str, int]


class CapturePiece(NamedTuple):
    """A capture, or something of it.

    ``capture``: its name in the tables. ``path``: where workers open it. ``size``: in bytes. ``part``: some of its
    flows. ``summary``: results about the whole capture. ``across``: judge its flows together, which requires reading
    all of them again. Without any of these: all of it.
    """

    capture: str
    path: str
    size: int
    part: CapturePart | FlowShare | None = None
    summary: CaptureSummary | None = None
    across: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole capture."""
        return self.part is None and self.summary is None and not self.across


class Task(InputPartition):
    """Pieces read by one worker, one after the other."""

    def __init__(self, pieces: Sequence[CapturePiece]) -> None:
        super().__init__(None)
        self.pieces = tuple(pieces)

    def __repr__(self) -> str:
        return f"Task({len(self.pieces)} pieces, {sum(piece.size for piece in self.pieces)} bytes)"


def plan(captures: Iterable[str], asked: SourceOptions, conditions: Conditions) -> list[InputPartition]:
    """Return tasks of similar size that together read all captures, except where no row is wanted."""
    whole = [whole_piece(capture) for capture in captures if conditions.admit_value("capture", capture)]
    total, cores = sum(piece.size for piece in whole), os.cpu_count() or 1
    wanted = asked.partitions or max(min(len(whole), cores), -(-total // TASK_SIZE))
    pieces: list[CapturePiece] = []
    for piece in whole:
        if asked.partitions is None:
            parts = parts_of(piece.size, total, cores)
        else:
            parts = min(-(-piece.size * wanted // max(total, 1)), piece.size // SMALLEST_PART)
        pieces += divide(piece, parts, asked.keylog, across=asked.across, conditions=conditions)
    if asked.table == "captures":
        pieces = [piece for piece in pieces if piece.part is None]  # the index has all rows
    return [Task(each) for each in pack(pieces, wanted)]


def whole_piece(capture: str) -> CapturePiece:
    """Return a capture to be read by one worker."""
    return CapturePiece(capture, os.path.abspath(capture), _size(capture))


def parts_of(size: int, total: int, cores: int) -> int:
    """Return the number of parts of a capture of ``size`` bytes among ``total`` that gives all cores work.

    Not more than necessary: each part skips the bytes of the others.
    """
    return 1 if size < LARGE else min(cores, -(-2 * cores * size // total))


def divide(
    piece: CapturePiece, count: int, keylog: str | None, *, across: bool, conditions: Conditions | None = None
) -> list[CapturePiece]:
    """Divide a whole capture into at most ``count`` parts, plus a piece for results about the whole that no part
    returns; or return it unchanged if it cannot be divided."""
    if count < 2 or keylog is not None or not _is_divisible(piece.path):
        return [piece]
    try:
        described = conditions is not None and conditions.table == PROTOCOL_MESSAGES
        if described or (count <= MOST_SHARES and not _limit_flows(conditions)):  # an index knows flows of MQ alone
            return _shares(piece, min(count, MOST_SHARES), across=across)
        index = index_capture(piece.path)
    except OSError:
        return [piece]  # the worker reports the error
    if not index.divisible:
        return [piece]
    summary = CaptureSummary(index.packets, index.bytes_read, index.error, unread_of_mq(index.unread))
    if conditions is not None:
        _keep_wanted(index, conditions)
    parts = [part if part.blocks else index.part(part.flows) for part in index.partitions(count) if part.flows]
    if not parts and conditions is None:
        return [piece]
    total = sum(part.weight for part in parts) or 1
    shares = [piece.size * part.weight // total for part in parts]
    last = piece._replace(size=piece.size if across else 0, summary=summary, across=across)
    return [*(piece._replace(size=share, part=part) for share, part in zip(shares, parts, strict=True)), last]


def _shares(piece: CapturePiece, count: int, *, across: bool) -> list[CapturePiece]:
    shares = share_flows(piece.path, count)
    total = sum(share.weight for share in shares)
    sizes = [piece.size * share.weight // total if total else piece.size // count for share in shares]
    pieces = [piece._replace(size=size, part=share) for size, share in zip(sizes, shares, strict=True)]
    return [*pieces, piece._replace(across=True)] if across else pieces


def _limit_flows(conditions: Conditions | None) -> bool:
    """Whether an index could save reading some flows."""
    if conditions is None:
        return False
    columns = _OF_FLOWS if conditions.table == "flows" else ("flow",)
    return conditions.table == "captures" or any(each.column in columns for each in conditions.all)


def _keep_wanted(index: CaptureIndex, conditions: Conditions) -> None:
    """Remove flows without wanted rows. Flows between the same ports can only be read together."""
    wanted = {flow.key for flow in index.flows.values() if _may_be_wanted(flow, conditions)}
    index.flows = {number: flow for number, flow in index.flows.items() if flow.key in wanted}


def _may_be_wanted(flow: IndexedFlow, conditions: Conditions) -> bool:
    admit = conditions.admit_value
    if conditions.table != "flows":
        return admit("flow", flow.id)
    known = (flow.id, str(flow.initiator), str(flow.responder), flow.start_time)
    return all(admit(column, value) for column, value in zip(_OF_FLOWS, known, strict=True))


def pack(pieces: Iterable[CapturePiece], count: int) -> list[list[CapturePiece]]:
    """Return at most ``count`` piles of similar size; the largest pieces are placed first, each on the smallest
    pile."""
    largest_first = sorted(pieces, key=lambda piece: (-piece.size, piece.capture))
    piles: list[list[CapturePiece]] = [[] for _ in range(count)]
    for piece, place in zip(largest_first, spread((piece.size + 1 for piece in largest_first), count), strict=True):
        piles[place].append(piece)
    return [pile for pile in piles if pile]


class Sized(Protocol):
    """Anything with a size in bytes."""

    @property
    def size(self) -> int:
        """Size in bytes."""


S = TypeVar("S", bound=Sized)


def in_order(pieces: Iterable[S], size: int) -> list[list[S]]:
    """Return consecutive piles of about ``size`` bytes."""
    piles: list[list[S]] = []
    room = 0
    for piece in pieces:
        if room <= 0:
            piles.append([])
            room = size
        piles[-1].append(piece)
        room -= piece.size + 1
    return piles


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # the worker reports the error


def _is_divisible(path: str) -> bool:
    """Whether parts can be read separately: not of compressed files, nor if TLS is decrypted."""
    try:
        with open(path, "rb") as file:
            packed = is_packed(file.read(4))
            file.seek(0)
            return not (packed or look_for_keys(file)[0])
    except OSError:
        return False
