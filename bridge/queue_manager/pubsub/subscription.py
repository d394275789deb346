"""A subscription at run time: the attributes of its definition (kind SUB), its counters, and its Hsubs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from mqbridge.bridge.queue_manager.objects import NO_LIMIT
from mqbridge.bridge.queue_manager.programs import ProgramId
from mqbridge.mappings.moment import Time
from mqbridge.protocol.constants import MQPRI

from .wildcards import Pattern, make_pattern

if TYPE_CHECKING:
    from collections.abc import Callable

    from mqbridge.bridge.queue_manager.handle import Handle
    from mqbridge.bridge.queue_manager.objects import Definition

PRIORITY_AS_PUBLISHED: Final = int(MQPRI.AS_PUBLISHED)
_PRIORITIES: Final = {-1: PRIORITY_AS_PUBLISHED, -2: int(MQPRI.AS_Q_DEF)}
"""PUBPRTY(ASPUB) and PUBPRTY(ASQDEF) as values of a descriptor."""
_ID_LENGTH: Final = 24
_TOKEN_LENGTH: Final = 32
_TENTHS: Final = 10


Selects: TypeAlias = "Callable[[Callable[[str], Any]], bool]"
"""A compiled selection string: takes a function that looks up a property by name, and returns whether it is true."""


class Subscription:
    """One subscription.

    Attributes follow the definition, see `refresh`. ``order``: rank by creation, in which subscriptions get
    publications. ``handles``: open Hsubs. ``messages``: publications put to its destination, the last at
    ``last_message`` (seconds since the epoch, 0 for none). ``resumed``: when the last Hsub was opened. ``selector``:
    None without a selection string. ``deleted``: only open handles still refer to it.
    """

    __slots__ = (
        "accounting_token", "any_user", "appl_identity_data", "characters", "correl_id", "definition", "deleted",
        "destination", "durable", "expires_at", "grouped", "handles", "id", "last_message", "level", "managed",
        "messages", "name", "order", "pattern", "priority", "properties", "request_only", "resumed", "selector",
        "shared", "topic", "user", "user_data",
    )  # fmt: skip

    def __init__(self, definition: Definition, order: int, selector: Selects | None) -> None:
        self.order = order
        self.selector = selector
        self.deleted = False
        self.handles: list[SubscriptionHandle] = []
        self.messages = 0
        self.last_message = 0.0
        self.resumed = 0.0
        self.name = definition.name
        self.topic = definition.text("TOPICSTR")
        self.characters = definition.text("WSCHEMA") == "CHAR"
        self.pattern: Pattern | str = make_pattern(self.topic, characters=self.characters)
        self.refresh(definition)

    def refresh(self, definition: Definition) -> None:
        """Read the attributes of the definition, all but topic string, wildcard scheme and selection string."""
        self.definition = definition
        self.id = bytes.fromhex(definition.text("SUBID"))
        self.durable = definition.text("DURABLE") != "NO"
        self.managed = definition.text("DESTCLAS") == "MANAGED"
        self.destination = (definition.text("DEST"), definition.text("DESTQMGR"))
        self.correl_id = bytes.fromhex(definition.text("DESTCORL")).ljust(_ID_LENGTH, b"\0")
        self.expires_at = expiry_time(definition)
        self.user = definition.text("SUBUSER")
        self.any_user = definition.text("VARUSER") == "ANY"
        self.grouped = definition.text("GROUPSUB") == "YES"
        self.shared = definition.text("SHARED") == "YES"
        self.request_only = definition.text("REQONLY") == "YES"
        self.level = definition.integer("SUBLEVEL")
        priority = definition.integer("PUBPRTY")
        self.priority = _PRIORITIES.get(priority, priority)
        self.accounting_token = token_of(definition.text("PUBACCT"))
        self.appl_identity_data = definition.text("PUBAPPID")
        self.properties = definition.text("PSPROP")
        self.user_data = definition.text("USERDATA")

    @property
    def selection(self) -> str:
        """The selection string."""
        return self.definition.text("SELECTOR")

    def matches_topic(self, topic: str) -> bool:
        """Whether it matches a topic string."""
        return self.pattern == topic if isinstance(self.pattern, str) else self.pattern.matches(topic)

    def selects(self, look_up: Callable[[str], Any]) -> bool:
        """Whether its selector, if any, is true. ``look_up``: returns a property of the publication by name."""
        return self.selector is None or self.selector(look_up)

    def __repr__(self) -> str:
        return f"<Subscription {self.name or self.id.hex()} to {self.topic}>"


def token_of(text: str) -> bytes:
    """The accounting token of PUBACCT, 32 bytes: from hexadecimal digits, else the text in UTF-8."""
    try:
        token = bytes.fromhex(text)
    except ValueError:
        token = text.encode("utf-8", "replace")
    return token[:_TOKEN_LENGTH].ljust(_TOKEN_LENGTH, b"\0")


def priority_word(priority: int) -> int:
    """PUBPRTY of a PubPriority."""
    return next((kept for kept, value in _PRIORITIES.items() if value == priority), priority)


def expiry_time(definition: Definition) -> float | None:
    """When a subscription expires, in seconds since the epoch: EXPIRY (tenths of a second) after its creation."""
    tenths = definition.integer("EXPIRY")
    if tenths == NO_LIMIT or tenths <= 0:
        return None
    text = f"{definition.text('CRDATE')} {definition.text('CRTIME')}"
    try:
        created = datetime.strptime(text, "%Y-%m-%d %H.%M.%S").replace(tzinfo=UTC)
    except ValueError:
        return None
    return created.timestamp() + tenths / _TENTHS


@dataclass(slots=True, eq=False)
class SubscriptionHandle:
    """An Hsub: an open subscription of a program (mqi.md 17).

    ``options``: MQSO bits of the call that opened it. ``owner``: the program; its own publications with
    MQPMO_NOT_OWN_SUBS are not delivered. ``queue_handle``: the managed queue, open for input; None for a provided
    destination. ``at_end``: closes it, given the time.
    """

    subscription: Subscription
    options: int
    owner: ProgramId
    queue_handle: Handle | None = None
    closed: bool = False
    at_end: Callable[[SubscriptionHandle, Time], None] | None = None

    @property
    def object_name(self) -> str:
        """The topic string."""
        return self.subscription.topic

    def close_at_end(self, now: Time) -> None:
        """MQCLOSE with MQCO_NONE, when the connection ends."""
        if not self.closed and self.at_end is not None:
            self.at_end(self, now)
