"""Plug-ins by name: rules, adapters, transformers, authenticators (E-229).

A definition names a plug-in, such as ``transmission-window:18:00-09:00,count=11``; what stands behind the first colon
is for the plug-in. Names are registered by the program that hosts a queue manager: nothing that comes over a connection
imports code. A distribution brings plug-ins by entry points of group `GROUP`, each named ``kind.name``::

    [project.entry-points."mqbridge.everyplace"]
    "queue-rule.weigh" = "scales.rules:Weigh"

An entry point is a factory: it is called with the parameters, a text that may be empty.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, unique
from typing import Any, Final, TypeAlias

from mqbridge.protocol.everyplace.errors import Code, EveryplaceError

from .parameters import split

GROUP: Final = "mqbridge.everyplace"
"""The group of entry points."""
Factory: TypeAlias = Callable[[str], Any]


@unique
class Kind(Enum):
    """What a plug-in is; the value stands in entry points."""

    QUEUE_MANAGER_RULE = "queue-manager-rule"
    QUEUE_RULE = "queue-rule"
    ATTRIBUTE_RULE = "attribute-rule"
    UNDELIVERED_RULE = "undelivered-rule"
    START_UP_RULE = "start-up-rule"
    PURGER_RULE = "purger-rule"
    ADAPTER = "adapter"
    STORAGE_ADAPTER = "storage-adapter"
    TRANSFORMER = "transformer"
    AUTHENTICATOR = "authenticator"
    COMPRESSOR = "compressor"
    CRYPTOR = "cryptor"


class PlugIns:
    """A registry of names."""

    def __init__(self) -> None:
        self._factories: dict[tuple[Kind, str], Factory] = {}

    def register(self, kind: Kind, name: str, factory: Factory) -> None:
        """Give a plug-in a name. Raises `EveryplaceError` NOT_ALLOWED for a name that is taken."""
        if (kind, name) in self._factories:
            raise EveryplaceError(Code.NOT_ALLOWED, f"there are two plug-ins {kind.value} {name}")
        self._factories[kind, name] = factory

    def load(self, entry_points: Iterable[tuple[str, Callable[[], Factory]]]) -> None:
        """Register entry points: their names ``kind.name``, and what loads each. Raises `EveryplaceError`."""
        kinds = {each.value: each for each in Kind}
        for text, load in entry_points:
            kind, _, name = text.partition(".")
            if kind not in kinds or not name:
                raise EveryplaceError(Code.SYNTAX, f"entry point {text!r} is not kind.name; kinds: {', '.join(kinds)}")
            self.register(kinds[kind], name, load())

    def make(self, kind: Kind, text: str) -> Any:
        """Return a new plug-in for its name with parameters.

        Raises `EveryplaceError` NOT_FOUND for a name that is not registered, SYNTAX for its parameters.
        """
        name, parameters = split(text)
        factory = self._factories.get((kind, name))
        if factory is None:
            known = ", ".join(self.names(kind)) or "none"
            raise EveryplaceError(
                Code.NOT_FOUND, f"{kind.value} {name[:40]!r} is not registered here; there are: {known}"
            )
        return factory(parameters)

    def names(self, kind: Kind) -> list[str]:
        """Return the names of one kind."""
        return sorted(name for each, name in self._factories if each is kind)
