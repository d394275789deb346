"""What all tests share: citations of the protocol notes, and how hard Hypothesis tries.

``--hypothesis-profile=long`` tries forty times as much. Where ``CI`` is set, every run tries the same examples.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

pytest_plugins = [
    "support.project.started_programs",
    "support.project.garbage",
    "support.project.long_form",
    "support.project.build_tested",
    "support.processes.forked_starts",
    "support.processes.running_service",
    "support.processes.failing_starts",
    "support.processes.demo_run",
    "support.project.spec_coverage",
    "support.wire.record",
    "support.wire.mute_plays",
]

settings.register_profile("quick", deadline=None, max_examples=50, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("repeatable", settings.get_profile("quick"), derandomize=True, database=None)
settings.register_profile("long", settings.get_profile("quick"), max_examples=2000)
settings.load_profile("repeatable" if os.environ.get("CI") else "quick")
