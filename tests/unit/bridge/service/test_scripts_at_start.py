from __future__ import annotations

from support.processes.running_service import MakeService


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


def test_any_other_failure_ends_the_start_with_file_and_line(make_service: MakeService) -> None:
    service = make_service(start=False, mqsc="DEFINE QLOCAL(A)\n\nALTER QLOCAL(B) +\n  MAXDEPTH(1)\n")
    service.launch()
    assert service.wait() == 2
    last = service.log.strip().splitlines()[-1]
    assert last.startswith(f"mqbridge: {service.folder / 'start.mqsc'}, line 3: AMQ8147E: ")


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
