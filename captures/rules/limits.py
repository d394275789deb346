"""Limits of the rules about performance and sessions: from where on something is worth a finding."""

from __future__ import annotations

from typing import Final

MIN_SPLIT: Final = 10
"""Calls and messages in several segments before their segments are judged."""
SHORT_SEGMENT_SHARE: Final = 0.5
"""Share of segments below half of the agreed size, of those that could be full."""

MIN_UNITS: Final = 20
"""Units of work of a connection before they are judged."""
SINGLE_UNIT_SHARE: Final = 0.9
"""Share of units of work with one message."""

MIN_EMPTY_GETS: Final = 20
"""Gets without a wait that found nothing, of one connection."""
EMPTY_GET_SHARE: Final = 0.5
"""Their share of all gets."""

LARGE_MESSAGE: Final = 4_194_304
"""Bytes of a message; MAXMSGL of a new queue."""

MIN_OPENS: Final = 20
"""Opens of queues and topics of one connection before they are judged."""
MESSAGES_PER_OPEN: Final = 1.5
"""Messages for each open below which objects are opened for every message."""

SLOW_CALL: Final = 1.0
"""Seconds that a call that does not wait may take."""

IDLE_SESSION: Final = 3600.0
"""Seconds without a call, on a connection that has made some."""

STORM_CONNECTS: Final = 50
"""Connections of one client to one server that begin within `STORM_SECONDS`."""
STORM_SECONDS: Final = 10.0

MIN_SHORT_SESSIONS: Final = 20
"""Connections of one client, channel and server before their length is judged."""
SHORT_SESSION_MESSAGES: Final = 2
"""Messages at the most of a connection that was hardly worth making."""
SHORT_SESSION_SHARE: Final = 0.8

MIN_LEFT_SESSIONS: Final = 5
"""Connections of one client, channel and server that did not disconnect."""
LEFT_SESSION_SHARE: Final = 0.5

CONCURRENT_SESSIONS: Final = 100
"""Connections of one client and channel to one server at a time."""
