"""Sessions: states, time limits, what is held until it is safe, copies, reactions, the end."""

from __future__ import annotations

import random

import pytest

from mqbridge.mappings.templates import (
    Answered,
    BuildError,
    Counters,
    Delivered,
    Ended,
    Refused,
    ScriptError,
    SessionMachine,
    Unknown,
    read_protocol,
)
from mqbridge.mappings.templates.session import MAX_UNREAD

HOST = """
[protocol]
name = "host"
most = 1000

[framing]
kind = "delimiter"
text = "\\n"

[[transaction]]
name = "logon"
from = "initiator"
recognise = [{ position = 0, text = "L" }]
template = "4c"
field = [{ name = "user", length = 4, type = "text", position = 1, map = "user", extends = true }]

[[transaction]]
name = "welcome"
from = "responder"
recognise = [{ position = 0, text = "W" }]
template = "57"
field = [{ name = "token", length = 2, position = 1, type = "text", extends = true }]

[[transaction]]
name = "request"
from = "initiator"
recognise = [{ position = 0, text = "R" }]
template = "52"
field = [
    { name = "token", length = 2, position = 1, type = "text", extends = true },
    { name = "number", length = 3, position = 3, type = "decimal", compute = "sequence", extends = true },
    { name = "text", length = "rest", type = "text", map = "message" },
]

[[transaction]]
name = "answer"
from = "responder"
recognise = [{ position = 0, text = "A" }]
template = "41"
field = [
    { name = "number", position = 1, length = 3, type = "decimal", compute = "copy", extends = true },
    { name = "text", length = "rest", type = "text", map = "message" },
]

[[transaction]]
name = "beat"
recognise = [{ position = 0, text = "B" }]
template = "42"

[[transaction]]
name = "error"
recognise = [{ position = 0, text = "E" }]
template = "45"

[session.initiator]
unrecognised = "ignore"
unexpected = { send = "error" }

[[session.initiator.state]]
name = "new"
rule = [{ on = "connect", send = "logon", next = "logging-on" }]

[[session.initiator.state]]
name = "logging-on"
within = 10
rule = [{ packet = "welcome", next = "ready" }, { on = "timeout", close = "no answer to the logon" }]

[[session.initiator.state]]
name = "ready"
idle = 30
rule = [
    { on = "put", send = { packet = "request", copy = { token = "welcome.token" } }, next = "asked" },
    { on = "idle", send = "beat" },
    { on = "closed", close = "the host is gone" },
]

[[session.initiator.state]]
name = "asked"
within = 5
rule = [
    { packet = "answer", answer = true, accepted = true, next = "ready" },
    { packet = "error", refused = true, next = "ready" },
]

[[session.responder.state]]
name = "new"
rule = [
    { packet = "logon", where = { user = "pete" }, send = { packet = "welcome", set = { token = "t7" } }, next = "in" },
]

[[session.responder.state]]
name = "in"
rule = [{ packet = "request", deliver = true, send = "answer" }, { packet = "beat" }]
"""
PROTOCOL = read_protocol(HOST, "host.toml")


def ready() -> SessionMachine:
    machine = SessionMachine(PROTOCOL, "initiator", random.Random(1), {"user": "pete"})
    assert machine.connected(0.0) == []
    assert machine.take() == b"Lpete\n"
    assert machine.receive_data(b"Wt7\n", 1.0) == []
    return machine


@pytest.mark.spec("M-169")
def test_a_request_and_its_answer_between_both_ends() -> None:
    host = SessionMachine(PROTOCOL, "responder", random.Random(1))
    assert host.connected(0.0) == []
    assert host.receive_data(b"Lpete\n", 0.0) == []
    assert host.take() == b"Wt7\n"
    machine = ready()
    for number in (1, 2):
        assert machine.put({"message": "two apples"}, 2.0) == []
        request = machine.take()
        assert request == b"Rt700%dtwo apples\n" % number
        (delivered,) = host.receive_data(request, 2.0)
        assert isinstance(delivered, Delivered)
        assert not host.has_output
        assert host.settled(2.5, {"message": "done"}) == []
        answer = host.take()
        assert answer == b"A00%ddone\n" % number
        (answered,) = machine.receive_data(answer, 3.0)
        assert isinstance(answered, Answered)
        assert (answered.accepted, answered.values.fields["text"]) == (True, "done")
        assert not machine.can_put
        assert machine.settled(3.0) == [], "the answer has said that the message is accepted"
        assert machine.can_put


def test_what_comes_is_not_looked_at_while_a_message_is_not_settled() -> None:
    host = SessionMachine(PROTOCOL, "responder", random.Random(1))
    host.connected(0.0)
    events = host.receive_data(b"Lpete\nRt7001one\nRt7002two\nB\n", 0.0)
    assert [type(event) for event in events] == [Delivered]
    assert (host.wants_data, host.next_timeout) == (False, None)
    assert host.receive_data(b"Rt7003three\n", 0.0) == []
    assert host.connection_lost(0.0) == []
    host.take()
    events = host.settled(0.0, {"message": "1"})
    assert [type(event) for event in events] == [Delivered]
    events = host.settled(0.0, {"message": "2"})
    assert [type(event) for event in events] == [Delivered]
    assert host.settled(0.0, {"message": "3"}) == [Ended("the other end has closed the connection", False)]
    with pytest.raises(ScriptError, match="nothing waits"):
        host.settled(0.0)


def test_bytes_that_come_while_a_message_is_not_settled_are_bounded() -> None:
    host = SessionMachine(PROTOCOL, "responder", random.Random(1))
    host.connected(0.0)
    host.receive_data(b"Lpete\nRt7001one\n", 0.0)
    (ended,) = host.receive_data(bytes(MAX_UNREAD + 1001), 0.0)
    assert isinstance(ended, Ended)
    assert host.receive_data(b"B\n", 0.0) == []


def test_time_limits_and_keep_alive() -> None:
    machine = SessionMachine(PROTOCOL, "initiator", random.Random(1), {"user": "pete"})
    machine.connected(0.0)
    assert machine.next_timeout == 10.0
    assert machine.timeout(9.9) == []
    assert machine.timeout(10.0) == [Ended("no answer to the logon", False)]
    machine = ready()
    assert machine.next_timeout == 31.0
    assert machine.timeout(31.0) == []
    assert machine.take() == b"B\n"
    assert machine.next_timeout == 61.0
    machine.put({"message": "x"}, 40.0)
    assert machine.next_timeout == 45.0
    (ended,) = machine.timeout(45.0)
    assert ended == Ended("nothing led out of state 'asked' within 5 s", in_doubt=True)
    assert machine.next_timeout is None
    assert machine.timeout(99.0) == []


@pytest.mark.spec("M-170")
def test_a_message_of_which_no_packet_can_be_made_changes_nothing() -> None:
    counters = Counters()
    machine = SessionMachine(PROTOCOL, "initiator", random.Random(1), {"user": "pete"}, counters)
    with pytest.raises(ScriptError, match="in state 'new'"):
        machine.put({"message": "x"}, 0.0)
    machine.connected(0.0)
    machine.receive_data(b"Wt7\n", 0.0)
    machine.take()
    with pytest.raises(BuildError, match="the end mark 0a stands in it"):
        machine.put({"message": "two\nlines"}, 0.0)
    assert (machine.can_put, machine.has_output, counters.numbers) == (True, False, {})
    machine.put({"message": "one line"}, 0.0)
    assert machine.take() == b"Rt7001one line\n"


@pytest.mark.spec("M-167")
def test_reactions_to_what_is_unknown_or_not_expected() -> None:
    machine = ready()
    assert machine.receive_data(b"?\n", 1.0) == [Unknown("a packet that no transaction is", b"?")]
    assert not machine.has_output
    assert machine.receive_data(b"A1\n", 1.0) == [Unknown("answer.number at offset 1: 3 bytes needed, 1 there", b"A1")]
    assert machine.receive_data(b"Wt8\n", 1.0) == [Unknown("'welcome' is not expected in state 'ready'", b"Wt8")]
    assert machine.take() == b"E\n"
    host = SessionMachine(PROTOCOL, "responder", random.Random(1))
    host.connected(0.0)
    events = host.receive_data(b"Lpaul\n", 0.0)
    assert [type(event) for event in events] == [Unknown, Ended]


def test_a_refusal_and_the_ends_of_a_session() -> None:
    machine = ready()
    machine.put({"message": "x"}, 1.0)
    (refused,) = machine.receive_data(b"E\n", 1.0)
    assert isinstance(refused, Refused)
    assert machine.connection_lost(2.0) == [Ended("the host is gone", False)]
    machine = ready()
    machine.put({"message": "x"}, 1.0)
    assert machine.close("stopped") == [Ended("stopped", in_doubt=True)]
    assert machine.close("again") == []
    machine = ready()
    events = machine.receive_data(b"x" * 1001, 1.0)
    assert [type(event) for event in events] == [Unknown, Ended]
    machine = ready()
    machine.receive_data(b"A0", 1.0)
    events = machine.connection_lost(1.0)
    assert [type(event) for event in events] == [Unknown, Ended]


def test_an_end_without_a_script_has_no_session() -> None:
    text = HOST[: HOST.index("[[session.responder.state]]")]
    with pytest.raises(ScriptError, match="no session script for the responder"):
        SessionMachine(read_protocol(text, "host.toml"), "responder", random.Random(1))
