"""``HOST:PORT`` as an option takes it."""

from __future__ import annotations

import re
from typing import Final

DEFAULT_PORT: Final = 1414
_FORM: Final = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.%\w]+)\]|(?P<host>[^\s:\[\]]+))(?::(?P<port>\d{1,5}))?")
_PORTS: Final = range(1, 1 << 16)


def host_and_port(text: str) -> tuple[str, int]:
    """Read ``host:1414``, ``[::1]:1414``, or a host alone, whose port is 1414. Raises ``ValueError``."""
    match = _FORM.fullmatch(text.strip())
    port = int(match["port"] or DEFAULT_PORT) if match else 0
    if match is None or port not in _PORTS:
        raise ValueError(f"{text!r} is not of the form HOST:PORT, such as mq.example.com:1414 or [::1]:1414")
    return match["six"] or match["host"], port
