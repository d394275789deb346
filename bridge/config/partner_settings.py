"""Settings of partners that speak the protocol of a template (docs/partners.md)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mqbridge.bridge.config import values
from mqbridge.bridge.config.declarations import place, setting
from mqbridge.bridge.config.errors import TablePlace

MAX_SESSIONS: Final = 1000
MAX_REMEMBERED: Final = 1_000_000
MAX_CCSID: Final = 65_535


@dataclass(slots=True, kw_only=True)
class PartnerSettings:
    """``[[partner]]``: queues joined to a host that speaks a protocol of its own."""

    name: str = setting(values.object_name)
    """Its name; unique."""
    protocol: str = setting(values.text)
    """File that describes the protocol, or the name of a description that is shipped."""
    role: str = setting(values.choice("initiator", "responder"), "initiator")
    """``initiator``: we call the host; ``responder``: it calls us."""
    endpoint: str = setting(values.endpoint)
    """Where the host is, ``tcp:HOST:PORT`` or ``unix:PATH``; of a responder, where it is awaited."""
    send: str | None = setting(values.object_name, None)
    """Queue whose messages become packets."""
    receive: str | None = setting(values.object_name, None)
    """Queue for what the host begins."""
    own: dict[str, Any] = setting(values.keys_and_values, {}, key="values")
    """Values of our end for packets that are sent, by names of fields or of mappings."""
    format: str | None = setting(values.text, None)
    """Format of messages from the host whose data are bytes; None: MQFMT_NONE."""
    ccsid: int = setting(values.whole_number(0, MAX_CCSID), 0)
    """Their CodedCharSetId; 0: the queue manager's."""
    sessions: int = setting(values.whole_number(1, MAX_SESSIONS), 1)
    """Most connections of a responder at a time."""
    remember: int = setting(values.whole_number(1, MAX_REMEMBERED), 1000)
    """Ids of messages from the host that are kept, to know one that comes again."""
    trusted: Path | None = setting(values.path, None)
    """Certificates of the authorities that the host's certificate must come from; with it an initiator uses TLS."""
    certificate: str | None = setting(values.text, None)
    """Label of our certificate in the key repository of the queue manager; with it a responder uses TLS."""
    plain: bool = setting(values.yes_or_no, False)
    """Whether a responder without TLS may be reached by other machines."""
    retry_interval: float = setting(values.seconds(0.1), 1.0)
    """Seconds before the first attempt to connect again; the times double."""
    longest_retry: float = setting(values.seconds(0.1), 60.0)
    """Most seconds between attempts."""
    mcauser: str | None = setting(values.text, None)
    """User with whose authorities it gets and puts; None: the queue manager's own."""
    place: TablePlace = place()
