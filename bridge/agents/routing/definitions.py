"""Definitions of routes, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from mqbridge.mappings.destinations import Destination
from mqbridge.mappings.selectors import Selector
from mqbridge.mappings.transformations import PythonFunction, Step
from mqbridge.protocol.errors import MQBridgeError


class RouteError(MQBridgeError):
    """Routes that cannot be. ``route``: whose definition is wrong. ``key``: of the configuration, blank for the whole
    table. ``number``: of an element of that key, from 1, or 0."""

    def __init__(self, route: str, key: str, text: str, number: int = 0) -> None:
        super().__init__(text)
        self.route = route
        self.key = key
        self.number = number


class SourceKind(Enum):
    """Where messages come from."""

    QUEUE = "queue"
    TOPIC = "topic"
    INPUT = "input"


class Source(NamedTuple):
    """Where messages come from. ``name``: of a queue, a topic string with wildcards, or the name of an input's
    route."""

    kind: SourceKind
    name: str

    @property
    def shown(self) -> str:
        """The source for displays: a queue by its name, ``topic://…``, ``input://…``."""
        return self.name if self.kind is SourceKind.QUEUE else f"{self.kind.value}://{self.name}"


@dataclass(frozen=True, slots=True)
class RouteDefinition:
    """One route.

    ``when``: selector, None if it takes every message. ``error``: queue for messages that fail, blank for the
    dead-letter queue. ``user``: its ``mcauser``, blank for the queue manager's own authority.
    """

    name: str
    source: Source
    target: Destination
    when: Selector | None = None
    steps: tuple[Step, ...] = ()
    error: str = ""
    user: str = ""

    @property
    def calls_python(self) -> bool:
        """Whether one of its steps is a Python function."""
        return any(isinstance(step.action, PythonFunction) for step in self.steps)
