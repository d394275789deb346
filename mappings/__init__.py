"""The meaning of headers: the internal message, and its conversion from and to other forms."""

from .body import Body, BodyPieces, ReadableBody
from .descriptor import Descriptor
from .message import Message

__all__ = ["Body", "BodyPieces", "Descriptor", "Message", "ReadableBody"]
