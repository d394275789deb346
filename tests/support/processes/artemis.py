"""Apache Artemis as a broker at the far end of a link: that of ``make demo-jms``, on ports of this process.

Where there is no Java 17 or no Maven, or the archive cannot be had, the test is skipped with the reason.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.processes.ports import free_port
from support.project.demo_jms_parts import artemis, maven

USER, PASSWORD = artemis.USER, artemis.PASSWORD


class Artemis(artemis.Artemis):
    """One broker with its data in a folder; the options are those of the demo's."""

    def __init__(self, folder: Path, **options: Any) -> None:
        try:
            super().__init__(folder, free_port(), free_port(), **options)
        except maven.NotAvailable as reason:
            pytest.skip(str(reason))
