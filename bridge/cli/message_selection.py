"""Options common to ``mqbridge get`` and ``mqbridge browse``: which messages, and where to write them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from mqbridge.bridge.cli.connecting import client_option, reach_options

F = TypeVar("F", bound=Callable[..., Any])

HEX_DIGITS: Final = 48
MAX_WAIT: Final = 2_000_000.0
"""Longest wait in seconds."""


def identifier(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Check a message or correlation id: up to 24 bytes in hexadecimal."""
    if value is None:
        return None
    try:
        raw = bytes.fromhex(value)
    except ValueError:
        raw = b""
    if not raw or len(raw) * 2 > HEX_DIGITS:
        raise click.BadParameter(f"up to {HEX_DIGITS} hexadecimal digits are expected")
    return raw.hex()


class _Seconds(click.FloatRange):
    """Seconds from 0 to `MAX_WAIT`; NaN is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number."""
        number: float = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        return number


_OPTIONS: Final = (
    click.option("--count", type=click.IntRange(1), metavar="N", help="So many messages."),
    click.option("--all", "everything", is_flag=True, help="All that are there."),
    click.option(
        "--wait",
        type=_Seconds(0, MAX_WAIT),
        default=0.0,
        metavar="SECONDS",
        help="Wait so long for each message that is not there yet.",
    ),
    click.option("--msg-id", callback=identifier, metavar="HEX", help="Only messages with this id."),
    click.option("--correl-id", callback=identifier, metavar="HEX", help="Only messages with this correlation id."),
    click.option("--selector", metavar="S", help="Only messages of which this is true: \"colour = 'red' AND n > 2\"."),
    click.option("--json", "as_json", is_flag=True, help="One JSON object a line, descriptor and headers included."),
    click.option("--jms", "as_jms", is_flag=True, help="As JMS messages: headers, body and properties with types."),
    click.option(
        "--output",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write each body to a file NNNN-MSGID of this folder.",
    ),
    click.argument("queue"),
)


def selection_options(command: F) -> F:
    """Add the options."""
    decorated: Any = command
    for option in reversed(_OPTIONS):
        decorated = option(decorated)
    return reach_options(client_option(decorated))  # type: ignore[no-any-return]
