"""What tests with other programs share: tshark as a decoder that is not ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.tshark.agreement import Agreement
from support.tshark.agreement import assert_tshark_agrees as agree
from support.tshark.run import TSHARK


@pytest.fixture
def assert_tshark_agrees() -> Callable[..., Agreement]:
    """The function of that name in ``tshark.agreement``; the test is skipped where tshark is not installed."""
    if TSHARK is None:
        pytest.skip("tshark is not installed")
    return agree
