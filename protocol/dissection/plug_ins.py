"""Data of a format that is handed in, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from mqbridge.protocol.chain import ChainedHeader
from mqbridge.protocol.errors import MQBridgeError, StructureError
from mqbridge.protocol.formats import FOREIGN_FAULTS, Format
from mqbridge.protocol.numbers import integer_order
from mqbridge.protocol.plug_in_values import copied

from .findings import Findings
from .shown import Shown, readable_ccsid, show


def show_plug_in_header(link: ChainedHeader, found: Format, base: int, findings: Findings) -> Shown:
    """Return a header of a chain that a plug-in described. ``base`` is added to its offset."""
    ccsid = readable_ccsid(link.ccsid, ebcdic=found.is_ebcdic(link.header.record, link.ccsid))
    shown = show_plug_in(found, link.header.build(), link.encoding, ccsid, base + link.offset, findings)
    return shown or {"structure": found.name, "offset": base + link.offset, "length": link.length, "fields": {}}


def show_plug_in(
    found: Format, data: bytes, encoding: int, ccsid: int, offset: int, findings: Findings
) -> Shown | None:
    """Return the values of data at an offset; None with an error among the findings if there are none."""
    try:
        if found.structure is not None:
            return _structure(found, data, encoding, readable_ccsid(ccsid), offset, findings)
        values = _plain(copied(found.parse(data, encoding, ccsid), found.name))
        return {"structure": found.name, "offset": offset, "length": len(data), "fields": values}
    except StructureError as error:
        findings.error(offset + error.offset, f"{error.structure} {error.reason}")
    except MQBridgeError as error:
        findings.error(offset, f"{found.name} {error}")
    except FOREIGN_FAULTS as error:  # also when a value is asked for
        findings.error(offset, f"{found.name}: {found.failed(error).reason}")
    return None


def _structure(found: Format, data: bytes, encoding: int, ccsid: int, offset: int, findings: Findings) -> Shown | None:
    structure = found.structure
    assert structure is not None
    order = integer_order(encoding)
    shown, error = show(structure, data, 0, len(data), order, ccsid, offset, structure.mq_name)
    if error is not None:
        findings.error(error.offset, f"{error.structure} {error.reason}")
        return shown if shown["fields"] else None
    parts = [field for field in structure.fields if field.kind == "part" and not field.secret]
    if parts:
        values = found.values(data[: shown["length"]], encoding, ccsid)
        for field in parts:
            shown["fields"][field.name] = _plain(values[field.name])
    return shown


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)
