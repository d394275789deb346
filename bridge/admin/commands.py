"""``POST …/admin/action/qmgr/{qmgr}/mqsc``: runs one MQSC command, given as text (runCommand) or JSON
(runCommandJSON)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from twisted.internet.defer import Deferred

from mqbridge.bridge.queue_manager.mqsc import (
    Command,
    CommandReply,
    MQSCSyntaxError,
    Origin,
    command_from_json,
    envelope,
    json_entries,
    parse,
    text_entries,
    text_from_json,
)
from mqbridge.protocol.constants import MQCC

from .command_access import CommandAccess
from .errors import bad_request
from .exchange import GATEWAY, JSON
from .handlers import SmallBodyHandler
from .remote_commands import ask_command_server, line_entries, parameter_entries

_ENTRY: Final = 1_000
"""Cost of one entry of a reply, in units of turns."""


class RunCommand(SmallBodyHandler):
    """The handler that runs one command and returns its reply; the status is 200 even if the command fails."""

    reaches_others = True
    any_role = True

    async def run(self) -> None:
        """See the class."""
        document = self._document()
        kind = document.get("type")
        if self.exchange.remote and kind in ("runCommand", "runCommandJSON"):
            await self._run_remotely(document, as_json=kind == "runCommandJSON")
            return
        if kind == "runCommand":
            reply = await self._execute(self._text(document))
            entries = await self._gathered(text_entries(reply))
        elif kind == "runCommandJSON":
            reply = await self._from_json(document)
            entries = await self._gathered(json_entries(reply))
        else:
            raise bad_request('"type" must be "runCommand" or "runCommandJSON"')
        self._answer(envelope(reply, []), entries)

    def _answer(self, frame: dict[str, Any], entries: list[str], headers: Mapping[str, str] | None = None) -> None:
        """Answer with a frame around entries that are JSON already, since encoding thousands of them takes long."""
        before, _, after = json.dumps(frame, ensure_ascii=False).partition("[]")
        self.exchange.answer(200, JSON, f"{before}[{', '.join(entries)}]{after}".encode(), headers)

    async def _run_remotely(self, document: dict[str, Any], *, as_json: bool) -> None:
        """Run the command at the queue manager of the path."""
        reply = CommandReply(json.dumps(document))
        entries: Iterator[dict[str, Any]]
        try:
            text = text_from_json(document) if as_json else self._text(document)
            CommandAccess(self.exchange).check_remote(text)
        except MQSCSyntaxError as error:
            reply.fail(error.amq, error.reason, str(error))
            entries = json_entries(reply)
        else:
            answers = await ask_command_server(self.exchange, text)
            failed = next((each for each in answers if each.completion == MQCC.FAILED), None)
            if failed is not None:
                reply.fail("", failed.reason, "")
            noun = str(document.get("qualifier", "")).upper()
            entries = parameter_entries(answers, noun) if as_json else line_entries(answers)
        self._answer(envelope(reply, []), await self._gathered(entries), {GATEWAY: self.context.name})

    def _document(self) -> dict[str, Any]:
        try:
            document = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise bad_request(f"the body is no JSON: {error}") from error
        try:
            json.dumps(document, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise bad_request(
                "the body has a text with half a character (a lone surrogate), which no text is"
            ) from error
        if not isinstance(document, dict):
            raise bad_request("the body must be a JSON object")
        return document

    @staticmethod
    def _text(document: dict[str, Any]) -> str:
        parameters = document.get("parameters")
        text = parameters.get("command") if isinstance(parameters, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise bad_request('"parameters" must be an object with the text of a command as "command"')
        return text

    async def _from_json(self, document: dict[str, Any]) -> CommandReply:
        try:
            command = command_from_json(document)
        except MQSCSyntaxError as error:
            reply = CommandReply(json.dumps(document))
            reply.fail(error.amq, error.reason, str(error))
            reply.syntax = True
            return reply
        return await self._execute(command)

    async def _gathered(self, entries: Iterator[dict[str, Any]]) -> list[str]:
        """Encode the entries of a reply as JSON, in turns if there are many."""
        found = []
        for entry in entries:
            found.append(json.dumps(entry, ensure_ascii=False))
            await self.context.work(_ENTRY)
        return found

    async def _execute(self, given: str | Command) -> CommandReply:
        context, access = self.context, CommandAccess(self.exchange)
        try:
            command = parse(given) if isinstance(given, str) else given
        except MQSCSyntaxError:
            assert isinstance(given, str)
            return await self._carry_out(given)
        refused = access.refusal(command)
        if refused is not None:
            return refused
        reply = await self._carry_out(command, None if context.authentication is None else access.origin())
        await access.hide(command, reply)
        return reply

    async def _carry_out(self, given: str | Command, origin: Origin | None = None) -> CommandReply:
        context = self.context
        answer: Deferred[CommandReply] = Deferred()
        context.commands.execute(given, context.now(), answer.callback, *(() if origin is None else (origin,)))
        context.pump()
        return await answer
