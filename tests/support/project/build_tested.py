"""Which build of mqbridge the tests run: said at the head of a run, and insisted on by ``--compiled``."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge import build
from mqbridge.protocol import framing

COMPILED = Path(framing.__file__).suffix != ".py"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--compiled", action="store_true", help="end at once if the modules are not compiled ones")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--compiled") and not COMPILED:
        raise pytest.UsageError(f"{build.__file__} is {build.kind()}; make test-compiled runs the compiled wheel")


def pytest_report_header() -> str:
    return f"mqbridge: {build.kind()}, {Path(build.__file__).parent}"


def pytest_runtest_setup(item: pytest.Item) -> None:
    marker = item.get_closest_marker("interpreted")
    if marker is not None and COMPILED:
        pytest.skip(f"only in pure Python: {marker.args[0]}")
