"""Thresholds of the rules for performance and sessions."""

from __future__ import annotations

from typing import Final

MIN_SPLIT: Final = 10
"""Minimum number of calls and messages in several segments before their segments are judged."""
SHORT_SEGMENT_SHARE: Final = 0.5
"""Share of segments below half of the agreed size, among those that could be full."""

MIN_UNITS: Final = 20
"""Minimum number of units of work of a connection before they are judged."""
SINGLE_UNIT_SHARE: Final = 0.9
"""Share of units of work with one message."""

MIN_EMPTY_GETS: Final = 20
"""Minimum number of gets without a wait that found nothing, on one connection."""
EMPTY_GET_SHARE: Final = 0.5
"""Their minimum share of all gets."""

LARGE_MESSAGE: Final = 4_194_304
"""Length of a large message in bytes; MAXMSGL of a new queue."""

MIN_OPENS: Final = 20
"""Minimum number of opens of queues and topics on one connection before they are judged."""
MESSAGES_PER_OPEN: Final = 1.5
"""Messages per open below which objects are opened for every message."""

SLOW_CALL: Final = 1.0
"""Maximum duration in seconds of a call that does not wait."""

IDLE_SESSION: Final = 3600.0
"""Seconds without a call on a connection that has made some."""

STORM_CONNECTS: Final = 50
"""Connections of one client to one server that begin within `STORM_SECONDS`."""
STORM_SECONDS: Final = 10.0

MIN_SHORT_SESSIONS: Final = 20
"""Minimum number of connections of one client, channel and server before their length is judged."""
SHORT_SESSION_MESSAGES: Final = 2
"""Maximum number of messages of a short connection."""
SHORT_SESSION_SHARE: Final = 0.8

MIN_LEFT_SESSIONS: Final = 5
"""Minimum number of connections of one client, channel and server that did not disconnect."""
LEFT_SESSION_SHARE: Final = 0.5

CONCURRENT_SESSIONS: Final = 100
"""Maximum number of concurrent connections of one client and channel to one server."""
