"""Under which name a call's object is checked: the first definition that is no queue manager alias (mqi.md 2)."""

from __future__ import annotations

from bridge.security import Opened

from .objects import Kind, Objects
from .resolution import Target


def opened_of(objects: Objects, target: Target, object_name: str, object_q_mgr_name: str = "") -> Opened:
    """What security is asked about when two names were resolved to a target.

    A queue at another queue manager, named with it, is checked as its transmission queue, or by RQMNAME records.
    """
    away = object_q_mgr_name not in ("", objects.name)
    for part in target.path:
        definition = objects.queue(part.name)
        if definition is None:
            continue
        if definition.kind is Kind.QREMOTE and not definition.text("RNAME"):
            continue
        transmission = definition.text("USAGE") == "XMITQ"
        through = transmission and away and target.remote
        return Opened(
            part.name,
            queue_manager=object_q_mgr_name if through else "",
            transmission=transmission and not through and part.name == object_name,
        )
    return Opened(target.model.name if target.model is not None else target.queue_name or object_name)
