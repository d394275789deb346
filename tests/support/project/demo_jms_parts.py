"""Parts of the demo of links that tests use: what builds Java programs and runs Artemis, and the judge of its table."""

from __future__ import annotations

import sys
from pathlib import Path

DEMO_JMS = Path(__file__).parents[3] / "examples" / "demo_jms"
sys.path.append(str(DEMO_JMS))

import artemis  # noqa: E402
import judge  # noqa: E402
import maven  # noqa: E402
import needed  # noqa: E402

__all__ = ["DEMO_JMS", "artemis", "judge", "maven", "needed"]
