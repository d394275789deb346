"""The demo as its users run it, smaller: its table, what it leaves behind, and what tshark sees of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.processes.demo_run import RunDemo
from support.project.demo_parts import COLUMNS, DEMO
from support.tshark.agreement import assert_tshark_agrees

MESSAGES = 300
SMALL = ["--messages", str(MESSAGES), "--size-limit", "3000000", "--kills", "1", "--cuts", "2"]
PACKETS_OF_2003 = """\
  we send        INITIAL_DATA, 132 bytes
  SATURN answers INITIAL_DATA, 132 bytes
  we send        MESSAGE_DATA, 480 bytes
  we send        STATUS_DATA, 28 bytes
  SATURN answers STATUS_DATA, 28 bytes
"""


def rows(output: str) -> dict[str, dict[str, int]]:
    """The table: figures by column, for each direction."""
    (head,) = (line for line in output.splitlines() if line.lstrip().startswith("direction"))
    assert head.split() == " ".join(["direction", *COLUMNS]).split()
    found = {}
    for line in output.splitlines():
        for direction in ("EARTH → SATURN", "SATURN → EARTH"):
            if line.strip().startswith(direction):
                figures = line.strip().removeprefix(direction).replace(",", "").split()
                found[direction] = dict(zip(COLUMNS, map(int, figures), strict=True))
    return found


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.interop("tshark")
@pytest.mark.spec("channels.md 5.2")
@pytest.mark.spec("mq-wire.md 7.9")
def test_every_message_arrives_once_and_tshark_agrees(run_demo: RunDemo, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    demo = run_demo(DEMO, *SMALL, "--keep", str(kept))
    assert demo.ends() == 0, demo.output + demo.errors
    assert (demo.errors, demo.left_behind()) == ("", [])
    output = demo.output
    table = rows(output)
    assert len(table) == 2
    for row in table.values():
        assert (row["sent"], row["received"]) == (MESSAGES, MESSAGES)
        assert (row["duplicated"], row["lost"], row["out of order"]) == (0, 0, 0)
        assert row["batches"] > 0
    assert sum(row["in-doubt resolved"] for row in table.values()) > 0  # a line was cut before an answer
    assert "SATURN was killed 1 times" in output
    assert "Every message has arrived once, in order." in output
    shown = output[output.index("Now three real packets") :].splitlines()
    assert PACKETS_OF_2003 in "\n".join(shown)
    fields = dict(line.split(maxsplit=1) for line in shown if line.startswith("  ") and len(line.split()) == 2)
    assert fields["Format"] == "MQSTR"
    assert fields["MsgId"] == "414d5120514d5f636d6f6c696e612020adb4753f20002b01"
    assert "  hola" in shown
    judged = re.search(r"judged by the rules of mqbridge replay: .* with ([\d,]+) messages on .*, no error\.", output)
    assert judged is not None
    assert int(judged[1].replace(",", "")) > 2 * MESSAGES
    agreement = assert_tshark_agrees(kept / "demo.pcap")  # skips where there is no tshark
    assert agreement.kinds["MESSAGE_DATA"] > 2 * MESSAGES
    assert {"INITIAL_DATA", "STATUS_DATA", "RESYNC_DATA"} <= set(agreement.kinds)


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("moment", ["EARTH runs as process", "SATURN runs as process", "SATURN is killed (SIGKILL)"])
def test_an_interrupt_ends_everything(run_demo: RunDemo, moment: str) -> None:
    demo = run_demo(DEMO, *SMALL)
    demo.comes_to(moment)
    demo.interrupt()
