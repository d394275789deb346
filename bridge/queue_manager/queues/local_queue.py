"""A local queue at run time: attributes of its definition, its messages in order, and its counters.

Only visible messages are kept in order here. A message put under syncpoint is only counted until its unit of work is
committed. One that was got under syncpoint is kept in the unit, and returns to its position on backout.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.errors import SearchYielded
from mqbridge.bridge.queue_manager.getting.groups import GroupIndex
from mqbridge.bridge.queue_manager.objects import Definition, expiry_cap
from mqbridge.bridge.queue_manager.objects.default_objects import QUEUES_WITH_PUTTER, RESERVED_QUEUES
from mqbridge.bridge.queue_manager.queues.priority_chains import RowChain

from .bodies import HeldBody
from .deadlines import Deadlines
from .indexes import IdIndex, IdKind, Index, RowObserver
from .rows import (
    ARRIVAL_BITS,
    DEADLINE_AT,
    DEADLINE_END,
    FLAGS,
    MAX_PRIORITY,
    NO_DEADLINE,
    POSITION_BYTES,
    STORED,
    Row,
    arrival_of_position,
    band_of,
    deadline_of,
    make_position,
    position_of,
)

_INDEXED: Final = 10
"""Turn units for taking a row into an index."""

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.events.metering import Meter
    from mqbridge.bridge.queue_manager.getting.marks import CoOpMarks
    from mqbridge.bridge.queue_manager.turns import Turns

    from .open_handle import OpenHandle


class LocalQueue:
    """One local queue. Attributes named after MQSC keywords follow the definition; see :meth:`refresh`.

    ``number``: of the queue in the store. ``deleted``: the definition is gone, only open handles still refer to the
    queue. ``expiring``: set of queues that have messages with a deadline; the queue adds itself. ``waiting``: number of
    waits for its messages (`Waits` has them). ``co_op_marks``: messages marked by cooperating handles, None at first.
    ``meter``: counts for performance events, None while these are disabled. ``reserved``: no user may put to it.
    ``names_putter``: each row says with whose authority its message was put.
    """

    __slots__ = (
        "cap_expiry",
        "chains",
        "co_op_marks",
        "deadlines",
        "def_persistence",
        "def_priority",
        "definition",
        "deleted",
        "dynamic",
        "exclusive_by_default",
        "expiring",
        "fifo",
        "get_inhibited",
        "handles",
        "indexes",
        "input_count",
        "is_transmission_queue",
        "keeps_nonpersistent",
        "last_get",
        "last_put",
        "max_depth",
        "max_message_length",
        "memory",
        "meter",
        "name",
        "names_putter",
        "next_arrival",
        "number",
        "output_count",
        "put_inhibited",
        "reserved",
        "shareable",
        "temporary",
        "trigger",
        "triggered_at",
        "uncommitted_gets",
        "uncommitted_puts",
        "visible",
        "waiting",
    )  # fmt: skip

    def __init__(self, definition: Definition, expiring: set[LocalQueue]) -> None:
        self.name = definition.name
        self.number = definition.number
        self.reserved = self.name in RESERVED_QUEUES
        self.names_putter = self.name in QUEUES_WITH_PUTTER
        self.deleted = False
        self.chains: list[RowChain] = [RowChain() for _ in range(MAX_PRIORITY + 1)]
        self.visible = 0
        self.uncommitted_puts = 0
        self.uncommitted_gets = 0
        self.next_arrival = 1
        self.memory: dict[int, HeldBody] = {}
        self.indexes: dict[Hashable, RowObserver] = {}
        self.co_op_marks: CoOpMarks | None = None
        self.deadlines = Deadlines()
        self.expiring = expiring
        self.waiting = 0
        self.handles: list[OpenHandle] = []
        self.input_count = 0
        self.output_count = 0
        self.last_put = 0.0
        self.last_get = 0.0
        self.triggered_at = 0.0
        self.meter: Meter | None = None
        self.refresh(definition)

    def refresh(self, definition: Definition) -> None:
        """Read the attributes of the definition (mqi.md 4.1). Messages already on the queue keep their order."""
        self.definition = definition
        self.put_inhibited = definition.text("PUT") == "DISABLED"
        self.get_inhibited = definition.text("GET") == "DISABLED"
        self.max_depth = definition.integer("MAXDEPTH")
        self.max_message_length = definition.integer("MAXMSGL")
        self.fifo = definition.text("MSGDLVSQ") == "FIFO"
        self.def_priority = definition.integer("DEFPRTY")
        self.def_persistence = int(definition.text("DEFPSIST") == "YES")
        self.cap_expiry = expiry_cap(definition)
        self.is_transmission_queue = definition.text("USAGE") == "XMITQ"
        self.shareable = definition.flag("SHARE")
        self.exclusive_by_default = definition.text("DEFSOPT") == "EXCL"
        self.temporary = definition.text("DEFTYPE") == "TEMPDYN"
        self.dynamic = self.temporary or definition.text("DEFTYPE") == "PERMDYN"
        self.keeps_nonpersistent = definition.text("NPMCLASS") == "HIGH" and not self.temporary
        self.trigger = definition.flag("TRIGGER") and definition.text("TRIGTYPE") != "NONE"

    # --- counters ------------------------------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """CURDEPTH: uncommitted puts count, uncommitted gets do not (mqi.md 4.2)."""
        return self.visible + self.uncommitted_puts

    @property
    def uncommitted(self) -> int:
        """UNCOM: messages put or got in units of work that are not committed."""
        return self.uncommitted_puts + self.uncommitted_gets

    @property
    def oldest_message(self) -> float | None:
        """When the first message in delivery order was put, in seconds since the epoch."""
        row = self.first()
        return None if row is None else Row(row).put_time / 1000

    # --- messages ------------------------------------------------------------------------------------------------

    def new_position(self, priority: int) -> int:
        """A new position, behind all earlier ones of the same band."""
        arrival = self.next_arrival
        self.next_arrival = arrival + 1
        if self.fifo:
            priority = self.def_priority
        band = MAX_PRIORITY - priority if 0 <= priority <= MAX_PRIORITY else band_of(priority)
        return band << ARRIVAL_BITS | arrival

    def reserve_positions(self, count: int) -> int:
        """Reserve arrival numbers before those of later messages. Returns the first, for `position_at`."""
        first = self.next_arrival
        self.next_arrival += count
        return first

    def position_at(self, priority: int, arrival: int) -> int:
        """The position with a reserved arrival number."""
        return make_position(band_of(self.def_priority if self.fifo else priority), arrival)

    def load(self, row: bytes) -> None:
        """Add a stored message, at start."""
        position = position_of(row)
        self.chains[row[0]].append(row)
        self.visible += 1
        deadline = deadline_of(row)
        if deadline:
            self._expires(row, deadline)
        arrival = arrival_of_position(position)
        if arrival >= self.next_arrival:
            self.next_arrival = arrival + 1

    def add(self, rows: Sequence[bytes]) -> None:
        """Make new messages visible."""
        chains = self.chains
        for row in rows:
            chains[row[0]].append(row)
            if row[DEADLINE_AT:DEADLINE_END] != NO_DEADLINE:
                self._expires(row, deadline_of(row))
            for index in self.indexes.values():
                index.add(row)
        self.visible += len(rows)

    def _expires(self, row: bytes, deadline: int) -> None:
        self.deadlines.add(row, deadline)
        self.expiring.add(self)

    def restore(self, rows: Iterable[bytes]) -> None:
        """Return messages to their positions."""
        chains: dict[int, list[bytes]] = {}
        for row in rows:
            chains.setdefault(row[0], []).append(row)
            self.visible += 1
            deadline = deadline_of(row)
            if deadline:
                self._expires(row, deadline)
            for index in self.indexes.values():
                index.add(row)
        for band, restored in chains.items():
            self.chains[band].restore(restored)

    def first(self) -> bytes | None:
        """The first message; it stays on the queue."""
        for chain in self.chains:
            if chain.count:
                return chain.first()
        return None

    def take_first(self) -> bytes | None:
        """Remove the first message from the order and return it."""
        for chain in self.chains:
            if chain.count:
                row = chain.pop_first()
                if row is not None:
                    if self.indexes or row[DEADLINE_AT:DEADLINE_END] != NO_DEADLINE:
                        self._removed(row)
                    else:
                        self.visible -= 1
                return row
        return None

    def take_front(self, most: int, room: int) -> list[bytes]:
        """Remove the first messages from the order and return them: at most ``most``, until ``room`` bytes of data are
        reached. None of them may have a deadline."""
        taken: list[bytes] = []
        for chain in self.chains:
            if chain.count and len(taken) < most and room > 0:
                rows, room = chain.pop_front(most - len(taken), room)
                taken += rows
        for index in self.indexes.values():
            for row in taken:
                index.remove(row)
        self.visible -= len(taken)
        return taken

    def take(self, row: bytes) -> bool:
        """Remove a message from the order; False if it is not there."""
        if not self.chains[row[0]].remove(row):
            return False
        self._removed(row)
        return True

    def take_all(self) -> tuple[list[RowChain], int]:
        """Remove all messages from the order, while the queue is not open. Returns their chains and their number."""
        chains, count = self.chains, self.visible
        self.chains = [RowChain() for _ in chains]
        self.visible = 0
        self.indexes.clear()
        self.deadlines = Deadlines()
        return chains, count

    def _removed(self, row: bytes) -> None:
        self.visible -= 1
        if deadline_of(row):
            self.deadlines.forget(self.rows())
        if self.indexes:
            for index in self.indexes.values():
                index.remove(row)

    def find(self, position: bytes) -> bytes | None:
        """The visible message at a position (eight bytes)."""
        return self.chains[position[0]].find(position) if position[0] <= MAX_PRIORITY else None

    def rows(self, after: bytes = b"") -> Iterator[bytes]:
        """Visible messages in order behind a position (eight bytes). The queue must not change during iteration."""
        if not after:
            for chain in self.chains:
                yield from chain
            return
        yield from self.chains[after[0]].next_after(after[:POSITION_BYTES])
        for chain in self.chains[after[0] + 1 :]:
            yield from chain

    def index(self, kind: IdKind, turns: Turns | None = None) -> IdIndex:
        """The index by an id, built now if there is none. Raises `SearchYielded` if the turn ends before that."""
        found = self.indexes.get(kind)
        if not isinstance(found, IdIndex):
            found = self.indexes[kind] = IdIndex(kind)
        if found.upto is not None:
            self._complete(found, turns)
        return found

    def groups(self, turns: Turns | None = None) -> GroupIndex:
        """The index of groups and segments on the queue; as `index`."""
        found = self.indexes.get(IdKind.GROUPS)
        if not isinstance(found, GroupIndex):
            found = self.indexes[IdKind.GROUPS] = GroupIndex()
        if found.upto is not None:
            self._complete(found, turns)
        return found

    def _complete(self, index: Index, turns: Turns | None) -> None:
        for row in self.rows(index.upto or b""):
            index.take(row)
            index.upto = row[:POSITION_BYTES]
            if turns is not None:
                turns.left -= _INDEXED
                if turns.left <= 0:
                    raise SearchYielded(self.name)
        index.upto = None

    def forget_body(self, row: bytes) -> HeldBody | None:
        """Remove and return the body of a message that the queue holds in memory; None if the store holds it."""
        if row[FLAGS] & STORED:
            return None
        return self.memory.pop(position_of(row), None)

    def __repr__(self) -> str:
        return f"<LocalQueue {self.name}, depth {self.depth}>"
