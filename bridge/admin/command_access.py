"""What a user may do with an MQSC command: administrators all, readers DISPLAY, others what their authorities allow."""

from __future__ import annotations

from mqbridge.bridge.agents.command_server.access import denial, remove_denied_rows
from mqbridge.bridge.queue_manager.mqsc import Command, CommandReply, MQSCSyntaxError, Origin, parse
from mqbridge.protocol.constants import MQEVO, MQRC, MQRQ

from .exchange import RestExchange

_SEPARATORS = ("\n", "\r", ";")
"""What ends a command in a script; a command for another queue manager that a reader sends has none of these."""


class CommandAccess:
    """The commands of one request."""

    def __init__(self, exchange: RestExchange) -> None:
        self._exchange = exchange
        self._user = exchange.user

    def origin(self) -> Origin:
        """The origin of the commands, for command events."""
        return Origin(MQEVO.REST, self._user.name, self._exchange.application)

    def refusal(self, command: Command) -> CommandReply | None:
        """Return the reply for a command that the user's authorities do not allow, else None. Raises `RestError` if
        the role does not, and `MQError` if the user may not connect."""
        self._exchange.require_role(command.verb)
        if not self._user.checked:
            return None
        context = self._exchange.context
        context.require_connect(self._user.name)
        found = denial(context.manager, self._user.name, command)
        if found is None:
            return None
        context.report(found, MQRQ.CMD_NOT_AUTHORIZED)
        reply = CommandReply(command.text)
        reply.fail("AMQ8135", MQRC.NOT_AUTHORIZED, "Not authorized")
        return reply

    async def hide(self, command: Command, reply: CommandReply) -> None:
        """Remove what the user may not display from a reply."""
        if self._user.checked:
            for cost in remove_denied_rows(self._exchange.context.manager, self._user.name, command, reply):
                await self._exchange.context.work(cost)

    def check_remote(self, text: str) -> None:
        """Raise `RestError` unless a command may be sent to another queue manager. That one decides what it allows; a
        user with authorities of its own needs them to put the command, and readers may send a DISPLAY alone."""
        if self._user.checked:
            return
        try:
            verb = "" if any(each in text for each in _SEPARATORS) else parse(text).verb
        except MQSCSyntaxError:
            verb = ""
        self._exchange.require_role(verb)
