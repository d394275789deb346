"""Builders of structures in which few fields differ from one to the next: the others are packed once."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from .records import Record


def template(record: Record, *varying: str) -> Callable[..., bytes]:
    """Return a function that builds the bytes of ``record`` with some fields replaced.

    ``template(header, "tsh_luwid", "md_msg_id")`` returns a function of two values; all other fields are packed once,
    here. Raises ``KeyError`` for an unknown field name; the function raises ``LocalProtocolError`` for a value that
    does not fit.
    """
    unknown = set(varying) - set(record.KEYS)
    if unknown:
        raise KeyError(", ".join(sorted(unknown)))
    fixed = record.build()
    codes, values, lengths, wanted = [], [], [], []
    namespace: dict[str, Any] = {"_error": struct.error, "_record": record}
    position = 0
    for slot in sorted((slot for slot in record.SLOTS if slot.field.key in varying), key=lambda slot: slot.offset):
        key = slot.field.key
        if slot.offset > position:
            codes.append(f"{slot.offset - position}s")
            values.append(f"_c{position}")
            namespace[f"_c{position}"] = fixed[position : slot.offset]
        codes.append(f"{slot.size}s" if slot.swapped else slot.code)
        values.append(f"{key}.to_bytes({slot.size}, 'big')" if slot.swapped else key)
        if slot.length is not None:
            lengths.append(f"len({key}), ")
            wanted.append(slot.length)
        position = slot.offset + slot.size
    codes.append(f"{record.SIZE - position}s")
    values.append(f"_c{position}")
    namespace[f"_c{position}"] = fixed[position:]
    namespace["_pack"] = struct.Struct(record.ORDER.prefix + "".join(codes)).pack
    changes = ", ".join(f"{key}={key}" for key in varying)
    source = f"""
def build({", ".join(varying)}):
    try:
        if ({"".join(lengths)}) == {tuple(wanted)!r}:
            return _pack({", ".join(values)})
    except (_error, TypeError, OverflowError, AttributeError):
        pass
    raise _record.copy({changes})._unfit()
"""
    exec(source, namespace)
    built: Callable[..., bytes] = namespace["build"]
    return built
