"""Programs that call the message queue interface over a client channel: calls of the machine to the queue manager."""

from .client_end import ClientEnd
from .program import Program
from .waits import ProgramWait

__all__ = ["ClientEnd", "Program", "ProgramWait"]
