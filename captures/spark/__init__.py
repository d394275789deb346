"""Captures in Spark: ``format("mq")``, batch and stream; folders, many files and URLs for ``mqbridge replay``.

::

    from mqbridge.captures.spark import MqCapture, session

    spark = session()
    spark.dataSource.register(MqCapture)
    spark.read.format("mq").option("table", "findings").load("captures/*.pcap.gz").show()

Needs ``pip install 'mqbridge[spark]'`` and Java 17. Names are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from mqbridge.captures.spark.archive import build_archive
    from mqbridge.captures.spark.sessions import session, ship_code
    from mqbridge.captures.spark.source import MqCapture, spark_schema
    from mqbridge.captures.spark.url_files import FileTooLargeError, read_urls

__all__ = [
    "FileTooLargeError",
    "MqCapture",
    "build_archive",
    "read_urls",
    "session",
    "ship_code",
    "spark_schema",
]

_NEEDED: Final = ("pyspark", "pyarrow", "pandas")
_HOMES: Final = {
    "FileTooLargeError": "url_files",
    "MqCapture": "source",
    "build_archive": "archive",
    "read_urls": "url_files",
    "session": "sessions",
    "ship_code": "sessions",
    "spark_schema": "source",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = import_module(f"mqbridge.captures.spark.{_HOMES[name]}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _NEEDED:
            raise
        needs = f"mqbridge.captures.spark needs {package}, which is not installed: pip install 'mqbridge[spark]'"
        raise ImportError(needs) from error
    return getattr(home, name)
