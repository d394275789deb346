"""The worker of one function: its calls in order, one process after another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from mqbridge.mappings.message import Message
from mqbridge.mappings.transformations import CallPython
from mqbridge.protocol.constants import MQRC

from .frames import (
    BadFrame,
    Frame,
    FrameReader,
    FunctionFailed,
    Kind,
    call_frame,
    longest_answer,
    read_failure,
    read_result,
    read_text,
)
from .process import WorkerProcess

LOAD_LIMIT: Final = 30.0
"""Seconds that the import of a module may take."""
MAX_SENT: Final = 64
"""Calls on their way to a process, at most; the others wait here."""
MAX_SENT_BYTES: Final = 1 << 20
"""Bytes of their data; one call may have more."""
MAX_CALLS: Final = 10_000
"""Calls of one function that wait, at most."""
LOOK_AGAIN: Final = 0.05
"""Seconds between looks whether killed processes are gone."""
REST: Final = 1.0
"""Seconds after a failed start in which calls fail without another try."""
_MAX_SHORT: Final = 2048
"""Length of the longest frame when no call is answered."""

Answer: TypeAlias = tuple[Message, ...] | FunctionFailed
Answered: TypeAlias = Callable[[Answer], None]
Log: TypeAlias = Callable[[str, tuple[str | int, ...]], None]


class PendingCall:
    """A call that is not answered yet."""

    __slots__ = ("answered", "call", "deadline", "number")

    def __init__(self, call: CallPython, answered: Answered | None, number: int = 0) -> None:
        self.call = call
        self.answered = answered
        self.number = number
        self.deadline = 0.0

    def abandon(self) -> None:
        """Drop the call: nobody waits for the answer. A function that runs already runs to its end."""
        self.answered = None

    def end(self, answer: Answer) -> None:
        """Pass the answer on, once."""
        answered, self.answered = self.answered, None
        if answered is not None:
            answered(answer)


class TargetWorker:
    """Calls of one function. A process is started for the first one, and another where it is lost.

    A call's time begins when the process has answered the one before it. ``passed`` is called when answers that came
    together were passed on.
    """

    def __init__(self, reactor: Any, target: str, folders: Sequence[str], log: Log, passed: Callable[[], None]) -> None:
        self._passed = passed
        self._reactor = reactor
        self._target = target
        self._folders = folders
        self._log = log
        self._process: WorkerProcess | None = None
        self._killed: list[WorkerProcess] = []
        self._looking: Any = None
        self._reader = FrameReader()
        self._loaded = False
        self._waiting: deque[PendingCall] = deque()
        self._sent: deque[PendingCall] = deque()
        self._sent_bytes = 0
        self._number = 0
        self._deadline = 0.0
        self._timer: Any = None
        self._fault = ""
        self._rests_until = 0.0
        self._on_loaded: list[Callable[[str], None]] = []

    # For those who call

    @property
    def pid(self) -> int | None:
        """Number of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    def load(self, loaded: Callable[[str], None]) -> None:
        """Start the process; ``loaded`` gets an empty text, or why the function cannot be called."""
        if self._loaded:
            loaded("")
            return
        self._on_loaded.append(loaded)
        self._start()

    def call(self, call: CallPython, answered: Answered) -> PendingCall:
        """Queue a call; ``answered`` may be called at once if it cannot be made."""
        self._number = self._number + 1 & 0xFFFFFFFF
        pending = PendingCall(call, answered, self._number)
        if len(self._waiting) >= MAX_CALLS:
            pending.end(FunctionFailed(MQRC.API_EXIT_ERROR, f"more than {MAX_CALLS} calls of {self._target} wait"))
            self._passed()
            return pending
        self._waiting.append(pending)
        if self._loaded:
            self._pump()
        else:
            self._start()
        return pending

    def stop(self) -> None:
        """Kill the process; no call is answered any more."""
        self._waiting.clear()
        self._sent.clear()
        self._on_loaded.clear()
        self._cancel_timer()
        self._kill()
        if self._looking is not None:
            self._looking.cancel()
            self._looking = None
        for each in self._killed:
            each.wait()

    # The process

    def _start(self) -> None:
        if self._process is not None:
            return
        if self._fault and self._reactor.seconds() < self._rests_until:
            self._not_loaded(self._fault)
            return
        try:
            self._process = WorkerProcess(self._reactor, self._target, self._folders, self, self._say)
        except OSError as error:
            self._not_loaded(f"no process for {self._target}: {error.strerror}")
            return
        self._expect(self._reactor.seconds() + LOAD_LIMIT)

    def _say(self, line: str) -> None:
        self._log("AMQ5070", (self._target, line))

    def _not_loaded(self, text: str) -> None:
        """Fail all calls, and rest before the next try."""
        self._drop()
        if text != self._fault or self._reactor.seconds() >= self._rests_until:
            self._log("AMQ5072", (self._target, text))
            self._fault, self._rests_until = text, self._reactor.seconds() + REST
        calls, self._waiting = [*self._sent, *self._waiting], deque()
        self._forget_sent()
        loaded, self._on_loaded = self._on_loaded, []
        for each in loaded:
            each(text)
        for call in calls:
            call.end(FunctionFailed(MQRC.API_EXIT_LOAD_ERROR, text))
        self._passed()

    def _drop(self) -> None:
        self._loaded = False
        self._reader = FrameReader()
        self._cancel_timer()
        self._kill()
        if self._looking is None:
            self._look_after_killed()

    def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            self._killed.append(process)

    def _look_after_killed(self) -> None:
        self._killed = [each for each in self._killed if not each.is_gone()]
        self._looking = self._reactor.callLater(LOOK_AGAIN, self._look_after_killed) if self._killed else None

    def _lose(self, why: str) -> None:
        """Replace the process: the first call has failed, the others are made again."""
        if not self._loaded:
            self._not_loaded(f"{self._target} cannot be loaded: {why}")
            return
        self._drop()
        self._log("AMQ5071", (self._target, why))
        failed = self._sent.popleft() if self._sent else None
        self._waiting.extendleft(reversed(self._sent))
        self._forget_sent()
        self._start()
        if failed is not None:
            failed.end(FunctionFailed(MQRC.API_EXIT_ERROR, f"{self._target}: {why}"))
            self._passed()

    def _forget_sent(self) -> None:
        self._sent = deque()
        self._sent_bytes = 0

    def gone(self) -> None:
        """See `process.ProcessUser`."""
        self._lose("its process ended")

    def received(self, data: bytes) -> None:
        """See `process.ProcessUser`."""
        reader = self._reader
        reader.feed(data)
        try:
            while self._reader is reader:
                longest = longest_answer(self._sent[0].call.limits) if self._sent else _MAX_SHORT
                frame = reader.next(longest)
                if frame is None:
                    break
                self._take(frame)
        except BadFrame as error:
            self._lose(f"its process sent what is no answer: {error}")
        self._passed()
        if self._loaded:
            self._pump()

    def _take(self, frame: Frame) -> None:
        """Raises `BadFrame`."""
        if not self._loaded:
            self._take_start(frame)
            return
        if not self._sent or frame.number != self._sent[0].number:
            raise BadFrame("an answer to no call")
        pending = self._sent[0]
        answer: Answer
        if frame.kind == Kind.RESULT:
            answer = read_result(frame.payload, pending.call.limits)
        elif frame.kind == Kind.FAILED:
            answer = read_failure(frame.payload)
        else:
            raise BadFrame(f"kind {frame.kind}")
        del self._sent[0]
        self._sent_bytes -= len(pending.call.message.body)
        if self._sent:
            self._begin(self._sent[0])
        pending.end(answer)

    def _take_start(self, frame: Frame) -> None:
        if frame.kind == Kind.NOT_LOADED:
            self._not_loaded(read_text(frame.payload))
        elif frame.kind == Kind.LOADED:
            self._loaded = True
            self._fault = ""
            loaded, self._on_loaded = self._on_loaded, []
            for each in loaded:
                each("")
        else:
            raise BadFrame(f"kind {frame.kind}")

    # Calls

    def _pump(self) -> None:
        """Send calls that wait: at once if the process has nothing to do."""
        frames = []
        is_busy = bool(self._sent)
        while self._waiting and len(self._sent) < MAX_SENT:
            size = len(self._waiting[0].call.message.body)
            if self._sent and self._sent_bytes + size > MAX_SENT_BYTES:
                break
            pending = self._waiting.popleft()
            if pending.answered is None:
                continue
            if not self._sent:
                self._begin(pending)
            self._sent.append(pending)
            self._sent_bytes += size
            frames.append(call_frame(pending.number, pending.call.message, pending.call.limits))
        if frames and self._process is not None:
            data = b"".join(frames)
            if is_busy:
                self._process.send_soon(data)
            else:
                self._process.send(data)

    # Time

    def _begin(self, pending: PendingCall) -> None:
        pending.deadline = self._reactor.seconds() + pending.call.time_limit
        self._expect(pending.deadline)

    def _expect(self, deadline: float) -> None:
        """Look at the deadline then. A timer that ends earlier is kept, as there is one deadline after the other."""
        self._deadline = deadline
        if self._timer is not None:
            if self._timer.getTime() <= deadline:
                return
            self._timer.cancel()
        self._timer = self._reactor.callLater(max(deadline - self._reactor.seconds(), 0), self._look)

    def _look(self) -> None:
        self._timer = None
        if self._loaded and not self._sent:
            return
        now = self._reactor.seconds()
        if now < self._deadline:
            self._expect(self._deadline)
        elif self._loaded:
            self._lose(f"it took more than {self._sent[0].call.time_limit:g} seconds, and its process was ended")
        else:
            self._lose(f"it took more than {LOAD_LIMIT:g} seconds")

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
