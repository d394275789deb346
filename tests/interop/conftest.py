"""What tests with other programs share: tshark as a decoder that is not ours."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tshark_agreement import Agreement
from tshark_agreement import assert_tshark_agrees as agree
from tshark_run import TSHARK


@pytest.fixture
def assert_tshark_agrees() -> Callable[..., Agreement]:
    """The function of that name in ``tshark_agreement``; the test is skipped where tshark is not installed."""
    if TSHARK is None:
        pytest.skip("tshark is not installed")
    return agree
