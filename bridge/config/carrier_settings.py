"""Settings of what moves messages beside the channels."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import place, setting, tables
from mqbridge.bridge.config.errors import TablePlace

MIN_LINK_MESSAGE: Final = 1 << 10
LARGEST_WINDOW: Final = 100_000
LARGEST_ID_CACHE: Final = 1_000_000_000
DEFAULT_LINK_MESSAGE: Final = 100 << 20


@dataclass(slots=True, kw_only=True)
class RouteSettings:
    """``[[route]]``: messages of a queue, a topic or an input that are put elsewhere, transformed on the way."""

    name: str = setting(values.object_name)
    """Its name; unique."""
    source: str | None = setting(values.object_name, None, key="from")
    """Queue that it gets from."""
    topic: str | None = setting(values.text, None)
    """Topic string that it subscribes to durably, with wildcards; instead of ``from``."""
    input: dict[str, Any] | None = setting(values.keys_and_values, None)
    """An input of another transport instead, such as ``{ kind = "files", folder = "incoming" }``."""
    when: str | None = setting(values.text, None)
    """Selector; a message that is not selected is left to the source's next route."""
    steps: list[Any] = setting(values.array, [])
    """Transformations, in order."""
    to: str = setting(values.text)
    """Target: a destination URI, or the name of a queue."""
    error: str | None = setting(values.object_name, None)
    """Queue for messages that cannot be transformed or put; None: the dead-letter queue."""
    mcauser: str | None = setting(values.text, None)
    """User with whose authorities it gets and puts; None: the queue manager's own."""
    place: TablePlace = place()


@dataclass(slots=True, kw_only=True)
class LinkSendSettings:
    """An element of ``send`` of a link: a queue whose messages go to an address of the provider."""

    queue: str = setting(values.object_name)
    """Queue that the link gets from."""
    address: str = setting(values.text)
    """Address at the provider: the name of a queue, or ``topic://NAME``."""


@dataclass(slots=True, kw_only=True)
class LinkReceiveSettings:
    """An element of ``receive`` of a link: an address of the provider whose messages go to a queue."""

    address: str = setting(values.text)
    """Address at the provider: the name of a queue, or ``topic://NAME``."""
    queue: str = setting(values.object_name)
    """Queue that the link puts to."""


@dataclass(slots=True, kw_only=True)
class LinkSettings:
    """``[[link]]``: queues joined to destinations of a JMS provider over AMQP 1.0; needs the extra ``amqp``."""

    name: str = setting(values.object_name)
    """Its name; unique."""
    endpoint: str = setting(values.client_endpoint)
    """Where the provider accepts AMQP: ``tcp:HOST:PORT`` or ``unix:PATH``."""
    user: str | None = setting(values.text, None)
    """User at the provider; None: its certificate says who we are, or nobody does."""
    password_file: Path | None = setting(values.path, None)
    """File whose first line is the user's password."""
    plain_password: bool = setting(values.yes_or_no, False)
    """Whether the password may go over a network without TLS."""
    trusted: Path | None = setting(values.path, None)
    """Certificates of the authorities that the provider's certificate must come from; with it the link uses TLS."""
    certificate: str | None = setting(values.text, None)
    """Label of our certificate in the key repository of the queue manager, for TLS."""
    send: list[LinkSendSettings] = tables(LinkSendSettings, "send", list)
    """Queues whose messages go to the provider."""
    receive: list[LinkReceiveSettings] = tables(LinkReceiveSettings, "receive", list)
    """Addresses whose messages come to us."""
    reply_queue: str | None = setting(values.object_name, None)
    """Queue to which programs here answer requests of the provider's programs; None: their requests have no replies."""
    reply_address: str | None = setting(values.text, None)
    """Address to which the provider's programs answer requests of programs here; None: our requests have no replies."""
    duplicates: str = setting(values.choice("artemis", "none"), "artemis")
    """How the provider recognises a message that is sent again: ``artemis`` by the property _AMQ_DUPL_ID, ``none`` not
    at all, so that each message arrives at least once."""
    reply_expiry: float = setting(values.seconds(1), 86_400.0)
    """Seconds for which it is remembered who sent a request."""
    window: int = setting(values.whole_number(1, LARGEST_WINDOW), 1000)
    """Most messages of one queue that the provider has not answered; below ``id_cache``."""
    id_cache: int = setting(values.whole_number(1, LARGEST_ID_CACHE), 20_000)
    """Number of ids that the provider remembers of an address."""
    batch: int = setting(values.whole_number(1, LARGEST_WINDOW), 50)
    """Most messages of one transaction."""
    credit: int = setting(values.whole_number(1, LARGEST_WINDOW), 500)
    """Most messages of one address that are on their way."""
    retry_interval: float = setting(values.seconds(0.1), 1.0)
    """Seconds before the first attempt to connect again; the times double."""
    longest_retry: float = setting(values.seconds(0.1), 60.0)
    """Most seconds between attempts."""
    max_message: int = setting(values.size(MIN_LINK_MESSAGE), DEFAULT_LINK_MESSAGE)
    """Length of the longest message that is taken from the provider, in bytes of all its sections."""
    idle_timeout: float = setting(values.seconds(1), 60.0)
    """Seconds without a sign of life after which the connection is given up."""
    mcauser: str | None = setting(values.text, None)
    """User with whose authorities it gets and puts; None: the queue manager's own."""
    place: TablePlace = place()
