"""What a header means: the internal message, and what other forms of message it is turned into and made of."""

from .body import Body, Pieces, ReadableBody
from .descriptor import Descriptor
from .message import Message

__all__ = ["Body", "Descriptor", "Message", "Pieces", "ReadableBody"]
