"""Messages as bytes: the sections of AMQP 1.0 part 3.2. The quick way if it can, else the careful one."""

from __future__ import annotations

from mqbridge.mappings.amqp import AmqpMessage

from .careful_codec import Decoded, decode_carefully, encode_carefully
from .quick_decoding import quick_decoded
from .quick_encoding import quick_encoded


def encode(message: AmqpMessage) -> bytes:
    """Return the bytes of a message. Raises `AmqpFormatError` for values that AMQP or the codec cannot hold."""
    encoded = quick_encoded(message)
    return encode_carefully(message) if encoded is None else encoded


def decode(encoded: bytes) -> Decoded:
    """Decode a message. What is wrong with it stands in ``error``; the message then has what could be read before."""
    found = quick_decoded(encoded)
    return decode_carefully(encoded) if found is None else Decoded(*found)
