"""Two managers of MyOpenQ are killed while a remote queue is sent: every message arrives once and in order."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from support.myopenq.managers import SOURCE, TARGET, Manager, local, remote
from support.processes.running_service import MakeService

EACH = 60
"""Messages of a round; every third has the same text."""


@pytest.mark.faulty_traffic
@pytest.mark.spec("M-056", "M-086", "M-089", "M-090", "M-102", "M-110", "SC-35")
def test_managers_that_are_killed(make_service: MakeService, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    rounds = 20 if request.config.getoption("--long") else 3
    dice = random.Random(35)
    earth, mars = (Manager(make_service, tmp_path, name, "md5_list = 100") for name in ("EARTH", "MARS"))
    mars.create(local())
    earth.create(remote(mars.port))
    expected = []
    for number in range(rounds):
        texts = [b"the same" if each % 3 == 0 else b"%d" % (number * EACH + each) for each in range(EACH)]
        with earth.client() as client:
            for text in texts:
                client.put(SOURCE, text)
        expected += texts
        time.sleep(dice.uniform(0.0, 0.15))
        for each in dice.choice([[earth], [mars], [earth, mars]]):
            each.service.kill()
            each.service.start()
        earth.wait_for_count(SOURCE, 0)
    assert mars.take_all(TARGET) == expected
