"""GET: the oldest message of a queue, waited for, held, answered and removed (M-068, M-073, M-074).

In plain mode the message is removed before it is answered: what is lost then is lost. In framed mode it is held while
the answer is written, and removed behind it, together with the digest of the packet and the message, so that an equal
packet gets it again. Until then an equal packet waits. An answer that could not be written puts the message back.
"""

from __future__ import annotations

from typing import Protocol

from mqbridge.bridge.agents.linking.source import SourceQueue
from mqbridge.bridge.agents.message_channel.channel_program import ChannelProgram
from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.calls.requests import Commit, Settle
from mqbridge.mappings.moment import Time
from mqbridge.protocol.myopenq import MAX_PAYLOAD, Answer, Code, Get, MoqError

from .asking import Asking
from .digest_lists import DigestLists
from .queues import Queues
from .settings import DoorSettings


class GettingDoor(Protocol):
    """The door, as its GETs see it."""

    settings: DoorSettings
    queues: Queues
    lists: DigestLists

    def program(self) -> ChannelProgram:
        """A session of the door's own."""
        ...

    def got(self) -> None:
        """A message has been got."""
        ...


class GetCall:
    """One GET, which is over when its packet has been answered and its message is settled."""

    __slots__ = ("_asking", "_door", "_name", "_over", "_program", "_source", "_token", "_until", "_waits")

    def __init__(self, door: GettingDoor, asking: Asking, request: Get) -> None:
        self._door = door
        self._asking = asking
        self._name = door.queues.local(request.queue).name
        self._program = door.program()
        self._source = SourceQueue(self._program, self._name, self._woken)
        self._until = door.queues.host.now + request.wait
        self._waits = False
        self._token: tuple[bytes, ...] = ()
        self._over = False

    @property
    def _now(self) -> float:
        return self._door.queues.host.now

    def begin(self) -> None:
        """Get, or wait. Raises `MoqError` 1007, 2001, `MQError`; the call is over then."""
        self._door.queues.gets.setdefault(self._name, set()).add(self)
        try:
            self._take()
        except (MoqError, MQError):
            self._end()
            raise

    def timeout(self, now: Time) -> None:
        """The time to wait is over."""
        if self._waits:
            self._refuse(MoqError(Code.NOT_FOUND))

    def queue_deleted(self) -> None:
        """The queue is being deleted: let go of it."""
        if self._waits:
            self._refuse(MoqError(Code.UNKNOWN_QUEUE))
        elif not self._over:
            self._give_back()

    # Getting

    def _take(self) -> None:
        found = self._source.get(1, 0, self._now)
        if not found.messages:
            if self._now >= self._until:
                raise MoqError(Code.NOT_FOUND)
            self._wait()
            return
        self._token = found.tokens
        self._waits = False
        if len(found.messages[0].body) > MAX_PAYLOAD:
            self._program.session.submit(Settle(0, back=self._token), self._now)
            raise MoqError(Code.TOO_LONG)
        self._taken(found.messages[0].data)

    def _wait(self) -> None:
        queues = self._door.queues
        self._waits = True
        self._asking.gone = self._caller_gone
        self._source.wait(self._now)
        queues.host.timers.set(self, self._until)

    def _woken(self) -> None:
        if self._waits and not self._over:
            try:
                self._take()
            except (MoqError, MQError) as error:
                self._refuse(error)

    def _taken(self, data: bytes) -> None:
        self._door.queues.host.timers.set(self, None)
        if self._door.settings.framed:
            self._asking.answer(Answer(0, data), lambda whole: self._written(data, whole), ended=False)
            return

        def removed(error: MQError | None) -> None:
            if error is None:
                self._door.got()
                self._end()
                self._asking.answer(Answer(0, data))
            else:
                self._give_back()
                self._asking.refuse(error)

        self._program.commit(Commit(self._program.next_tag(), (), self._token), removed, self._now)

    # Settling

    def _written(self, data: bytes, whole: bool) -> None:
        """The answer has been written, or not."""
        if self._over:  # its queue has been deleted meanwhile
            self._asking.end()
            return
        if not whole:
            self._give_back()
            self._asking.end()
            return
        door, key = self._door, self._asking.key
        entry = None if key is None else door.lists.enter(*key, door.settings.md5_list, data)

        def removed(error: MQError | None) -> None:
            if error is None:
                door.got()
                self._end()
            else:
                if entry is not None:
                    entry.take_back()
                self._give_back()
            self._asking.end()

        rows = () if entry is None else tuple(entry.operations)
        self._program.commit(Commit(self._program.next_tag(), rows, self._token), removed, self._now)

    def _caller_gone(self) -> None:
        self._end()
        self._asking.end()

    def _refuse(self, error: MoqError | MQError) -> None:
        self._end()
        self._asking.refuse(error)

    def _give_back(self) -> None:
        self._program.session.submit(Settle(0, back=self._token), self._now)
        self._end()

    def _end(self) -> None:
        queues = self._door.queues
        self._over, self._waits = True, False
        self._source.close(self._now)
        queues.host.timers.set(self, None)
        users = queues.gets.get(self._name, set())
        users.discard(self)
        if not users:
            queues.gets.pop(self._name, None)
