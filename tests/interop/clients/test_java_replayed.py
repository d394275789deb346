"""Sessions of IBM's client libraries, recorded at one queue manager and played to another that has seen nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from mqbridge.bridge.cli import cli
from support.captures.recording_proxy import Proxy
from support.processes import java_programs
from support.processes.running_service import MakeService

OBJECTS = """\
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('**') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(ALL)
SET AUTHREC PROFILE('@class') OBJTYPE(QUEUE) PRINCIPAL('checks') AUTHADD(CRT)
DEFINE CHANNEL(SHARE.0) CHLTYPE(SVRCONN) SHARECNV(0) MCAUSER('checks')
DEFINE CHANNEL(SHARE.10) CHLTYPE(SVRCONN) SHARECNV(10) MCAUSER('checks')
DEFINE QMODEL(CHECKS.TEMPORARY) DEFTYPE(TEMPDYN) SHARE DEFSOPT(SHARED)
"""


@pytest.mark.timeout(1500)
@pytest.mark.parametrize(
    ("group", "generation", "conversations"), [("JavaPutGet", "javax", 0), ("JmsXa", "jakarta", 10)]
)
def test_another_queue_manager_answers_the_same(
    make_service: MakeService, tmp_path: Path, group: str, generation: str, conversations: int
) -> None:
    java_programs.build()
    memory = ("--store", "memory")
    service = make_service("SATURN", mqsc=OBJECTS, options=memory)
    proxy = Proxy(tmp_path, f"127.0.0.1:{service.port}")
    try:
        outcome = java_programs.run(
            generation,
            group,
            tmp_path / "java",
            port=proxy.port,
            channel=f"SHARE.{conversations}",
            queue_manager=service.name,
            helper=lambda wish: pytest.fail(wish),
        )
        assert not outcome.failed, outcome.output
        assert outcome.passed
        assert proxy.stop() == 0
    finally:
        proxy.close()
    other = make_service("MARS", mqsc=OBJECTS, options=memory)
    arguments = ["replay", str(proxy.output), "--against", f"127.0.0.1:{other.port}", "--wait", "30", "--json"]
    result = CliRunner().invoke(cli, arguments, prog_name="mqbridge", catch_exceptions=False)
    report = json.loads(result.stdout)
    assert (result.exit_code, report["different"]) == (0, [])
    assert report["equal"] > 5000
    assert len(report["flows"]) > 5
