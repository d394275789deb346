"""Rows to Arrow record batches, by the schema of their table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice
from typing import Any, Final

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "mqbridge.captures.tables.arrow needs pyarrow, which is not installed: pip install 'mqbridge[parquet]'",
        name="pyarrow",
    ) from error

from mqbridge.captures.tables.rows import SCHEMA_VERSION, MessageRow, ProtocolMessageRow, Row, SegmentRow
from mqbridge.captures.tables.schema import ROW_CLASSES, Column, Type, schema

BATCH_ROWS: Final = 4096
"""Rows per record batch."""
BATCH_BYTES: Final = 32 << 20
"""Weight of rows, by :func:`weight`, that ends a batch early."""
ENTRY_BYTES: Final = 32
"""Weight of one field of a segment. The longest field is 32 times as long, and a column has at most 2 GiB."""

VERSION_KEY: Final = b"mqbridge.schema_version"
"""Metadata key of the schema version."""

HEAVY: Final = frozenset((SegmentRow, MessageRow, ProtocolMessageRow))
"""Row classes with a weight."""

_MAP: Final = pa.map_(pa.string(), pa.field("value", pa.string(), nullable=False))
_MICROSECONDS: Final = 1_000_000
_TYPES: Final = {
    "string": pa.string(),
    "int": pa.int32(),
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "array<string>": pa.list_(pa.field("element", pa.string(), nullable=False)),
    "map<string,string>": _MAP,
}


@cache
def arrow_schema(table: str) -> pa.Schema:
    """Return the schema of a table, with its version in the metadata. Raises ``KeyError`` for an unknown table."""
    return pa.schema(_fields(schema(table)), metadata={VERSION_KEY: str(SCHEMA_VERSION).encode()})


def record_batches(table: str, rows: Iterable[Row], size: int = BATCH_ROWS) -> Iterator[pa.RecordBatch]:
    """Yield batches of rows of one table, in order, of at most ``size`` rows each."""
    for chunk in _chunks(table, iter(rows), size):
        yield record_batch(table, chunk)


def record_batch(table: str, rows: Sequence[Row]) -> pa.RecordBatch:
    """Return one batch of rows of one table."""
    columns: Iterable[Sequence[Any]] = zip(*rows, strict=True) if rows else ((),) * len(schema(table))
    arrays = [_array(values, column.type) for values, column in zip(columns, schema(table), strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(table))


def weight(row: Row) -> int:
    """Return the bytes that a row counts towards :data:`BATCH_BYTES`: those of its body, and some for each field."""
    if isinstance(row, SegmentRow):
        return ENTRY_BYTES * len(row.fields or ())
    if isinstance(row, ProtocolMessageRow):
        return 2 * row.length
    return len(row.body or b"") if isinstance(row, MessageRow) else 0


def _chunks(table: str, rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    if ROW_CLASSES[table] not in HEAVY:
        while chunk := list(islice(rows, size)):
            yield chunk
        return
    chunk, held = [], 0
    for row in rows:
        chunk.append(row)
        held += weight(row)
        if len(chunk) >= size or held >= BATCH_BYTES:
            yield chunk
            chunk, held = [], 0
    if chunk:
        yield chunk


def _fields(columns: Iterable[Column]) -> list[pa.Field]:
    return [pa.field(column.name, _type(column.type), nullable=column.nullable) for column in columns]


def _type(kind: Type) -> pa.DataType:
    return _TYPES[kind] if isinstance(kind, str) else pa.struct(_fields(kind))


def _array(values: Sequence[Any], kind: Type) -> pa.Array:
    if not isinstance(kind, str):
        return _struct(values, kind)
    if kind == "timestamp":
        values = [None if value is None else round(value * _MICROSECONDS) for value in values]
    elif kind == "map<string,string>":
        return _map(values)
    return pa.array(values, _TYPES[kind])


def _map(values: Sequence[dict[str, str] | None]) -> pa.Array:
    """Convert maps through two long columns of keys and items, without an object per entry."""
    keys: list[str] = []
    items: list[str] = []
    ends: list[int | None] = []
    for value in values:
        ends.append(None if value is None else len(keys))
        if value:
            keys += value
            items += value.values()
    ends.append(len(keys))
    return pa.MapArray.from_arrays(
        pa.array(ends, pa.int32()), pa.array(keys, pa.string()), pa.array(items, pa.string()), type=_MAP
    )


def _struct(values: Sequence[Any], columns: tuple[Column, ...]) -> pa.Array:
    nothing = (None,) * len(columns)
    parts = list(zip(*(nothing if value is None else value for value in values), strict=True)) or [()] * len(columns)
    arrays = [_array(part, column.type) for part, column in zip(parts, columns, strict=True)]
    missing = pa.array([value is None for value in values], pa.bool_())
    return pa.StructArray.from_arrays(arrays, fields=_fields(columns), mask=missing)
