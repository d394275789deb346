"""Workers in processes of their own, on whose path there is nothing of this project but the archive."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from mqbridge.captures.generate import Scenario
from mqbridge.captures.spark.archive import build_archive, main
from support.captures.spark_captures import missing, plain_rows

pytestmark = [pytest.mark.interop("spark"), pytest.mark.timeout(1000)]

PROJECT = Path(__file__).parents[3]

COMPILED = ("pyarrow", "pandas", "numpy", "pytz", "dateutil", "six", "tzdata", "pyspark", "py4j")
"""What a worker has to have, with what it needs itself."""

JOB = """
import pickle, sys, time
from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions
from mqbridge.captures.spark import MqCapture, session
from mqbridge.captures.spark.replaying import replay_paths

folder, results = sys.argv[1:]
spark = session("local-cluster[2,1,1024]")
while spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() < 3:  # the driver, and both workers
    time.sleep(0.1)
spark.dataSource.register(MqCapture)

def where(_):
    import os, construct
    from mqbridge import captures
    yield os.getppid(), captures.__file__, construct.__file__

places = spark.sparkContext.parallelize(range(8), 8).mapPartitions(where).collect()
flows = spark.read.format("mq").options(table="flows", partitions=4).load(folder).count()
rows = list(replay_paths([folder], AnalysisOptions(tables=ALL_TABLES), spark=spark))
with open(results, "wb") as file:
    pickle.dump((places, flows, rows), file)
spark.stop()
"""


@pytest.mark.skipif(bool(missing()), reason=missing() or "Spark runs")
@pytest.mark.slow
def test_workers_of_a_cluster_need_the_archive_alone(tmp_path: Path) -> None:
    folder = tmp_path / "captures"
    folder.mkdir()
    for seed in range(6):
        Scenario(seed=seed).build().save(folder / f"{seed}.pcap")
    results = tmp_path / "results"
    job = tmp_path / "job.py"
    job.write_text(JOB)
    environment = {
        **os.environ,
        "PYTHONPATH": str(PROJECT),
        "PYSPARK_PYTHON": str(python_without_the_project(tmp_path)),
        "SPARK_HOME": str(spark_home(tmp_path)),
    }
    command = [sys.executable, str(job), str(folder), str(results)]
    ran = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert ran.returncode == 0, ran.stderr[-5000:]

    places, flows, rows = pickle.loads(results.read_bytes())
    assert len({process for process, *_ in places}) == 2
    for _, *files in places:
        assert all("mqbridge-workers.zip" in file for file in files), files
    expected = plain_rows(sorted(str(file) for file in folder.iterdir()))
    assert rows == expected
    assert flows == sum(type(row).__name__ == "FlowRow" for row in expected)


def python_without_the_project(tmp_path: Path) -> Path:
    """An interpreter that finds the compiled packages and nothing else that is installed."""
    packages = tmp_path / "packages"
    packages.mkdir()
    for name in COMPILED:
        found = find_spec(name)
        if found is None or found.origin is None:
            continue  # not every version of the others needs it
        entry = Path(found.origin).parent if found.submodule_search_locations else Path(found.origin)
        for each in (entry, entry.with_name(f"{name}.libs")):
            if each.exists():
                (packages / each.name).symlink_to(each)
    script = tmp_path / "python"
    # What Spark puts onto the path stays, what the driver has there goes.
    without = f"tr : '\\n' | grep -vx '{PROJECT}' | paste -sd :"
    script.write_text(
        "#!/bin/sh\n"
        f'PYTHONPATH=$(printf %s "$PYTHONPATH" | {without})\n'
        f'export PYTHONPATH="$PYTHONPATH:{packages}"\n'
        f'exec "{sys.executable}" -S "$@"\n'
    )
    script.chmod(0o700)
    return script


def spark_home(tmp_path: Path) -> Path:
    """A home of Spark whose workers write below ``tmp_path``."""
    found = find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    home = tmp_path / "spark"
    home.mkdir()
    for entry in Path(found.origin).parent.iterdir():
        if entry.name != "work":
            (home / entry.name).symlink_to(entry)
    return home


def test_the_archive_is_one_file_that_python_imports_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    archive = tmp_path / "workers.zip"
    assert main([str(archive)]) == 0
    assert capsys.readouterr().out.startswith(f"{archive}: ")
    with zipfile.ZipFile(archive) as opened:
        names = opened.namelist()
    tops = {name.partition("/")[0] for name in names}
    assert tops == {"mqbridge", "construct", "ebcdic", "lark", "mypy_extensions.py"}
    own = {name.split("/")[1] for name in names if name.startswith("mqbridge/")}
    assert own == {"__init__.py", "build.py", "protocol", "mappings", "captures"}
    assert not [name for name in names if name.endswith((".pyc", ".so"))]
    program = (
        "import mqbridge.captures.spark.spark_worker, construct; print(mqbridge.captures.spark.spark_worker.__file__)"
    )
    ran = subprocess.run(
        [str(python_without_the_project(tmp_path)), "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(archive), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(str(archive))


def test_the_same_code_makes_the_same_archive(tmp_path: Path) -> None:
    one, other = build_archive(tmp_path / "one.zip"), build_archive(tmp_path / "other.zip")
    assert one.read_bytes() == other.read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["one.zip", "other.zip"]


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main([str(tmp_path / "nowhere" / "workers.zip")]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "usage: python -m mqbridge.captures.spark.archive FILE.zip"
    assert told[1].endswith("No such file or directory")
