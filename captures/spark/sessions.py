"""A session of Spark as captures need it: our interpreter in the workers, loopback, little memory, quiet."""

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
"""Of the driver's Java; in local mode the workers' too. Python processes come on top, about 100 MiB each."""
LOCAL_SHUFFLE_PARTITIONS: Final = 8
"""In local mode; a task costs more than it saves where the cores are few."""


class SparkNotStartedError(MQBridgeError, OSError):
    """Spark, or the Java under it, cannot be started, or its master not be reached."""


def session(
    master: str | None = None,
    *,
    memory: str = DRIVER_MEMORY,
    address: str | None = None,
    name: str = "mqbridge",
    ship: bool | None = None,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """The session of this process; made when there is none.

    ``master``: URL of a cluster, or ``local[2]``; ``local[*]`` when not given. ``address``: where the driver listens
    and is reached by the workers: SPARK_LOCAL_IP where that is set, else loopback, so a cluster on other hosts needs
    it. ``ship``: send the code to the workers as an archive; where not given, for every master that is not local.
    ``settings`` are Spark's own and win. Raises :class:`SparkNotStartedError`.
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
    except Exception as error:  # of Java as well
        reason = str(getattr(error, "java_exception", error)).strip().partition("\n")[0]
        raise SparkNotStartedError(f"Spark cannot be started with master {master}: {reason}") from error
    if (not local) if ship is None else ship:
        ship_code(spark)
    return spark


@contextmanager
def _interrupted_afterwards() -> Iterator[None]:
    """Inside, a first Ctrl-C is noted only while Java starts: one that nobody is connected to would go on for ever."""
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
        if signal.getsignal(signal.SIGINT) is note:  # else Spark has put its own there, which ends its jobs
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if asked:
        raise KeyboardInterrupt


def ship_code(spark: SparkSession) -> None:
    """Send our code and what it needs to all workers of a session."""
    folder = tempfile.mkdtemp(prefix="mqbridge-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # workers that start later fetch it too
    spark.sparkContext.addPyFile(str(build_archive(Path(folder, "mqbridge-workers.zip"))))


def is_local(master: str) -> bool:
    """Whether the workers of a master are threads of the driver, on its disk and with its modules."""
    return master == "local" or master.startswith("local[")
