"""``format("mq")``: the tables of captures as a Spark data source, batch or stream."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import types
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, Filter, InputPartition

from mqbridge.captures.spark.conditions import Conditions, read_filters
from mqbridge.captures.spark.folder_stream import FolderStream
from mqbridge.captures.spark.options import SourceOptions, read_options
from mqbridge.captures.spark.paths import find_captures
from mqbridge.captures.spark.planning import Task, plan
from mqbridge.captures.spark.spark_worker import table_batches
from mqbridge.captures.tables import SCHEMA_VERSION, Column, Type, schema
from mqbridge.captures.tables.arrow import VERSION_KEY

SCHEMA_KEY: Final = VERSION_KEY.decode()
"""Key in the metadata of every column: the schema version of its table."""

_FILTERING: Final = "pyspark.sql.worker.data_source_pushdown_filters"
_TYPES: Final[dict[str, types.DataType]] = {
    "string": types.StringType(),
    "int": types.IntegerType(),
    "long": types.LongType(),
    "double": types.DoubleType(),
    "boolean": types.BooleanType(),
    "binary": types.BinaryType(),
    "timestamp": types.TimestampType(),
    "array<string>": types.ArrayType(types.StringType(), containsNull=False),
    "map<string,string>": types.MapType(types.StringType(), types.StringType(), valueContainsNull=False),
}


class MqCapture(DataSource):
    """Data source, registered with ``spark.dataSource.register(MqCapture)``; options are those of ``SourceOptions``.

    Paths are files, folders and patterns that every worker can open by the same name. A capture that is cut, damaged or
    none at all yields findings and its complete rows; only a path without captures is an error. Rows are independent of
    the number of tasks, their order is not.
    """

    def __init__(self, options: MutableMapping[str, str]) -> None:
        super().__init__(options)
        self._asked = read_options(options)

    @classmethod
    def name(cls) -> str:
        """Return the name for ``format``."""
        return "mq"

    def schema(self) -> types.StructType:
        """Return the columns of the requested table."""
        return spark_schema(self._asked.table)

    def reader(self, schema: types.StructType) -> DataSourceReader:
        """Return a batch reader; ``schema`` may have fewer columns than the table."""
        # Spark refuses a reader that takes filters if its setting for that is off, and loads this module only if it
        # is on: so the source works with any session.
        kind = FilteringReader if _FILTERING in sys.modules else CaptureReader
        return kind(TableRead(self._asked, _columns(self._asked.table, schema)))

    def streamReader(self, schema: types.StructType) -> DataSourceStreamReader:
        """Return a reader of captures arriving in a folder."""
        return FolderStream(self._asked, _columns(self._asked.table, schema))


class TableRead:
    """One read of a table: planned in the driver, executed in the workers."""

    def __init__(self, asked: SourceOptions, columns: list[str]) -> None:
        self.asked = asked
        self.columns = columns
        self.conditions = Conditions(asked.table)

    def tasks(self) -> Sequence[InputPartition]:
        """Return the tasks: small files combined, large ones divided by flows."""
        return plan(find_captures(self.asked.paths), self.asked, self.conditions)

    def rows(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the rows of one task."""
        pieces = partition.pieces if isinstance(partition, Task) else ()
        return table_batches(pieces, self.asked, self.columns, self.conditions)


class CaptureReader(DataSourceReader):
    """Batch reader of a table."""

    def __init__(self, table: TableRead) -> None:
        self.table = table

    def partitions(self) -> Sequence[InputPartition]:
        """Return the tasks."""
        return self.table.tasks()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the rows of one task."""
        return self.table.rows(partition)


class FilteringReader(DataSourceReader):
    """Batch reader for sessions with ``spark.sql.python.filterPushdown.enabled``."""

    def __init__(self, table: TableRead) -> None:
        self.table = table

    def partitions(self) -> Sequence[InputPartition]:
        """Return the tasks."""
        return self.table.tasks()

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Return the rows of one task."""
        return self.table.rows(partition)

    def pushFilters(self, filters: list[Filter]) -> Iterable[Filter]:
        """Use the filters that help; return all of them, so that Spark applies them as well."""
        self.table.conditions = read_filters(self.table.asked.table, filters)
        return filters


def spark_schema(table: str) -> types.StructType:
    """Return the schema of a table in Spark's types."""
    return _struct(schema(table), {SCHEMA_KEY: SCHEMA_VERSION})


def _struct(columns: Iterable[Column], metadata: dict[str, Any]) -> types.StructType:
    return types.StructType(
        [types.StructField(column.name, _type(column.type), column.nullable, metadata) for column in columns]
    )


def _type(kind: Type) -> types.DataType:
    return _TYPES[kind] if isinstance(kind, str) else _struct(kind, {})


def _columns(table: str, wanted: types.StructType) -> list[str]:
    """Return the names of the columns to read. Raises ``ValueError`` for columns that the table lacks or has
    otherwise."""
    ours = {field.name: field for field in spark_schema(table).fields}
    for field in wanted.fields:
        if field.name not in ours or field.dataType != ours[field.name].dataType:
            raise ValueError(f"the table {table} has no column {field.name} {field.dataType.simpleString()}")
    return [field.name for field in wanted.fields]
