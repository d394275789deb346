from __future__ import annotations

import pytest
from running_service import MakeService, RunningService


def refused(service: RunningService) -> tuple[int, str]:
    service.launch()
    status = service.wait()
    return status, service.log.strip().splitlines()[-1]


def test_a_define_of_what_exists_is_passed_over_with_a_message(make_service: MakeService) -> None:
    service = make_service(mqsc="DEFINE QLOCAL(A) MAXDEPTH(7)\n* comment\nDEF CHANNEL(C) CHLTYPE(RCVR)\n")
    assert "AMQ5037" not in service.log
    service.mqsc("ALTER QLOCAL(A) MAXDEPTH(8)")
    service.restart()
    assert service.attribute("DISPLAY QLOCAL(A) MAXDEPTH", "MAXDEPTH") == "8"
    script = service.folder / "start.mqsc"
    assert f"queue A already exists ({script}, line 1)" in service.log
    assert f"channel C already exists ({script}, line 3)" in service.log


def test_a_define_with_replace_is_carried_out_at_every_start(make_service: MakeService) -> None:
    service = make_service(mqsc="DEFINE QLOCAL(A) MAXDEPTH(7) REPLACE\n")
    service.mqsc("ALTER QLOCAL(A) MAXDEPTH(8)")
    service.restart()
    assert service.attribute("DISPLAY QLOCAL(A) MAXDEPTH", "MAXDEPTH") == "7"


@pytest.mark.parametrize(
    ("script", "line", "problem"),
    [
        ("DEFINE QLOCAL(A)\n\nALTER QLOCAL(B) +\n  MAXDEPTH(1)\n", 3, "AMQ8147E"),
        ("* fine\nDEFINE QLOCAL(A) +\n  MAXDEPTH(-5)\n", 2, "AMQ8405E"),
        ("DEFINE QLOCAL(A) +\n", 2, "expected a line that continues the command"),
        ("NONSENSE\n", 1, "AMQ8405E"),
        ("DEFINE QLOCAL(DEV.QUEUE.1) CHLTYPE(SDR)\n", 1, "AMQ8405E"),
    ],
)
def test_any_other_failure_ends_the_start_with_file_and_line(
    make_service: MakeService, script: str, line: int, problem: str
) -> None:
    service = make_service(start=False, mqsc=script)
    status, last = refused(service)
    assert status == 2
    assert f"{service.folder / 'start.mqsc'}, line {line}: " in last
    assert problem in last


def test_a_script_that_is_not_there_or_no_text_ends_the_start(make_service: MakeService) -> None:
    service = make_service(start=False)
    missing = service.folder / "missing.mqsc"
    service.options = ["--mqsc", str(missing)]
    assert refused(service) == (2, f"mqbridge: {missing}: cannot be read: No such file or directory")
    missing.write_bytes(b"* fine\nDEFINE QLOCAL(\xff)\n")
    assert refused(service) == (2, f"mqbridge: {missing}, line 2: not UTF-8 text")


def test_scripts_run_before_waiting_messages_trigger_their_channel(make_service: MakeService) -> None:
    script = (
        "DEFINE QLOCAL(X) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) TRIGDATA(C) INITQ(SYSTEM.CHANNEL.INITQ)\n"
        "DEFINE QREMOTE(R) RNAME(Q) RQMNAME(MARS) XMITQ(X)\n"
        "DEFINE CHANNEL(C) CHLTYPE(SDR) XMITQ(X) CONNAME('127.0.0.1(1)')\n"
        "START CHANNEL(C)\n"
    )
    service = make_service(mqsc=script)
    service.put("R", "waits", Persistence=1)
    service.restart(kill=True)
    assert service.depth("X") == 1
