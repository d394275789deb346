"""RESOLVE INDOUBT: an operator decides a branch whose transaction manager does not (mqi.md 16)."""

from __future__ import annotations

import re
from typing import Final

from mqbridge.bridge.queue_manager.errors import MQError
from mqbridge.bridge.queue_manager.objects import MQRCCF
from mqbridge.bridge.queue_manager.units_of_work import tell
from mqbridge.bridge.queue_manager.xa import BranchState

from .context import Context

_NUMBER: Final = re.compile(r"[0-9A-Fa-f]{1,16}")


def resolve_indoubt(context: Context) -> None:
    """RESOLVE INDOUBT(conn) ACTION(COMMIT | BACKOUT): ``conn`` as DISPLAY CONN WHERE(UOWSTATE NE NONE) shows it.

    The transaction manager is told of the decision when it asks for the branch, until it forgets it.
    """
    command = context.command
    name = command.required_name("connection id")
    action = command.word("ACTION", ("COMMIT", "BACKOUT"))
    if not action:
        raise command.error(command.name_offset, "ACTION with one of COMMIT, BACKOUT")
    command.finish()
    branches = context.manager.connections.branches
    branch = branches.numbered(int(name, 16)) if _NUMBER.fullmatch(name) else None
    if branch is None or branch.state is not BranchState.PREPARED:
        context.refuse("AMQ8147", MQRCCF.CONNECTION_ID_ERROR, f"no unit of work of a connection {name} is in doubt")
        return

    def decided(error: MQError | None) -> None:
        if error is None:
            context.answer("AMQ8415", "RESOLVE INDOUBT")
        else:
            context.refuse("AMQ8101", error.reason, f"the unit of work stays in doubt: {error}")

    tell(branches.decide(branch, action == "COMMIT", context.now).pending, decided)
