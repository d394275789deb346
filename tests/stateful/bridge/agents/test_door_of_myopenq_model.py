"""The door of MyOpenQ against lists: whatever callers ask, in whatever order, repeated, lost and over restarts."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mqbridge.protocol.myopenq import BareRequest, Browse, Command, Create, Get, NamedRequest, Put, QueueType, Request
from support.myopenq.door_stage import DoorStage

NAMES = st.sampled_from(["A", "B", "C"])
STAMPS = st.integers(0, 3)
TEXTS = st.sampled_from([b"", b"one", b"two", b"more than five"])
MOST, LONGEST, DIGESTS = 2, 10, 4


@dataclass(slots=True)
class ModelQueue:
    """A queue as the specification has it."""

    size: int
    length: int
    texts: list[bytes] = field(default_factory=list)


class DoorMachine(RuleBasedStateMachine):
    """``known``: digests that are remembered, the oldest first, with the payload that a repeat gets."""

    def __init__(self) -> None:
        super().__init__()
        self.stage = DoorStage(max_queues=MOST, max_message=LONGEST, md5_list=DIGESTS)
        self.queues: dict[str, ModelQueue] = {}
        self.known: dict[bytes, bytes] = {}

    def ask(self, request: Request, stamp: int, sign: bool) -> tuple[int | None, bytes]:
        caller = self.stage.ask(request, stamp, sign=sign)
        return caller.code, b"" if caller.code else caller.payload

    def expect(self, request: Request, stamp: int, sign: bool, remembered: bool = True) -> None:
        """Ask, and compare with what the model answers."""
        packet = self.stage.packet(request, stamp, sign=sign)
        if sign and packet in self.known:
            expected = 0, self.known[packet]
        else:
            expected = self.model(request)
            if sign and remembered and not expected[0]:
                self.known[packet] = expected[1]
                if len(self.known) > DIGESTS:
                    del self.known[next(iter(self.known))]
        assert self.ask(request, stamp, sign) == expected

    def model(self, request: Request) -> tuple[int, bytes]:
        """What a request that is no repeat does and gets."""
        if isinstance(request, Create):
            return self.model_create(request)
        assert not isinstance(request, BareRequest)
        queue = self.queues.get(request.queue)
        if isinstance(request, Put) and len(request.text) > LONGEST:
            return 2001, b""
        if queue is None:
            return 1003, b""
        if isinstance(request, Put):
            if len(request.text) > queue.length:
                return 2001, b""
            if len(queue.texts) >= queue.size:
                return 3002, b""
            queue.texts.append(request.text)
        elif isinstance(request, Get):
            return (0, queue.texts.pop(0)) if queue.texts else (1007, b"")
        elif isinstance(request, Browse):
            there = 0 < request.number <= len(queue.texts)
            return (0, queue.texts[request.number - 1]) if there else (1007, b"")
        elif isinstance(request, NamedRequest) and request.command is Command.COUNT:
            return 0, b"%d" % len(queue.texts)
        elif isinstance(request, NamedRequest) and request.command is Command.PURGE:
            queue.texts.clear()
        else:
            del self.queues[request.queue]
        return 0, b"SUCCESS"

    def model_create(self, request: Create) -> tuple[int, bytes]:
        if request.length > LONGEST:
            return 1005, b""
        if request.queue in self.queues:
            return 1004, b""
        if len(self.queues) >= MOST:
            return 3001, b""
        self.queues[request.queue] = ModelQueue(request.size, request.length)
        return 0, b"SUCCESS"

    @rule(name=NAMES, size=st.integers(1, 3), length=st.sampled_from([3, 10, 11]), stamp=STAMPS, sign=st.booleans())
    def create(self, name: str, size: int, length: int, stamp: int, sign: bool) -> None:
        self.expect(Create(name, size, length, QueueType.LOCAL), stamp, sign)

    @rule(name=NAMES, text=TEXTS, stamp=STAMPS, sign=st.booleans())
    def put(self, name: str, text: bytes, stamp: int, sign: bool) -> None:
        self.expect(Put(name, text), stamp, sign)

    @rule(name=NAMES, stamp=STAMPS, sign=st.booleans())
    def get(self, name: str, stamp: int, sign: bool) -> None:
        self.expect(Get(name), stamp, sign)

    @rule(name=NAMES)
    def get_whose_answer_is_cut(self, name: str) -> None:
        queue = self.queues.get(name)
        self.stage.reads = False
        caller = self.stage.ask(Get(name), 9, sign=True)
        self.stage.reads = True
        if queue is None or not queue.texts:
            assert caller.code == (1003 if queue is None else 1007)
            return
        assert caller.payload == queue.texts[0]
        assert caller.written is not None
        caller.written(False)
        self.stage.pump()

    @rule(name=NAMES, number=st.integers(0, 4), stamp=STAMPS, sign=st.booleans())
    def browse(self, name: str, number: int, stamp: int, sign: bool) -> None:
        self.expect(Browse(name, number), stamp, sign, remembered=False)

    @rule(name=NAMES, stamp=STAMPS, sign=st.booleans())
    def purge(self, name: str, stamp: int, sign: bool) -> None:
        self.expect(NamedRequest(Command.PURGE, name), stamp, sign)

    @rule(name=NAMES, stamp=STAMPS, sign=st.booleans())
    def delete(self, name: str, stamp: int, sign: bool) -> None:
        self.expect(NamedRequest(Command.DELETE, name), stamp, sign)

    @rule()
    def die(self) -> None:
        self.stage.restart()

    @invariant()
    def queues_are_what_the_model_has(self) -> None:
        assert {each.queue for each in self.stage.definitions} == set(self.queues)
        for name, queue in self.queues.items():
            assert self.stage.texts(name) == queue.texts
            assert self.ask(NamedRequest(Command.COUNT, name), 1, True) == (0, b"%d" % len(queue.texts))

    @invariant()
    def lists_are_never_too_long(self) -> None:
        assert self.stage.lists.count("127.0.0.1") == len(self.known) <= DIGESTS


DoorMachine.TestCase.settings = settings(max_examples=12, stateful_step_count=25, deadline=None)


@pytest.mark.spec("M-053", "M-056", "M-060", "M-066", "M-068", "M-069", "M-070", "M-071", "M-074", "M-090", "M-112")
class TestDoor(DoorMachine.TestCase):  # type: ignore[misc, name-defined]
    """What the model says."""
