"""Where security finds its records: the definitions of the queue manager, looked at again after each change."""

from __future__ import annotations

from typing import Final

from mqbridge.bridge.security import Definitions, Record, Security

from .objects import Definition, Kind, Objects

_WATCHED: Final = frozenset((Kind.CHLAUTH, Kind.AUTHREC, Kind.AUTHINFO, Kind.QMGR))


def security_of(objects: Objects) -> Security:
    """The security of a queue manager with these definitions; it follows their changes."""

    def authentication(name: str) -> Record | None:
        return objects.find(Kind.AUTHINFO, name)

    security = Security(
        Definitions(
            channel_rules=lambda: objects.select(Kind.CHLAUTH),
            authorities=lambda: objects.select(Kind.AUTHREC),
            queue_manager=lambda: objects.manager,
            authentication=authentication,
        )
    )

    def changed(old: Definition | None, new: Definition | None) -> None:
        definition = new if new is not None else old
        assert definition is not None
        if definition.kind in _WATCHED:
            security.definitions_changed()
        elif definition.kind is Kind.QLOCAL and new is None:
            security.authorities.disown(definition.name)

    objects.add_listener(changed)
    return security
