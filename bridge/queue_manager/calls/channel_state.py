"""State of a message channel agent's session, shared by the functions of its calls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from mqbridge.bridge.queue_manager.effects import Completed, Program
from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.options import GetOptions, PutOptions
from mqbridge.bridge.queue_manager.programs import Application
from mqbridge.bridge.queue_manager.units_of_work import UnitOfWork
from mqbridge.protocol.constants import MQPMO, MQRC

from .outcomes import Completion, Outcome, failed

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.core import Core
    from mqbridge.bridge.queue_manager.getting.waiter import Waiter
    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.queues.local_queue import LocalQueue
    from mqbridge.bridge.queue_manager.target import Target
    from mqbridge.bridge.security import Authorities

FIRST_HANDLE: Final = 2
HANDLE_STEP: Final = 2


class ChannelState:
    """The state of the session of a message channel agent; see `ChannelSession`.

    ``unit``: unit of work of its puts, None before the first one. ``held``: messages that were got and are not settled:
    queue and row by token. ``waiting``: tag and waiter of a pending `Wait`. ``granted``: cache of the destinations to
    which the user of ``application`` may put, valid while ``generation`` equals that of ``authorities``. ``searches``:
    by handle, those of queues opened by `OpenSource`. ``trusted``: the agent may get and put everywhere.
    """

    __slots__ = (
        "application", "authorities", "completions", "core", "generation", "granted", "handles", "held", "next_handle",
        "options", "program", "searches", "trusted", "unit",
        "waiting",
    )  # fmt: skip

    def __init__(
        self, core: Core, authorities: Authorities, application: Application, program: Program, *, trusted: bool = False
    ) -> None:
        self.core = core
        self.authorities = authorities
        self.application = application
        self.program = program
        self.options = self.put_options(application.user)
        self.unit: UnitOfWork | None = None
        self.held: dict[bytes, tuple[LocalQueue, bytes]] = {}
        self.handles: dict[int, Handle] = {}
        self.next_handle = FIRST_HANDLE
        self.waiting: tuple[int, Waiter] | None = None
        self.completions: list[Completion] = []
        self.granted: dict[tuple[str, str], Target] = {}
        self.generation = -1
        self.trusted = trusted
        self.searches: dict[int, GetOptions] = {}

    def put_options(self, user: str, *, direct: bool = True) -> PutOptions:
        """Return the options of puts with the authority of a user; ``direct``: descriptors are stored unchanged."""
        return PutOptions(MQPMO.SET_ALL_CONTEXT, self.application, direct=direct, authority=user)

    def batch(self) -> UnitOfWork:
        """Return the unit of work; begin one if there is none."""
        if self.unit is None:
            self.unit = UnitOfWork()
        return self.unit

    def opened(self, hobj: int) -> Handle:
        """Return the open queue of a handle. Raises `MQError` 2019."""
        handle = self.handles.get(hobj)
        if handle is None:
            raise MQError(MQRC.HOBJ_ERROR, str(hobj))
        return handle

    def add(self, handle: Handle) -> int:
        """Add an open queue. Returns its handle."""
        hobj = self.next_handle
        self.next_handle += HANDLE_STEP
        self.handles[hobj] = handle
        return hobj

    def taken(self, tokens: Iterable[bytes]) -> UnitOfWork:
        """Release held messages by their tokens, and return a unit of work that has got them; unknown tokens are
        ignored."""
        held, gets = self.held, []
        for token in tokens:
            message = held.pop(token, None)
            if message is not None:
                gets.append(message)
        return UnitOfWork(gets=gets)

    def complete(self, tag: int, outcome: Outcome) -> None:
        """Queue the outcome of a request that was not answered at once."""
        if not self.completions:
            self.core.emit(Completed(self.program))
        self.completions.append(Completion(tag, outcome))

    def decided(self, tag: int, outcome: Outcome, error: MQError | None) -> None:
        """Complete a request after the store's answer: with ``outcome``, or with the error of a refusal."""
        self.complete(tag, outcome if error is None else failed(error))
