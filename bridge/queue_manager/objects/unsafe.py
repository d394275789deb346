"""Attributes of a channel that change its safety and that are not acted on: such a channel must not run."""

from __future__ import annotations

from .channel_attributes import EXITS
from .definition import Definition

STATUS_CIPHER = 0x18
"""Status code of mq-wire.md 5.14 that tells a partner of a CipherSpec it does not have."""
STATUS_EXIT = 0x17


def unsafe_attributes(channel: Definition) -> list[tuple[str, int, str]]:
    """(attribute, status code for the partner, AMQ id) of everything set on a channel that would be left undone.

    A channel for which the list is not empty does not start and refuses inbound connections.
    """
    found = []
    if channel.get("SSLCIPH"):
        found.append(("SSLCIPH", STATUS_CIPHER, "AMQ9639"))
    found.extend((exit_name, STATUS_EXIT, "AMQ9536") for exit_name in EXITS if channel.get(exit_name))
    return found
