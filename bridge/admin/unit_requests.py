"""``POST /mqbridge/v1/qmgr/{qmgr}/unit`` and ``…/unit/{id}/commit``, ``…/unit/{id}/backout``.

The body of the first may be ``{"separate": true, "connection": true}``. In a separate unit each message got can be
committed alone: ``commit?messages=3`` commits the first three, and the unit continues. A unit with ``connection`` is
backed out when the connection that opened it ends.
"""

from __future__ import annotations

import json
from typing import Any, Final

from mqbridge.bridge.queue_manager.calls.requests import Commit

from .errors import bad_request
from .handlers import Handler, SmallBodyHandler
from .units import RestUnit

_MAX_MESSAGES: Final = 999_999_999
_OPTIONS: Final = frozenset(("separate", "connection"))


class OpenUnit(SmallBodyHandler):
    """The handler that opens a unit: 201 and ``{"unit": ID}``."""

    async def run(self) -> None:
        """See the class."""
        options = self._options()
        channel = self.exchange.request.channel if options.get("connection") else None
        exchange = self.exchange
        unit = self.context.units.open(
            exchange.program(), exchange.user, separate=bool(options.get("separate")), channel=channel
        )
        location = f"/mqbridge/v1/qmgr/{self.context.name}/unit/{unit.id}"
        self.exchange.answer_json(201, {"unit": unit.id}, {"Location": location})

    def _options(self) -> dict[str, Any]:
        if not self.body:
            return {}
        try:
            options = json.loads(self.body)
        except (ValueError, RecursionError) as error:
            raise bad_request(f"the body is no JSON: {error}") from error
        if not isinstance(options, dict) or not _OPTIONS.issuperset(options):
            raise bad_request(f"the body may be an object with {' and '.join(sorted(_OPTIONS))}")
        if not all(isinstance(value, bool) for value in options.values()):
            raise bad_request("options of a unit are true or false")
        return options


class _EndUnit(Handler):
    """Handler for the unit of the path."""

    def use(self) -> RestUnit:
        """Return the unit, reserved until the request ends."""
        unit = self.exchange.unit = self.context.units.use(self.exchange.names["unit"], self.exchange.user)
        return unit


class CommitUnit(_EndUnit):
    """The handler that commits: 200 when everything is on disk; an error with reason 2003 or the store's if nothing
    is."""

    async def run(self) -> None:
        """See the class."""
        messages = self.exchange.number("messages", _MAX_MESSAGES, 0, _MAX_MESSAGES)
        unit = self.use()
        program = unit.program
        if unit.separate:
            tokens, unit.tokens = tuple(unit.tokens[:messages]), unit.tokens[messages:]
            await program.ask(Commit(program.tag, tokens=tokens))
        else:
            self.context.units.close(unit)
            try:
                await program.ask(Commit(program.tag))
            finally:
                program.end()
        self.exchange.answer_json(200, {"unit": unit.id, "outcome": "committed"})


class BackoutUnit(_EndUnit):
    """The handler that backs out: 200."""

    async def run(self) -> None:
        """See the class."""
        unit = self.use()
        self.context.units.backout(unit)
        self.exchange.answer_json(200, {"unit": unit.id, "outcome": "backed out"})
