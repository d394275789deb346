"""Queues whose messages the queue manager itself acts upon."""

from __future__ import annotations

from typing import Final

from mqbridge.mappings.delayed import DELAY_QUEUE

COMMAND_QUEUE: Final = "SYSTEM.ADMIN.COMMAND.QUEUE"
"""What lies here is carried out, with the authority with which it was put."""
RETAINED_QUEUE: Final = "SYSTEM.RETAINED.PUB.QUEUE"
"""What lies here is given to whoever subscribes."""
RESERVED: Final = frozenset((DELAY_QUEUE, RETAINED_QUEUE))
"""Where no user puts, administrators neither: what lies here is the queue manager's own record."""
NAMES_PUTTER: Final = frozenset((COMMAND_QUEUE, DELAY_QUEUE))
"""Where each row says with whose authority its message was put."""
