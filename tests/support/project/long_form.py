"""Tests with a short form, which every run takes, and a long one, which ``--long`` asks for (``make hostile``)."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--long", action="store_true", help="long forms of hostile tests: damages by the thousand, storms")


@pytest.fixture
def long_form(request: pytest.FixtureRequest) -> bool:
    """Whether the long form is asked for."""
    return bool(request.config.getoption("--long"))
