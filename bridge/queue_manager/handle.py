"""A handle of an open queue or topic: options, browse cursor, and state from call to call."""

from __future__ import annotations

from typing import Final

from mqbridge.protocol.constants import MQOO, MQPMO, MQRC

from .errors import MQError
from .getting.handle_state import HandleState
from .getting.message_selection import HandleSelector
from .programs import Application, ProgramId
from .target import Target

INPUTS: Final = int(MQOO.INPUT_AS_Q_DEF | MQOO.INPUT_SHARED | MQOO.INPUT_EXCLUSIVE)
_CONTEXT_CHECKS: Final = (
    (MQPMO.PASS_IDENTITY_CONTEXT, MQOO.PASS_IDENTITY_CONTEXT | MQOO.PASS_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_PASS_IDENT),
    (MQPMO.PASS_ALL_CONTEXT, MQOO.PASS_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_PASS_ALL),
    (MQPMO.SET_IDENTITY_CONTEXT, MQOO.SET_IDENTITY_CONTEXT | MQOO.SET_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_SET_IDENT),
    (MQPMO.SET_ALL_CONTEXT, MQOO.SET_ALL_CONTEXT, MQRC.NOT_OPEN_FOR_SET_ALL),
)
_ASKED_ACCESS: Final = (
    (MQOO.INPUT_SHARED, MQRC.NOT_OPEN_FOR_INPUT),
    (MQOO.BROWSE, MQRC.NOT_OPEN_FOR_BROWSE),
    (MQOO.OUTPUT, MQRC.NOT_OPEN_FOR_OUTPUT),
    (MQOO.INQUIRE, MQRC.NOT_OPEN_FOR_INQUIRE),
    (MQOO.SET, MQRC.NOT_OPEN_FOR_SET),
)


class Cursor:
    """A browse cursor: the position (eight bytes) of the message last browsed, empty before the first."""

    __slots__ = ("position",)

    def __init__(self, position: bytes = b"") -> None:
        self.position = position


class Handle:
    """An open queue or topic.

    ``target``: what it is open on. ``options``: MQOO bits. ``cursor``: of a handle opened to browse. ``owner``: the
    program. ``application``: its identity, for displays. ``names``: queue and queue manager name of the open.
    ``creator``: the open has created the dynamic queue. ``exclusive``: no other handle may get from the queue.
    ``state``: locks, marks and groups, None while there are none. ``selection``: the selector of its gets, browses and
    waits. ``user``: with whose authority it was opened, None for its owner's.
    """

    __slots__ = (
        "application", "closed", "creator", "cursor", "exclusive", "names", "options", "owner", "selection", "state",
        "target", "user",
    )  # fmt: skip

    def __init__(
        self,
        target: Target,
        options: int,
        owner: ProgramId,
        *,
        names: tuple[str, str] = ("", ""),
        application: Application | None = None,
        selection: HandleSelector | None = None,
    ) -> None:
        self.target = target
        self.options = int(options)
        self.owner = owner
        self.cursor = Cursor()
        self.creator = False
        self.exclusive = False
        self.closed = False
        self.state: HandleState | None = None
        self.selection = selection
        self.names = names
        self.user: str | None = None
        self.application = application

    def remembered(self) -> HandleState:
        """Its state, created if there is none, to be changed."""
        if self.state is None:
            self.state = HandleState()
        return self.state

    @property
    def locked(self) -> list[bytes]:
        """Rows of the messages that it has locked (read-only)."""
        return [] if self.state is None else self.state.locked

    @property
    def object_name(self) -> str:
        """The name of the queue that was opened; for a model queue that of the dynamic queue."""
        return self.target.path[0].name if self.target.path else self.target.queue_name

    @property
    def inputs(self) -> bool:
        """Whether it is open for input."""
        return bool(self.options & INPUTS)

    def require(self, access: int) -> None:
        """Raise `MQError` 2036 to 2040 unless the handle is open for ``access``: MQOO bits, any INPUT bit for input."""
        held = self.options | (MQOO.INPUT_SHARED if self.inputs else 0)
        wanted = MQOO.INPUT_SHARED | access & ~INPUTS if access & INPUTS else access
        for bit, reason in _ASKED_ACCESS:
            if wanted & bit and not held & bit:
                raise MQError(reason, self.object_name)

    def require_context(self, put_options: int) -> None:
        """Raise `MQError` 2093 to 2096 for MQPMO context options that the handle was not opened for (mqi.md 5.4)."""
        for asked, needed, reason in _CONTEXT_CHECKS:
            if put_options & asked and not self.options & needed:
                raise MQError(reason, self.object_name)
