"""What an installation without the extras says when they are needed, and that nothing else needs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

EXTRAS = ("pyspark", "pandas", "pyarrow", "numpy", "scapy")


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("package", "name", "extra"),
    [
        ("pyspark", "mqbridge.captures.spark:MqCapture", "spark"),
        ("pyspark", "mqbridge.captures.spark:session", "spark"),
        ("pyarrow", "mqbridge.captures.spark:MqCapture", "spark"),
        ("scapy", "mqbridge.captures.scapy_layer:MQ", "scapy"),
        ("pyarrow", "mqbridge.captures.tables.arrow:record_batches", "parquet"),
        ("pyarrow", "mqbridge.captures.tables.parquet:ParquetTables", "parquet"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package: str, name: str, extra: str) -> None:
    if package == "pyarrow":
        pytest.importorskip("pyspark")
    module, _, wanted = name.partition(":")
    done = run(f"import sys; sys.modules[{package!r}] = None\nfrom {module} import {wanted}")
    assert done.returncode == 1
    error = "ModuleNotFoundError" if module.startswith("mqbridge.captures.tables") else "ImportError"
    said = f"{error}: {module} needs {package}, which is not installed: pip install 'mqbridge[{extra}]'"
    assert done.stderr.splitlines()[-1] == said


def test_captures_are_read_judged_and_shown_without_any_extra() -> None:
    modules = (
        "mqbridge.captures",
        "mqbridge.captures.analysis",
        "mqbridge.captures.report",
        "mqbridge.captures.recording",
        "mqbridge.captures.against",
    )
    lines = [
        f"import {module}"
        for module in (*modules, "mqbridge.captures.generate", "mqbridge.captures.tables", "mqbridge.captures.spark")
    ]
    hidden = [f"sys.modules[{package!r}] = None" for package in EXTRAS]
    done = run(
        "\n".join(
            ["import sys", *hidden, *lines, "import mqbridge.bridge.cli", "mqbridge.captures.analysis.Analyser()"]
        )
    )
    assert (done.returncode, done.stderr) == (0, "")
