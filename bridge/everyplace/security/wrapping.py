"""Messages that only the program of one queue manager can read: Msg_WrapMsg (E-059, E-440).

::

    Msg_WrapMsg   version, kind, what the kind has in front, nonce, AES-256-GCM of a dump
      shared key    nothing in front; the dump is the message
      addressed     a public key of X25519, made for this message; the dump has the message and a signature of Ed25519

The outer message has the same UID and the properties by which it is found, sent and expires. What is sealed is bound to
the UID: a copy under another one is refused, and a copy under the same one is a duplicate to the queue. IBM's format is
not public (O-04).
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, NamedTuple

from mqbridge.protocol.everyplace.dump import dump, restore
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.field_types import FieldType
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.message import Message
from mqbridge.protocol.everyplace.reserved import INDEXED, REPLY_TO_Q, REPLY_TO_Q_MGR, STYLE, WRAP_MSG

from .cryptography import KEY, NONCE, SIGNATURE, TAG, Cryptography, derived
from .program_keys import ProgramKeys, PublicKeys

VERSION: Final = 1
_SHARED: Final = 1
_ADDRESSED: Final = 2
_VISIBLE: Final = (*INDEXED, REPLY_TO_Q, REPLY_TO_Q_MGR, STYLE)
_BYTES: Final = (FieldType.BYTE_ARRAY, FieldType.UNTYPED)
_SENDER: Final = "from"
_MESSAGE: Final = "message"
_SIGNATURE: Final = "signature"


class Unwrapped(NamedTuple):
    """``sender``: whose signature was verified; None for a message with a shared key."""

    message: Message
    sender: PublicKeys | None


def wrap_shared(message: Message, key: bytes, library: Cryptography, source: random.Random) -> Message:
    """Return a message that who has a key of 32 bytes can read. It must have its UID, see `wrap`."""
    _check_key(key)
    head = bytes([VERSION, _SHARED])
    return _outer(message, _sealed(library, _shared_key(key), head, message, dump(message), source))


def unwrap_shared(outer: Message, key: bytes, library: Cryptography) -> Message:
    """Return the message that was wrapped with a key. Raises `EveryplaceError` as `unwrap`."""
    _check_key(key)
    head, sealed = _parts(outer, _SHARED, 0)
    return _inner(outer, _opened(library, _shared_key(key), head, outer, sealed))


def wrap(
    message: Message, sender: ProgramKeys, receiver: PublicKeys, library: Cryptography, source: random.Random
) -> Message:
    """Return a message that one queue manager can read, and that says who has sent it.

    It must have its UID, which the queue manager gives it before it is put (E-037). Raises `EveryplaceError`
    BAD_REQUEST without one, SYNTAX for a receiver whose key is none.
    """
    pair = library.exchange_pair(source.randbytes(KEY))
    secret = library.agree(pair.private, receiver.exchange)
    if secret is None:
        raise EveryplaceError(Code.SYNTAX, f"the public key of {receiver.name} is no key")
    head = bytes([VERSION, _ADDRESSED]) + pair.public
    data = dump(message)
    content = Fields()
    content.put(_SENDER, sender.public.name, FieldType.ASCII)
    content.put(_MESSAGE, data, FieldType.UNTYPED)
    content.put(_SIGNATURE, library.sign(sender.signing, _signed(head, receiver, data)), FieldType.UNTYPED)
    key = _addressed_key(secret, pair.public, receiver)
    return _outer(message, _sealed(library, key, head, message, dump(content), source))


def unwrap(
    outer: Message, receiver: ProgramKeys, known: Callable[[str], PublicKeys | None], library: Cryptography
) -> Unwrapped:
    """Return the message that was wrapped for a queue manager, and who has sent it.

    ``known``: the public keys of a queue manager by its name. Raises `EveryplaceError` NOT_FOUND for a message that is
    not wrapped, AUTHENTICATE for one that was changed, copied under another UID, meant for somebody else, or whose
    sender is not known or not proved.
    """
    head, sealed = _parts(outer, _ADDRESSED, KEY)
    secret = library.agree(receiver.exchange, head[-KEY:])
    if secret is None:
        raise _wrong(outer)
    data = _opened(library, _addressed_key(secret, head[-KEY:], receiver.public), head, outer, sealed)
    try:
        content = restore(data)
        name = content.get(_SENDER, FieldType.ASCII) or ""
        signed: bytes = content.get(_MESSAGE, FieldType.UNTYPED) or b""
        signature: bytes = content.get(_SIGNATURE, FieldType.UNTYPED) or b""
    except EveryplaceError:
        raise _wrong(outer) from None
    sender = known(name)
    if sender is None:
        raise EveryplaceError(Code.AUTHENTICATE, f"message {outer.uid} is signed by {name}, whose keys are not known")
    if len(signature) != SIGNATURE or not library.verify(
        sender.signing, signature, _signed(head, receiver.public, signed)
    ):
        raise EveryplaceError(Code.AUTHENTICATE, f"message {outer.uid} is not signed by {name}")
    return Unwrapped(_inner(outer, signed), sender)


def is_wrapped(message: Message) -> bool:
    """Whether a message has another one in it."""
    return WRAP_MSG in message


def _outer(message: Message, sealed: bytes) -> Message:
    found = Message()
    for name in _VISIBLE:
        field = message.encoded(name)
        if field is not None:
            found.put_encoded(name, field)
    found.put(WRAP_MSG, sealed, FieldType.BYTE_ARRAY)
    # A message that has its UID before its first put is taken with this mark alone (E-156).
    found.resend = True
    return found


def _inner(outer: Message, data: bytes) -> Message:
    try:
        found = Message.of(restore(data))
        found.check()
    except EveryplaceError:
        raise _wrong(outer) from None
    if found.uid != outer.uid:
        raise _wrong(outer)
    return found


def _sealed(
    library: Cryptography, key: bytes, head: bytes, message: Message, data: bytes, source: random.Random
) -> bytes:
    nonce = source.randbytes(NONCE)
    return head + nonce + library.seal(key, nonce, data, _bound(head, message))


def _opened(library: Cryptography, key: bytes, head: bytes, outer: Message, sealed: bytes) -> bytes:
    found = library.open(key, sealed[:NONCE], sealed[NONCE:], _bound(head, outer))
    if found is None:
        raise _wrong(outer)
    return found


def _parts(outer: Message, kind: int, front: int) -> tuple[bytes, bytes]:
    """Return head and sealed part. Raises `EveryplaceError` NOT_FOUND, NOT_SUPPORTED, AUTHENTICATE."""
    if WRAP_MSG not in outer:
        raise EveryplaceError(Code.NOT_FOUND, f"message {outer.uid} is not wrapped")
    data: bytes = outer.get(WRAP_MSG, *_BYTES) or b""
    if data[:1] != bytes([VERSION]):
        raise EveryplaceError(Code.NOT_SUPPORTED, f"message {outer.uid} is wrapped in a way that is not known")
    length = 2 + front
    if data[1:2] != bytes([kind]) or len(data) < length + NONCE + TAG:
        raise _wrong(outer)
    return data[:length], data[length:]


def _bound(head: bytes, message: Message) -> bytes:
    if message.uid is None:
        raise EveryplaceError(Code.BAD_REQUEST, "a message is wrapped when it has its UID")
    return head + str(message.uid).encode("ascii")


def _signed(head: bytes, receiver: PublicKeys, data: bytes) -> bytes:
    return b"mqbridge wrapped message\0" + head + receiver.exchange + data


def _shared_key(key: bytes) -> bytes:
    return derived(key, b"mqbridge shared key")


def _addressed_key(secret: bytes, public: bytes, receiver: PublicKeys) -> bytes:
    return derived(secret, b"mqbridge addressed" + public + receiver.exchange)


def _check_key(key: bytes) -> None:
    if len(key) != KEY:
        raise EveryplaceError(Code.SYNTAX, f"a shared key has {KEY} bytes, not {len(key)}")


def _wrong(outer: Message) -> EveryplaceError:
    return EveryplaceError(
        Code.AUTHENTICATE, f"message {outer.uid} was changed, copied under another UID, or is for somebody else"
    )
