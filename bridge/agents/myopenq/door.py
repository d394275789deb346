"""A door for callers of MyOpenQ: each packet in the order of myopenq.md M-051 to M-058, answered when it is on disk.

1. The address is looked up: without permission 4001, and nothing else is done.
2. The digest, where there is one, or a secret demands one, is verified.
3. It is looked up in the list of the peer: a repeat is answered as the first was, and not done again. One whose first
   is still being done waits for it.
4. The queue is found, the command done, and the digest entered, in one transaction where the store is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random
from typing import Final

from mqbridge.bridge.agents.gateway.carriers import CarrierHost, CarrierState, CarrierStatus
from mqbridge.bridge.agents.linking.message_ids import MessageIds
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import Application, MQError
from mqbridge.bridge.queue_manager.calls.agent_requests import OpenSource
from mqbridge.bridge.queue_manager.calls.outcomes import Opened
from mqbridge.bridge.queue_manager.calls.requests import Close, Commit, PutOne
from mqbridge.bridge.store.interface import Operation
from mqbridge.mappings.moment import Time
from mqbridge.mappings.mq import NATIVE_ORDER
from mqbridge.protocol.constants import MQAT, MQCO, MQMODE, MQPMO
from mqbridge.protocol.myopenq import (
    MAX_NAME,
    MAX_PAYLOAD,
    REMEMBERED,
    SUCCESS,
    Answer,
    Browse,
    Code,
    Command,
    Create,
    Get,
    MoqError,
    NamedRequest,
    Packet,
    Put,
    read_request,
    verify,
)

from .asking import Asking, OnAnswer
from .descriptors import Descriptors
from .digest_lists import DigestLists, Entry
from .gets import GetCall
from .purging import Purge
from .queues import Queues
from .rights import Rights, local_rights
from .settings import DoorSettings

_PUT: Final = int(MQPMO.SYNCPOINT | MQPMO.SET_ALL_CONTEXT)


class Door:
    """One door, which is a `Carrier`. ``lists``, ``queues``: those of the queue manager, which its doors share.

    ``source``: of an unpredictable seed, except in tests. ``rights``: who may do what; to be replaced when the files
    have changed. ``counts``: packets since the start, by command, and ``refused`` and ``repeated`` ones.
    """

    kind = "myopenq"

    def __init__(
        self, host: CarrierHost, settings: DoorSettings, queues: Queues, lists: DigestLists, source: Random
    ) -> None:
        self._host = host
        self.settings = settings
        self.queues = queues
        self.lists = lists
        self.rights: Rights = local_rights()
        self.counts: Counter[str] = Counter()
        self.shut_down: Callable[[], None] = lambda: None
        """Ends the queue manager in order; called when SHUTDOWN has been answered."""
        self.ending: Callable[[MQMODE], None] = lambda _: None
        """Has the endpoint end the connections."""
        self.connected: Callable[[], bool] = lambda: False
        """Whether there are connections."""
        self._application = Application(
            user=settings.mcauser,
            appl_type=int(MQAT.QMGR),
            appl_name=host.manager.name[:28],
            channel=settings.name[:20],
        )
        self._descriptors = Descriptors(self._application, settings.ccsid, MessageIds(source))
        self._program = self.program()
        self._under_way: dict[tuple[str, str], list[Asking]] = {}
        self._asked = 0
        self._state = CarrierState.STOPPED
        self._since = host.now

    # As a carrier

    @property
    def name(self) -> str:
        """Its name in the configuration."""
        return self.settings.name

    @property
    def quiet(self) -> bool:
        """See `Carrier.quiet`."""
        return self._state is CarrierState.STOPPED and not self._asked and not self.connected()

    @property
    def running(self) -> bool:
        """Whether callers are served."""
        return self._state is CarrierState.RUNNING

    def status(self, now: Time) -> CarrierStatus:
        """See `Carrier.status`."""
        return CarrierStatus(
            name=self.name,
            kind=self.kind,
            state=self._state,
            source="callers of MyOpenQ",
            target=self._host.manager.name,
            carried=self.counts[Command.PUT.value] + self.counts["got"],
            failed=self.counts["refused"],
            since=self._since,
            user=self.settings.mcauser,
        )

    def start(self, now: Time) -> None:
        """See `Carrier.start`."""
        self._become(CarrierState.RUNNING)

    def stop(self, mode: MQMODE, now: Time) -> None:
        """See `Carrier.stop`. The endpoint closes the connections, each behind the answer that is under way."""
        if self._state is not CarrierState.STOPPED:
            self._become(CarrierState.STOPPING)
            self.ending(mode)
            self._end_stop()

    def timeout(self, now: Time) -> None:
        """See `Carrier.timeout`; requests have deadlines of their own."""

    def _end_stop(self) -> None:
        if self._state is CarrierState.STOPPING and not self._asked:
            self._become(CarrierState.STOPPED)

    def _become(self, state: CarrierState) -> None:
        if state is not self._state:
            self._state, self._since = state, self._host.now

    # Packets

    def ask(self, packet: Packet, address: str, then: OnAnswer, now: Time) -> Asking:
        """Do what a packet asks. ``then`` gets the answer, at once or later. ``address``: of the caller."""
        self._host.now = now
        known = packet.command in REMEMBERED or (packet.command is Command.GET and self.settings.framed)
        asking = Asking(packet, address, then, self._ended, known_by_digest=known)
        self._asked += 1
        self._begin(asking)
        return asking

    def _begin(self, asking: Asking) -> None:
        try:
            self._check(asking)
            if not self._repeats(asking):
                self._do(asking)
        except (MoqError, MQError) as error:
            self.counts["refused"] += 1
            asking.refuse(error)

    def _check(self, asking: Asking) -> None:
        packet = asking.packet
        shutdown = packet.command is Command.SHUTDOWN
        queue = "" if shutdown else packet.variable[:MAX_NAME].rstrip(b" \0").decode("latin-1")
        admitted = self.rights.admit(asking.address, packet.command, queue)
        if not admitted or (shutdown and not self.settings.allow_shutdown):
            raise MoqError(Code.NOT_PERMITTED)
        verify(packet.digest, packet.signed, self.settings.secret)

    def _repeats(self, asking: Asking) -> bool:
        """Answer a repeat, or have it wait for its first."""
        key = asking.key
        if key is None:
            return False
        if key in self._under_way:
            self._under_way[key].append(asking)
            return True
        if self.lists.knows(*key):
            self.counts["repeated"] += 1
            got = asking.packet.command is Command.GET
            answer = Answer(0, self.lists.message(*key)) if got else SUCCESS
            asking.answer(answer)
            return True
        self._under_way[key] = []
        asking.first = True
        return False

    def _ended(self, asking: Asking) -> None:
        self._asked -= 1
        waiting = self._under_way.pop(asking.key, ()) if asking.first and asking.key is not None else ()
        for each in waiting:
            self._begin(each)
        self._end_stop()

    # Commands

    def _do(self, asking: Asking) -> None:
        request = read_request(asking.packet, self.settings.framed)
        self.counts[asking.packet.command.value] += 1
        if isinstance(request, Put):
            self._put(asking, request)
        elif isinstance(request, Get):
            GetCall(self, asking, request).begin()
        elif isinstance(request, Browse):
            self._browse(asking, request)
        elif isinstance(request, Create):
            entering = _Entering(self, asking)
            settings = self.settings
            self.queues.create(request, settings.max_message, settings.max_queues, entering.rows, entering.stored)
        elif isinstance(request, NamedRequest):
            self._named(asking, request.command, request.queue)
        else:
            self._shut_down(asking)

    def _named(self, asking: Asking, command: Command, queue: str) -> None:
        if command is Command.DELETE:
            entering = _Entering(self, asking)
            self.queues.delete(queue, entering.rows, entering.stored)
            return
        name = self.queues.local(queue).name
        if command is Command.PURGE:
            entering = _Entering(self, asking)
            Purge(self.program(), self._host, name, entering.rows, entering.stored).begin()
            return
        self._require_access(name)
        text = self.queues.display(queue) if command is Command.DISPLAY else str(self.queues.count(queue))
        asking.answer(Answer(0, text.encode()))

    def _put(self, asking: Asking, request: Put) -> None:
        if len(request.text) > self.settings.max_message:
            raise MoqError(Code.TOO_LONG)
        name = self.queues.puttable(request.queue)
        now = self._host.now
        descriptor = self._descriptors.new(now)
        self._program.do(PutOne(0, name, "", descriptor, request.text, _PUT, NATIVE_ORDER, self.settings.ccsid), now)
        entering = _Entering(self, asking)
        commit = Commit(self._program.next_tag(), tuple(entering.rows()))
        self._program.commit(commit, entering.stored, now)

    def _browse(self, asking: Asking, request: Browse) -> None:
        queue = self.queues.local(request.queue)
        self._require_access(queue.name)
        now = self._host.now
        message = self._host.manager.message_at(queue, request.number - 1, now) if request.number else None
        if message is None:
            raise MoqError(Code.NOT_FOUND)
        if len(message.body) > MAX_PAYLOAD:
            raise MoqError(Code.TOO_LONG)
        asking.answer(Answer(0, message.data))

    def _shut_down(self, asking: Asking) -> None:
        self._host.log("AMQ5133", self.name, asking.address)
        entering = _Entering(self, asking, lambda _: self.shut_down())
        self._program.commit(Commit(self._program.next_tag(), tuple(entering.rows())), entering.stored, self._host.now)

    def _require_access(self, queue: str) -> None:
        """Raise `MQError` 2035 where the door's user may not get from a queue."""
        if self.settings.mcauser:
            program, now = self.program(), self._host.now
            opened = program.do(OpenSource(0, queue), now)
            assert isinstance(opened, Opened)
            program.session.submit(Close(0, opened.hobj, int(MQCO.NONE)), now)

    # For its parts

    def program(self) -> ChannelProgram:
        """A session of the door's own."""
        return ChannelProgram(self._host.manager, self._application, trusted=not self.settings.mcauser)

    def got(self) -> None:
        """A message has been got."""
        self.counts["got"] += 1


class _Entering:
    """The digest of a packet, entered with what it asks, and the answer when that is on disk."""

    __slots__ = ("_asking", "_door", "_entry", "_written")

    def __init__(self, door: Door, asking: Asking, written: Callable[[bool], None] | None = None) -> None:
        self._door = door
        self._asking = asking
        self._written = written
        self._entry: Entry | None = None

    def rows(self) -> Sequence[Operation]:
        """What is to be written in the transaction."""
        key = self._asking.key
        if key is None:
            return ()
        self._entry = self._door.lists.enter(*key, self._door.settings.md5_list)
        return self._entry.operations

    def stored(self, error: Exception | None) -> None:
        """All is on disk, or nothing."""
        if error is None:
            self._asking.answer(SUCCESS, self._written)
            return
        if self._entry is not None:
            self._entry.take_back()
        assert isinstance(error, MoqError | MQError)
        self._asking.refuse(error)
