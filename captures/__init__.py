"""Captured traffic: reading of pcap and pcapng, TCP reassembly, MQ segments; recording.

:func:`read_segments` returns MQ segments, :func:`read_flows` bytes; :class:`Recorder` writes connections as a capture.
No content of a file makes a reader raise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .names import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        """Load a name when it is first used: an analysis does not wait for recording, indexing and columns."""
        import mqbridge.captures.names as names

        return getattr(names, name)

    def __dir__() -> list[str]:
        import mqbridge.captures.names as names

        return sorted({*globals(), *names.__all__})
