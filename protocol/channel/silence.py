"""How long an end of a channel waits for the other, channels.md 6.1."""

from __future__ import annotations

from mqbridge.protocol import inferred


def receive_timeout(heartbeat_interval: int) -> float | None:
    """Seconds of silence after which a partner is given up; None without heartbeats (channels.md 6.1)."""
    if not heartbeat_interval:
        return None
    return heartbeat_interval + min(heartbeat_interval, inferred.RECEIVE_TIMEOUT_MARGIN)
