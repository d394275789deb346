"""The command server: runs PCF commands from SYSTEM.ADMIN.COMMAND.QUEUE and replies (mq-wire.md 5.16).

Commands run one at a time, with turns for other users of the queue manager in between. A command is got under
syncpoint, run as an MQSC command, and its replies are put to the reply queue in the unit of work of the get. Its
changes are on disk before that; so a persistent command runs again if the queue manager dies in between, as in IBM MQ.

The user who put the message must be authorized for the command: the user of the session or channel that brought it,
whatever its descriptor says. Invalid commands are answered with a reason. Messages that are not requests, and replies
that cannot be put, go to the dead-letter queue; replies that cannot go there either are discarded with a log line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from mqbridge.bridge.agents.command_server.command_replies import CommandReplies
from mqbridge.bridge.agents.command_server.host import CommandServerHost
from mqbridge.bridge.agents.command_server.received_command import (
    ReceivedCommand,
    command_of,
    parse_command,
    without_secret,
)
from mqbridge.bridge.agents.command_server.response_builder import ResponseBuilder
from mqbridge.bridge.queue_manager import Application, RetrievedMessage
from mqbridge.bridge.queue_manager.calls.agent_requests import InquirePutAuthority
from mqbridge.bridge.queue_manager.calls.outcomes import Failed, Opened, Outcome, PutAuthority
from mqbridge.bridge.queue_manager.calls.requests import UNLIMITED, Cancel, Close, Get, Open, Wanted
from mqbridge.bridge.queue_manager.connections import ConnectOptions
from mqbridge.bridge.queue_manager.mqsc import Command, CommandReply, Commands, MQSCSyntaxError, Origin, parse
from mqbridge.bridge.queue_manager.objects import Definition
from mqbridge.bridge.queue_manager.objects.default_objects import COMMAND_QUEUE
from mqbridge.bridge.queue_manager.putting.on_behalf import named_authority
from mqbridge.bridge.queue_manager.session import Session
from mqbridge.mappings.message import Message
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQAT, MQCMD, MQCO, MQEVO, MQGMO, MQIACF, MQMT, MQOO, MQRC, MQRCCF, MQRQ
from mqbridge.protocol.structures.pcf import Parameter

from .access import denial, remove_denied_rows
from .errors import RequestError
from .escape import escape_answers, escaped_text
from .requests import REQUESTS
from .translation import translate

if TYPE_CHECKING:
    from mqbridge.bridge.queue_manager.turns import Steps

SERVER_NAME: Final = "command server"
Make: TypeAlias = Callable[[], Iterable[bytes | int]]
"""Builds the data of the replies to a command; yields the work done in between, in units of turns."""
Finish: TypeAlias = Callable[[Make], None]
"""Ends a command: builds and puts its replies."""
_ANSWERED: Final = 1_500
"""Cost of building and putting a reply, in units of turns."""
_OPEN: Final = int(MQOO.INPUT_SHARED | MQOO.FAIL_IF_QUIESCING)
_NEXT: Final = Wanted(int(MQGMO.SYNCPOINT | MQGMO.FAIL_IF_QUIESCING | MQGMO.WAIT))


def _after(first: Iterator[int], make: Make) -> Iterator[bytes | int]:
    """Yield what must be done first, then the replies."""
    yield from first
    yield from make()


def _raise(error: Exception) -> list[bytes]:
    raise error


class CommandServer:
    """The command server of a queue manager. ``running``: whether it serves its queue.

    `start` and `stop` implement START and STOP CMDSERV; the driver of the queue manager starts it unless SCMDSERV is
    MANUAL.
    """

    __slots__ = ("_asked", "_busy", "_commands", "_hobj", "_host", "_session", "_tag")

    def __init__(self, host: CommandServerHost, commands: Commands) -> None:
        self._host = host
        self._commands = commands
        self._session: Session | None = None
        self._hobj: int | None = None
        self._tag = 0
        self._asked = False
        """A get waits for the next command; `_tag` is its tag."""
        self._busy = False
        commands.command_server = self
        host.manager.objects.add_listener(self._changed)

    # Life

    @property
    def running(self) -> bool:
        """Whether it serves its queue."""
        return self._hobj is not None

    def start(self, now: Time) -> None:
        """Open the queue and serve it. Raises `MQError` if it cannot be opened."""
        if self._hobj is not None:
            return
        if self._session is None:
            application = Application(appl_type=MQAT.QMGR, appl_name=SERVER_NAME)
            options = ConnectOptions(application=application, program=self, inside=True, checked=False)
            self._session = Session(self._host.manager, options, now)
        outcome = self._session.submit(Open(0, COMMAND_QUEUE, "", _OPEN), now)
        if isinstance(outcome, Failed):
            raise outcome.error()
        assert isinstance(outcome, Opened)
        self._hobj = outcome.hobj
        self._host.log("AMQ5024")
        self._serve(now)

    def stop(self, now: Time) -> None:
        """Stop serving; the command in progress is still answered."""
        hobj, self._hobj = self._hobj, None
        if hobj is None or self._session is None:
            return
        if self._asked:
            self._asked = False
            self._session.submit(Cancel(0, self._tag), now)
        self._session.submit(Close(0, hobj, MQCO.NONE), now)
        self._host.log("AMQ5025")

    def completed(self, now: Time) -> None:
        """A command has arrived, or the wait for one has ended."""
        assert self._session is not None
        for tag, outcome in self._session.completions():
            if self._asked and tag == self._tag:
                self._got(outcome, now)

    def connection_stopped(self, now: Time) -> None:
        """Do nothing: only `stop` ends the session of the command server."""

    def timeout(self, now: Time) -> None:
        """Continue with the next command, after others have had a turn."""
        self._serve(now)

    def _changed(self, old: Definition | None, new: Definition | None) -> None:
        """Serve the queue again once gets from it are enabled."""
        idle = self._hobj is not None and not self._asked and not self._busy
        if idle and new is not None and new.name == COMMAND_QUEUE and new.text("GET") != "DISABLED":
            self._host.timers.set(self, self._host.now)

    # Commands

    def _serve(self, now: Time) -> None:
        """Run the next command, or wait for one."""
        if self._hobj is None or self._session is None or self._busy or self._asked:
            return
        self._tag += 1
        self._asked = True
        outcome = self._session.submit(Get(self._tag, self._hobj, _NEXT, UNLIMITED), now)
        if outcome is not None:
            self._got(outcome, now)

    def _got(self, outcome: Outcome, now: Time) -> None:
        """Process a command, or the end of a wait."""
        self._asked = False
        if isinstance(outcome, RetrievedMessage):
            self._busy = True
            self._take(outcome, now)
        elif isinstance(outcome, Failed) and outcome.reason != MQRC.GET_INHIBITED:
            self.stop(now)

    def _take(self, got: RetrievedMessage, now: Time) -> None:
        manager, session = self._host.manager, self._session
        assert session is not None
        request = got.message
        known = session.submit(InquirePutAuthority(0, got.token), now)
        assert isinstance(known, PutAuthority)
        user = named_authority(known.user, request)
        replies = CommandReplies(self._host, session, request, user)
        answers = ResponseBuilder(command_of(request), manager.objects.manager.integer("CCSID"))
        finish = partial(self._finish, replies, answers)
        try:
            if request.md.msg_type != MQMT.REQUEST:
                self._host.log("AMQ8506", f"message type {request.md.msg_type}, no request")
                replies.dead_letter_command(MQRC.MSG_TYPE_ERROR, now)
                finish(list)
                return
            self._carry_out(request, user, answers, finish, now)
        except Exception as error:  # one command must not end the serving of all others
            finish(partial(_raise, error))

    def _carry_out(self, request: Message, user: str, answers: ResponseBuilder, finish: Finish, now: Time) -> None:
        manager = self._host.manager
        try:
            given = parse_command(request, answers.ccsid)
            if given.command == MQCMD.ESCAPE:
                self._escape(given, answers, finish, self._origin(request, user), now)
                return
            described = REQUESTS.get(given.command)
            if described is None:
                raise RequestError(MQRCCF.CFH_COMMAND_ERROR, f"command {given.command}")
            translated = translate(described, given, manager.objects)
            self._check(user, translated.command, given.command, now)
        except RequestError as error:
            finish(partial(answers.refusals, error.reason, error.parameter))
            return

        command = translated.command

        def done(reply: CommandReply) -> None:
            denied = remove_denied_rows(manager, user, command, reply)
            finish(partial(_after, denied, lambda: answers.to(reply, translated)))

        shown = [without_secret(translated.command.noun, each) for each in given.parameters]
        self._commands.execute(command, now, done, self._origin(request, user, given.command, shown))

    @staticmethod
    def _origin(request: Message, user: str, command: int = 0, parameters: Sequence[Parameter] = ()) -> Origin:
        """The origin of a command, for command events."""
        md = request.md
        application = Application(user=user, appl_type=md.put_appl_type, appl_name=md.put_appl_name)
        return Origin(MQEVO.MSG, user, application, command, tuple(parameters))

    def _escape(
        self, given: ReceivedCommand, answers: ResponseBuilder, finish: Finish, origin: Origin, now: Time
    ) -> None:
        text = escaped_text(given)
        try:
            command: Command | str = parse(text)
        except MQSCSyntaxError:
            command = text
        if isinstance(command, Command):
            self._check(origin.user, command, given.command, now)

        def done(reply: CommandReply) -> None:
            denied: Iterator[int] = iter(())
            if isinstance(command, Command):
                denied = remove_denied_rows(self._host.manager, origin.user, command, reply)
            finish(partial(_after, denied, lambda: escape_answers(answers, reply)))

        self._commands.execute(command, now, done, origin)

    def _check(self, user: str, command: Command, number: int, now: Time) -> None:
        """Raise `RequestError` 2035, and log it, if a user may not run a command."""
        found = denial(self._host.manager, user, command)
        if found is not None:
            amq, inserts = found.log
            self._host.log(amq, *inserts)
            about = [(MQIACF.COMMAND, number)]
            self._host.manager.events.denied(MQRQ.CMD_NOT_AUTHORIZED, user, now, about)
            raise RequestError(MQRC.NOT_AUTHORIZED, str(found))

    def _finish(self, replies: CommandReplies, answers: ResponseBuilder, make: Make) -> None:
        """Put the replies and continue, once. The time is that of the call that led here.

        If a fault of our own prevents replies, the response is that the command has failed.
        """
        if replies.ended:
            return
        replies.ended = True
        self._host.manager.turns.begin(self._answer(replies, answers, make), self._host.now)

    def _answer(self, replies: CommandReplies, answers: ResponseBuilder, make: Make) -> Steps:
        now = yield 0
        try:
            for made in make():
                if isinstance(made, int):
                    now = yield made
                else:
                    replies.put(made, now)
                    now = yield _ANSWERED
                self._host.now = now
        except Exception as error:  # one command must not end the serving of all others
            self._host.log("AMQ8506", f"{type(error).__name__}: {error}")
            self._report_failure(replies, answers, now)
        replies.commit(now)
        self._busy = False
        self._host.timers.set(self, now)

    def _report_failure(self, replies: CommandReplies, answers: ResponseBuilder, now: Time) -> None:
        try:
            for answer in answers.refusals(MQRCCF.COMMAND_FAILED):
                replies.put(answer, now)
        except Exception as error:
            self._host.log("AMQ8506", f"{type(error).__name__}: {error}")
            replies.dead_letter_command(MQRC.UNEXPECTED_ERROR, now)
