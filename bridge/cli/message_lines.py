"""Lines of JSON from the pieces in which they arrive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing


def whole_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield whole lines from pieces."""
    parts: list[bytes] = []
    with closing(chunks):  # type: ignore[type-var]
        for data in chunks:
            *lines, rest = data.split(b"\n")
            for line in lines:
                parts.append(line)
                yield b"".join(parts) + b"\n"
                parts = []
            if rest:
                parts.append(rest)
