"""Spark sessions for captures: this interpreter in the workers, loopback, little memory, little output."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from types import FrameType
from typing import Final

from pyspark import SparkContext
from pyspark.sql import SparkSession

from mqbridge.captures.spark.archive import build_archive
from mqbridge.protocol.errors import MQBridgeError

LOOPBACK: Final = "127.0.0.1"
DRIVER_MEMORY: Final = "512m"
"""Memory of the driver's Java, which in local mode includes the workers' Java. Python processes need about 100 MiB each
in addition."""
LOCAL_SHUFFLE_PARTITIONS: Final = 8
"""Number of partitions in local mode; more tasks cost more than they save on few cores."""


class SparkNotStartedError(MQBridgeError, OSError):
    """Spark, or its Java, cannot be started, or its master cannot be reached."""


def session(
    master: str | None = None,
    *,
    memory: str = DRIVER_MEMORY,
    address: str | None = None,
    name: str = "mqbridge",
    ship: bool | None = None,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """Return the session of this process, made if there is none.

    ``master``: URL of a cluster, or ``local[2]``; ``local[*]`` by default. ``address``: where the driver listens and is
    reached by the workers: SPARK_LOCAL_IP if set, else loopback, so a cluster on other hosts needs it. ``ship``: send
    the code to the workers as an archive; by default for every master that is not local. ``settings``: Spark's own,
    which take precedence. Raises :class:`SparkNotStartedError`.
    """
    master = master or "local[*]"
    local = is_local(master)
    address = address or os.environ.get("SPARK_LOCAL_IP") or LOOPBACK
    if local:
        os.environ["PYSPARK_PYTHON"] = sys.executable
    else:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", address)  # where the Java of workers on this host listens
    quiet = resources.files("mqbridge.captures.spark").joinpath("log4j2.properties")
    chosen = {
        "spark.driver.host": address,
        "spark.driver.bindAddress": address,
        "spark.driver.memory": memory,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        "spark.sql.python.filterPushdown.enabled": "true",
    }
    if isinstance(quiet, Path):
        chosen["spark.driver.extraJavaOptions"] = f"-Dlog4j2.configurationFile={quiet.as_uri()}"
    if local:
        chosen["spark.sql.shuffle.partitions"] = str(LOCAL_SHUFFLE_PARTITIONS)
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in (chosen | dict(settings or {})).items():
        builder = builder.config(key, value)
    if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
        raise SparkNotStartedError("Spark needs Java 17 or later: no java is on the path, and JAVA_HOME is not set")
    try:
        with _interrupted_afterwards():
            spark = builder.getOrCreate()
    except Exception as error:  # also from Java
        reason = str(getattr(error, "java_exception", error)).strip().partition("\n")[0]
        raise SparkNotStartedError(f"Spark cannot be started with master {master}: {reason}") from error
    if (not local) if ship is None else ship:
        ship_code(spark)
    return spark


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Delay a first Ctrl-C while Java starts: a Java process without a connection would run forever."""
    asked = False

    def note(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        if asked or getattr(SparkContext, "_gateway", None) is not None:  # connected: it ends with us
            raise KeyboardInterrupt
        asked = True

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is note:  # otherwise it is Spark's own, which ends its jobs
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked:
        raise KeyboardInterrupt


def ship_code(spark: SparkSession) -> None:
    """Send the code and its dependencies to all workers of a session."""
    folder = tempfile.mkdtemp(prefix="mqbridge-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # workers that start later fetch it too
    spark.sparkContext.addPyFile(str(build_archive(Path(folder, "mqbridge-workers.zip"))))


def is_local(master: str) -> bool:
    """Whether the workers of a master are threads of the driver, with its disk and modules."""
    return master == "local" or master.startswith("local[")
