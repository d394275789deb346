"""tshark dissects what the plays and the simulation put on the wire, and sees the same as we do.

The plays are run again in a process of their own that keeps captures (``wire.record``), all files of
``tests/playbook``; each row of the table below must show the traffic it is there for.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol.constants import ControlFlags1, SegmentType, StatusCode
from mqbridge.protocol.structures import parse_status_data
from support.gateway.bad_input_table import rows
from support.processes.forked_starts import STARTS
from support.simulation.scenario import Scenario
from support.tshark.agreement import Agreement, compare_with_tshark
from support.tshark.run import needs_tshark
from support.wire.mute_plays import MUTE
from support.wire.record import FIRST_CONNECTIONS, FIRST_SEGMENTS, Wire, on_record

pytestmark = [pytest.mark.interop("tshark"), needs_tshark]

Agree = Callable[..., Agreement]
HOME = Path(__file__).parents[3]
PLAYBOOK = HOME / "tests" / "playbook"
TIMEOUT = 300
SEEDS = 6
SIMULATED_SEGMENTS = 200
"""Of each connection of the simulation, which has many; a batch is never longer than 50 messages."""


@dataclass(frozen=True, slots=True)
class Traffic:
    """Plays that show one kind of traffic.

    ``shows``: segment types and structures that must be in their captures; ``flags``: ControlFlags1, likewise.
    ``only``: which of the tests, as ``-k`` has it. ``ours``: only what we say is looked at, the partners of these plays
    say it wrong, or have been looked at elsewhere; ``errors``: the table of bad input must be in it; ``repeated``: a
    type of segment in which we repeat what was wrong. ``segments``: how many of each connection; ``connections``: how
    many of each test.
    """

    plays: str
    shows: str = ""
    flags: tuple[int, ...] = ()
    ours: bool = False
    errors: bool = False
    repeated: str = ""
    only: str = ""
    segments: int = FIRST_SEGMENTS
    connections: int = FIRST_CONNECTIONS

    @property
    def files(self) -> list[Path]:
        return [file for play in self.plays.split() for file in PLAYBOOK.glob(f"*/test_{play}.py")]


FIRST_AND_LAST = 0x30
TRAFFIC = {
    "batches": Traffic(
        "agreed_values defaults_on_the_wire numbers_of_fast_batches status_shown channel_batches",
        "INITIAL_DATA MESSAGE_DATA STATUS_DATA ID MSH XQH MD",
        (ControlFlags1.CONFIRM_REQUEST, FIRST_AND_LAST, 0x00),
    ),
    "the session of 2003": Traffic("thesis_session", "INITIAL_DATA MESSAGE_DATA STATUS_DATA"),
    "other byte orders and alphabets": Traffic(
        "partners_of_other_kinds", "INITIAL_DATA MESSAGE_DATA STATUS_DATA RESYNC_DATA RESET_DATA HEARTBEAT PING_DATA"
    ),
    "resynchronisation": Traffic(
        "link_lost store_refuses_settlement channel_resync", "RESYNC_DATA RESET_DATA MESSAGE_DATA"
    ),
    "RESOLVE, RESET and PING": Traffic("resolve_and_reset", "RESYNC_DATA RESET_DATA PING_DATA RESET PING"),
    "heartbeats": Traffic("channel_heartbeats second_instances", "HEARTBEAT", (0x00, 0x01)),
    "who calls whom": Traffic("pairs_at_work channel_pairs", "INITIAL_DATA STATUS_DATA", (0x0C,)),
    "stops and starts": Traffic(
        "stopping starting_again channel_stop", "HEARTBEAT STATUS_DATA", (int(ControlFlags1.CLOSE_CHANNEL), 0x0A)
    ),
    "dead letters, reports and routes": Traffic(
        "undeliverable reports_across routes what_does_not_travel",
        "MQDLH MQRFH2 RESET_DATA",
        (int(ControlFlags1.DLQ_USED),),
    ),
    "channels of a bus": Traffic("channels_of_a_bus", "MESSAGE_DATA MQRFH2 XQH", only="not damaged_folders"),
    "long messages": Traffic("channel_long_messages", "MESSAGE_DATA", (0x10, 0x00, 0x20)),
    "very long messages": Traffic("long_messages", "MESSAGE_DATA", (0x10, 0x00), segments=10),
    "bad input": Traffic(
        "bad_input bad_input_for_senders channel_faults channel_negotiation",
        "STATUS",
        (0x0A,),
        ours=True,
        errors=True,
    ),
    "calls of clients": Traffic(
        "mqi_calls mqi_start mqi_end",
        "MQCONN MQCONN_REPLY CONAUTH_INFO MQINQ_REPLY SPI_REPLY MQSUB_REPLY XA_START_REPLY SOCKET_ACTION API OD PMO",
        (FIRST_AND_LAST, int(ControlFlags1.CLOSE_CHANNEL) | FIRST_AND_LAST),
    ),
    "messages that stream to clients": Traffic(
        "mqi_delivery", "REQUEST_MSGS ASYNC_MESSAGE NOTIFICATION ASYNC REQMSG NOTIF", (0x10, 0x00, 0x20)
    ),
    "bad input of clients": Traffic(
        "mqi_faults bad_input_of_clients", "STATUS", (0x0A,), ours=True, repeated="MQOPEN_REPLY", segments=60
    ),
    "answers to recorded clients": Traffic(
        "agent_transcripts real_session",
        "SPI_REPLY MQGET_REPLY MQSET_REPLY MQSTAT_REPLY MQSUBRQ_REPLY XA_RECOVER_REPLY HEARTBEAT SPQO LPOO SPRO XA",
        (0x02, FIRST_AND_LAST, 0x40),
        ours=True,
        only="sharecnv0-t or sharecnv0-a or types or xa-r or mqi-inq or durable or bigendian or fap-4 or hb-c or 10-QM",
    ),
}
PASSED_OVER = {"mqi_transcripts", "protocols_on_a_port"}
"""Says what recorded clients said; speaks no MQ."""
ALL_PLAYS = {file.stem.removeprefix("test_") for file in PLAYBOOK.glob("*/test_*.py")} - MUTE - PASSED_OVER
OTHERS = 2
"""Parts in which the plays are looked at that have no row of their own."""
_OTHERS = sorted(ALL_PLAYS - {play for traffic in TRAFFIC.values() for play in traffic.plays.split()})
for _number in range(OTHERS):
    if _plays := _OTHERS[_number::OTHERS]:
        TRAFFIC[f"all other plays, part {_number + 1}"] = Traffic(" ".join(_plays), segments=25, connections=20)


def put_on_the_wire(traffic: Traffic, folder: Path) -> list[Path]:
    """Run the plays; their captures."""
    options = ["-q", "-p", "no:cacheprovider", f"--basetemp={folder / 'plays'}", "--wire", str(folder / "wire")]
    options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # mqbridge is imported before pytest begins
    options += [f"--wire-segments={traffic.segments}", f"--wire-connections={traffic.connections}"]
    if traffic.ours:
        options += ["--wire-ours"]
    if traffic.only:
        options += ["-k", traffic.only]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = STARTS.launch(HOME, [*options, *map(str, traffic.files)], environment, module="pytest")
    output, errors = done.communicate(timeout=TIMEOUT)
    assert done.returncode == 0, (output + errors).decode()
    return sorted((folder / "wire").glob("*.pcap"))


def errors_told(capture: Path) -> set[StatusCode]:
    """The codes of all error segments."""
    codes = set()
    for item in read_segments(capture):
        if isinstance(item, CapturedSegment) and item.segment.type == SegmentType.STATUS_DATA:
            body = parse_status_data(item.segment.body, item.segment.order)
            if body is not None and item.segment.flags1 & ControlFlags1.ERROR:
                codes.add(StatusCode(body.record.code))
    return codes


def flags_seen(capture: Path) -> set[int]:
    return {item.segment.flags1 for item in read_segments(capture) if isinstance(item, CapturedSegment)}


@pytest.mark.slow
@pytest.mark.timeout(2 * TIMEOUT)
@pytest.mark.spec("mq-wire.md 5.14")
@pytest.mark.parametrize("traffic", TRAFFIC.values(), ids=TRAFFIC.keys())
def test_what_the_plays_say(traffic: Traffic, assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    captures = put_on_the_wire(traffic, tmp_path)
    assert len(captures) == len(traffic.plays.split())
    if traffic.repeated:
        agreements = [compare_with_tshark(capture, traffic.segments) for capture in captures]
        assert [text for one in agreements for text in one.differences if f", {traffic.repeated}: " not in text] == []
    else:
        agreements = [assert_tshark_agrees(capture) for capture in captures]
    seen = {name for agreement in agreements for name in (*agreement.kinds, *agreement.structures)}
    assert set(traffic.shows.split()) <= seen
    assert set(traffic.flags) <= {flags for capture in captures for flags in flags_seen(capture)}
    if traffic.errors:
        told = {code for capture in captures for code in errors_told(capture)}
        assert {row.code for row in rows() if row.code is not None} <= told


@pytest.mark.slow
@pytest.mark.spec("channels.md 5.4")
@pytest.mark.parametrize("seed", range(SEEDS))
def test_what_the_simulation_says(seed: int, assert_tshark_agrees: Agree, tmp_path: Path) -> None:
    capture = tmp_path / f"{seed}.pcap"
    with capture.open("wb") as file, on_record(Wire(file, segments=SIMULATED_SEGMENTS)):
        assert Scenario(seed).run() == []
    agreement = assert_tshark_agrees(capture)
    assert {"INITIAL_DATA", "MESSAGE_DATA", "STATUS_DATA"} <= set(agreement.kinds)
