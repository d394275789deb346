"""Each command message is answered, or a line in the log says why not, whatever ids and types its parameters have."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mqbridge.bridge.agents.command_server.requests import REQUESTS
from mqbridge.protocol.constants import MQCMD
from support.queue_manager.pcf_operator import REPLIES, operator
from support.queue_manager.raw_pcf import COMMANDS, TEXTS, raw_command, raw_parameters, raw_text

pytestmark = pytest.mark.spec("mq-wire.md 5.16")

PING = raw_command(MQCMD.PING_Q_MGR, [])


@settings(max_examples=150)
@given(
    command=st.sampled_from(COMMANDS),
    name=st.none() | st.sampled_from(TEXTS),
    odd=st.lists(raw_parameters(), max_size=4),
    count=st.none() | st.integers(0, 9),
    kind=st.sampled_from([1, 1, 1, 16, 2]),
    fields=st.fixed_dictionaries(
        {},
        optional={
            "persistence": st.just(1),
            "report": st.sampled_from([0x40, 0x80, 0x4000, 0x8000000]),
            "coded_char_set_id": st.sampled_from([500, 819, 0, -1, 99999]),
            "msg_type": st.sampled_from([8, 4]),
            "format": st.sampled_from(["MQPCF", ""]),
            "reply_to_q": st.sampled_from(["NOT.THERE", "SYSTEM.ADMIN.COMMAND.QUEUE"]),
        },
    ),
)
def test_each_command_is_answered_or_the_log_says_why_not(
    command: int, name: bytes | None, odd: list[bytes], count: int | None, kind: int, fields: dict[str, int | str]
) -> None:
    pcf = operator()
    request = REQUESTS.get(command)
    if name is not None and request is not None and request.name:
        odd = [raw_text(request.name[0], name), *odd]
    pcf.send(raw_command(command, odd, count, kind), **fields)
    pcf.station.stage.wait(0.2)
    there = pcf.station.manager.queue(REPLIES)
    answers = pcf.received() if there is not None and not there.get_inhibited else []
    said = [*pcf.station.logged("AMQ8507"), *pcf.station.logged("AMQ8506")]
    assert answers or said
    assert not answers or int(answers[-1].record.control) == 1
    faults = [line for line in pcf.station.logged("AMQ8506") if not line.startswith("message type ")]
    assert faults == [], "no fault of our own"
    if there is not None and not there.get_inhibited and not there.put_inhibited and pcf.server.running:
        pcf.send(PING)
        (answer,) = pcf.received()
        assert (answer.record.command, answer.record.comp_code) == (MQCMD.PING_Q_MGR, 0), "the next one is served"
