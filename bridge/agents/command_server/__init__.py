"""The command server: administration by PCF messages (mq-wire.md 5.16, channels.md 17.2)."""

from mqbridge.bridge.queue_manager.objects.default_objects import COMMAND_QUEUE

from .server import CommandServer

__all__ = ["COMMAND_QUEUE", "CommandServer"]
