"""The wheel: one import package, which works beside a foreign one that has the name of a room."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]


def run(*arguments: str, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(path)} if path is not None else None
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=240, check=False)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with the installed wheel, and somebody else's packages ``protocol`` and ``bridge``."""
    source = tmp_path / "source"
    packed = subprocess.run(["git", "archive", "HEAD"], cwd=PROJECT, capture_output=True, check=False)
    if packed.returncode:
        pytest.skip("the project is no git checkout")
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as archive:
        archive.extractall(source, filter="data")
    pip = ("-m", "pip", "--disable-pip-version-check", "--no-input")
    built = run(*pip, "wheel", "--no-deps", "--retries", "0", "-w", str(tmp_path), str(source), cwd=tmp_path)
    if built.returncode and "No matching distribution found for setuptools" in built.stderr:
        pytest.skip("what builds wheels cannot be had here")
    assert built.returncode == 0, built.stderr
    (wheel,) = tmp_path.glob("mqbridge-*.whl")
    installed = tmp_path / "site"
    done = run(*pip, "install", "--no-deps", "--no-index", "--target", str(installed), str(wheel), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return installed


@pytest.mark.slow
def test_the_wheel_brings_one_package_and_the_demo_runs_beside_a_foreign_protocol(site: Path, tmp_path: Path) -> None:
    brought = {entry.name for entry in site.iterdir() if not entry.name.endswith(".dist-info")} - {"bin"}
    assert brought == {"mqbridge"}
    for name in ("protocol", "bridge"):
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("MINE = True\n")
    told = run("-c", "import protocol, bridge, mqbridge.protocol; print(mqbridge.__file__)", cwd=tmp_path, path=site)
    assert told.stdout.strip() == str(site / "mqbridge" / "__init__.py"), told.stderr
    look = "from mqbridge.captures.report import notes; from mqbridge.captures.rules import load"
    look += "; print({rule.spec for rule in load().values()} - set(notes.cited(rule.spec for rule in load().values())))"
    assert run("-c", look, cwd=tmp_path, path=site).stdout.strip() == "set()", "a report has the notes that rules cite"
    demo = shutil.copytree(PROJECT / "examples" / "demo", tmp_path / "demo")
    small = ("--messages", "200", "--size-limit", "2000000", "--kills", "1", "--cuts", "1")
    shown = run(str(demo), *small, cwd=tmp_path, path=site)
    assert shown.returncode == 0, shown.stdout[-2000:] + shown.stderr[-2000:]
