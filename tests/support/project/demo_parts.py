"""Parts of the demo that tests use: the lines that can be cut and keep a capture, and the audit of its table."""

from __future__ import annotations

import sys
from pathlib import Path

DEMO = Path(__file__).parents[3] / "examples" / "demo"
sys.path.append(str(DEMO))

from audit import COLUMNS, both_ways, follow  # noqa: E402
from faults import plan  # noqa: E402
from ports import free_ports  # noqa: E402
from proxy import Capture, Cut, Line  # noqa: E402
from traffic import LARGEST, SMALLEST, Traffic, answer_to  # noqa: E402

__all__ = [
    "COLUMNS",
    "DEMO",
    "LARGEST",
    "SMALLEST",
    "Capture",
    "Cut",
    "Line",
    "Traffic",
    "answer_to",
    "both_ways",
    "follow",
    "free_ports",
    "plan",
]
