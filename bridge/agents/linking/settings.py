"""What a link carries, and its limits."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import Enum
from typing import Final

from mqbridge.protocol.errors import MQBridgeError

MAX_ENDS: Final = 1000
"""Most queues and addresses of one link, either way."""
MAX_ADDRESS: Final = 255
"""Longest address at the provider, in characters."""
MAX_NAME: Final = 48
"""Longest name of a link."""
LARGEST_WINDOW: Final = 100_000


class LinkSettingsError(MQBridgeError):
    """Settings of a link that contradict each other or exceed a limit. ``key``: the setting."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(f"{key}: {problem}")
        self.key = key
        self.problem = problem


class Duplicates(Enum):
    """What the provider does with messages that it has had before."""

    ARTEMIS = "artemis"
    """It drops a message whose application property ``_AMQ_DUPL_ID`` it has seen: exactly once."""

    NONE = "none"
    """Nothing: at least once."""


@dataclass(frozen=True, slots=True)
class SendEnd:
    """Messages of a queue go to an address of the provider."""

    queue: str
    address: str


@dataclass(frozen=True, slots=True)
class ReceiveEnd:
    """Messages of an address of the provider go to a queue."""

    address: str
    queue: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkSettings:
    """A link.

    ``window``: most messages of one queue that the provider has not answered; below ``id_cache``, the number of ids
    that it remembers of an address. ``batch``: most messages of one transaction. ``credit``: most messages of one
    address that are on their way. ``reply_queue``: where programs here answer requests of the provider's programs.
    ``reply_address``: where the provider's programs answer requests of ours; blank: such requests keep no way back.
    ``reply_expiry``: seconds for which a request is remembered. ``retry_interval``, ``longest_retry``: seconds before
    the first and between later attempts. ``remember``: seconds after a reconnection during which a delivery is compared
    with those before it. ``linger``: seconds that the provider may take to write a settlement to its disk.
    ``room_interval``: seconds after which a full queue is looked at again. ``stop_wait``: seconds
    for which outcomes are awaited when the link is stopped. ``mcauser``: with whose authorities it gets and puts;
    blank: the queue manager's own.

    Raises `LinkSettingsError`.
    """

    name: str
    send: tuple[SendEnd, ...] = ()
    receive: tuple[ReceiveEnd, ...] = ()
    duplicates: Duplicates = Duplicates.ARTEMIS
    mcauser: str = ""
    window: int = 1000
    id_cache: int = 20_000
    batch: int = 50
    credit: int = 500
    reply_queue: str = ""
    reply_address: str = ""
    reply_expiry: float = 86_400.0
    retry_interval: float = 1.0
    longest_retry: float = 60.0
    remember: float = 3600.0
    linger: float = 10.0
    room_interval: float = 1.0
    stop_wait: float = 10.0

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= MAX_NAME or not self.name.isprintable():
            raise LinkSettingsError("name", f"1 to {MAX_NAME} printable characters")
        self._check_ends()
        if not 1 <= self.window <= LARGEST_WINDOW:
            raise LinkSettingsError("window", f"1 to {LARGEST_WINDOW}")
        if self.duplicates is Duplicates.ARTEMIS and self.window >= self.id_cache:
            raise LinkSettingsError("window", f"{self.window} is not below id_cache, {self.id_cache}")
        most = max(Counter(end.address for end in self.send).values(), default=1)
        if self.duplicates is Duplicates.ARTEMIS and self.window * most >= self.id_cache:
            problem = f"{most} queues of one address have {self.window * most} messages under way"
            raise LinkSettingsError("window", f"{problem}, which is not below id_cache, {self.id_cache}")
        if not 1 <= self.batch <= self.window:
            raise LinkSettingsError("batch", "1 to window")
        if not 1 <= self.credit <= LARGEST_WINDOW:
            raise LinkSettingsError("credit", f"1 to {LARGEST_WINDOW}")
        for key in (
            "reply_expiry",
            "retry_interval",
            "longest_retry",
            "remember",
            "linger",
            "room_interval",
            "stop_wait",
        ):
            if not 0 < getattr(self, key) <= 366 * 86_400:
                raise LinkSettingsError(key, "more than 0 seconds, at most a year")

    def _check_ends(self) -> None:
        if not self.send and not self.receive:
            raise LinkSettingsError("send", "the link has nothing to send or receive")
        if len(self.send) + len(self.receive) > MAX_ENDS:
            raise LinkSettingsError("send", f"more than {MAX_ENDS} queues and addresses")
        queues = [end.queue for end in self.send] + [self.reply_queue] * bool(self.reply_queue)
        addresses = [end.address for end in self.receive] + [self.reply_address] * bool(self.reply_address)
        if len(set(queues)) < len(queues):
            raise LinkSettingsError("send", "a queue is named twice")
        if len(set(addresses)) < len(addresses):
            raise LinkSettingsError("receive", "an address is named twice")
        for address in (*addresses, *(end.address for end in self.send)):
            if not 0 < len(address) <= MAX_ADDRESS:
                raise LinkSettingsError("address", f"1 to {MAX_ADDRESS} characters")
        if self.reply_queue in {end.queue for end in self.receive}:
            raise LinkSettingsError("reply_queue", f"what is received into {self.reply_queue} would be sent back")
        sent = {end.address for end in self.send}
        if self.reply_address in sent:
            raise LinkSettingsError("reply_address", f"what is sent to {self.reply_address} would come back")
        for end in self.receive:
            if end.address in sent and any(each.queue == end.queue for each in self.send):
                raise LinkSettingsError("receive", f"{end.queue} and {end.address} are a ring")
