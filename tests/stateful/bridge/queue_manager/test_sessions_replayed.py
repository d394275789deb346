"""A run of sessions is its list of requests: played again on a fresh queue manager it has the same outcomes."""

from __future__ import annotations

import pickle

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from mqbridge.bridge.queue_manager import RetrievedMessage
from mqbridge.bridge.queue_manager.calls.outcomes import Opened
from mqbridge.bridge.queue_manager.calls.requests import (
    Backout,
    Cancel,
    Close,
    Commit,
    Get,
    Inquire,
    Open,
    Put,
    PutOne,
    SeparateUnit,
    Settle,
    Wait,
    Wanted,
)
from mqbridge.protocol.constants import MQGMO, MQIA, MQOO, MQPMO, ByteOrder
from support.queue_manager.session_run import Ask, Connect, Go, Lose, SessionRun, Step, descriptor

PROGRAMS = st.integers(0, 2)
IN_AND_OUT = int(MQOO.INPUT_SHARED | MQOO.OUTPUT | MQOO.BROWSE | MQOO.INQUIRE)
GETS = [
    Wanted(int(bits))
    for bits in (
        MQGMO.NO_SYNCPOINT,
        MQGMO.SYNCPOINT,
        MQGMO.SYNCPOINT_IF_PERSISTENT,
        MQGMO.SYNCPOINT | MQGMO.WAIT,
        MQGMO.NO_SYNCPOINT | MQGMO.WAIT,
        MQGMO.BROWSE_NEXT,
    )
]
PUTS = [0, int(MQPMO.SYNCPOINT), int(MQPMO.ASYNC_RESPONSE), int(MQPMO.SYNCPOINT | MQPMO.ASYNC_RESPONSE)]


class SessionMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.run = SessionRun()
        self.handles: dict[int, list[int]] = {}
        self.tokens: dict[int, list[bytes]] = {}
        self.tag = 0

    def next_tag(self) -> int:
        self.tag += 1
        return self.tag

    @initialize()
    def connect_all(self) -> None:
        for program in range(3):
            self.connect(program)

    def connect(self, program: int) -> None:
        self.run.play(Connect(program))
        self.tokens[program], self.handles[program] = [], []
        for name in ("Q", "R"):
            opened = self.run.play(Ask(program, Open(self.next_tag(), name, "", IN_AND_OUT)))
            assert isinstance(opened, Opened)
            self.handles[program].append(opened.hobj)

    @rule(program=PROGRAMS, queue=st.integers(0, 1), bits=st.sampled_from(PUTS), persistence=st.integers(0, 1))
    def put(self, program: int, queue: int, bits: int, persistence: int) -> None:
        tag, hobj = self.next_tag(), self.handles[program][queue]
        given = descriptor(persistence=persistence), b"%d" % tag, bits, ByteOrder.LITTLE, 1208
        self.run.play(Ask(program, Put(tag, hobj, *given)))  # type: ignore[arg-type]
        self.run.play(Ask(program, PutOne(self.next_tag(), "R", "", *given)))  # type: ignore[arg-type]

    @rule(program=PROGRAMS, queue=st.integers(0, 1), wanted=st.sampled_from(GETS))
    def get(self, program: int, queue: int, wanted: Wanted) -> None:
        outcome = self.run.play(Ask(program, Get(self.next_tag(), self.handles[program][queue], wanted, 2000)))
        if isinstance(outcome, RetrievedMessage):
            self.tokens[program].append(outcome.token)

    @rule(program=PROGRAMS, queue=st.integers(0, 1))
    def wait(self, program: int, queue: int) -> None:
        self.run.play(Ask(program, Wait(self.next_tag(), self.handles[program][queue], GETS[0])))

    @rule(program=PROGRAMS, back=st.integers(1, 5), reason=st.sampled_from([0, 2009]))
    def cancel(self, program: int, back: int, reason: int) -> None:
        self.run.play(Ask(program, Cancel(self.next_tag(), self.tag - back, reason)))

    @rule(program=PROGRAMS, arrived=st.booleans())
    def settle(self, program: int, arrived: bool) -> None:
        tokens, self.tokens[program] = tuple(self.tokens[program]), []
        parts = (tokens, ()) if arrived else ((), tokens)
        self.run.play(Ask(program, Settle(self.next_tag(), *parts)))

    @rule(program=PROGRAMS, commits=st.booleans())
    def decide(self, program: int, commits: bool) -> None:
        self.run.play(Ask(program, (Commit if commits else Backout)(self.next_tag())))

    @rule(program=PROGRAMS, commits=st.booleans())
    def separate(self, program: int, commits: bool) -> None:
        for token in self.tokens[program]:
            self.run.play(Ask(program, SeparateUnit(self.next_tag(), token)))
        if commits:
            self.run.play(Ask(program, Commit(self.next_tag(), tokens=tuple(self.tokens[program][:1]))))

    @rule(program=PROGRAMS, queue=st.integers(0, 1))
    def inquire(self, program: int, queue: int) -> None:
        request = Inquire(self.next_tag(), self.handles[program][queue], (int(MQIA.CURRENT_Q_DEPTH),), 1, 0)
        self.run.play(Ask(program, request))

    @rule(program=PROGRAMS)
    def close_and_open(self, program: int) -> None:
        self.run.play(Ask(program, Close(self.next_tag(), self.handles[program][0], 0)))
        opened = self.run.play(Ask(program, Open(self.next_tag(), "Q", "", IN_AND_OUT)))
        assert isinstance(opened, Opened)
        self.handles[program][0] = opened.hobj

    @rule(program=PROGRAMS)
    def lose(self, program: int) -> None:
        self.run.play(Lose(program))
        self.connect(program)

    @rule(seconds=st.sampled_from([0.0, 0.5, 3.0]))
    def go(self, seconds: float) -> None:
        self.run.play(Go(seconds))

    def teardown(self) -> None:
        self.run.play(Go(5.0))
        steps: list[Step] = pickle.loads(pickle.dumps(self.run.steps))
        again = SessionRun()
        for step in steps:
            again.play(step)
        assert again.seen == self.run.seen


SessionMachine.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestSessionsReplayed = SessionMachine.TestCase
