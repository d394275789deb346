"""Our machines in the parts of real products, for ``docs/conformance.md``: every recording in ``tests/vectors``."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mqbridge.captures.differential import AnswerComparison, segments_of
from mqbridge.captures.differential.conformance import TrafficComparison
from mqbridge.captures.differential.known_masks import REAL_CHANNEL, REAL_CLIENT, REAL_SERVER
from mqbridge.protocol.channel import ChannelParameters, ReceiverState, SenderChannel, SenderState
from support.captures.vectors import thesis
from support.channels.playbook import listening
from support.transcripts.client_transcripts import transcript, transcript_names
from support.transcripts.real_session import RealConnection, connections, play, refused_connection
from support.transcripts.recorded_calls import Replayed
from support.transcripts.recorded_clients import NAMES, OTHERWISE, beside

LUWID = thesis(3)[12:20]
CONFIRM = thesis(4)[:12] + LUWID + thesis(4)[20:]


def encounters() -> list[TrafficComparison]:
    """All of them; takes some seconds."""
    served = [_served(connection) for connection in (*connections(), refused_connection())]
    clients = list(_clients())
    left = len(transcript_names()) - len(NAMES)
    return [
        TrafficComparison(
            "IBM MQ 9.4.3 with IBM MQ classes for JMS 9.3.5, captured in September 2025",
            "queue manager",
            len(served),
            served,
            REAL_SERVER,
            ("Ten connections were refused (2035), four put messages, several conversations on one socket.",),
        ),
        TrafficComparison(
            "IBM MQ classes for Java and JMS 9.4, 137 recorded programs",
            "client",
            len(clients),
            clients,
            REAL_CLIENT,
            (
                f"Compared are the conversations of {len(NAMES)} programs. The other {left} are of the classes for",
                "JMS, which make calls of their own (listeners, connection consumers, XA, another way of getting), or",
                "show what a client does with answers that were wrong on purpose. What the recorded server said proves",
                "nothing, as it was not IBM's: the clients' side of all 137 is played to our queue manager in",
                "`tests/playbook/bridge/test_agent_transcripts.py`.",
            ),
        ),
        TrafficComparison(
            "MQSeries on Windows, captured in 2003, level 7",
            "receiver",
            1,
            [_receiver()],
            REAL_CHANNEL,
            ("The receiver's answer to the end of a batch was never captured.",),
        ),
        TrafficComparison(
            "MQSeries on Windows, captured in 2003, level 7",
            "sender",
            1,
            [_sender()],
            REAL_CHANNEL,
            ("The end of the batch is of another session, and has the LUWID of this one here.",),
        ),
    ]


def _served(connection: RealConnection) -> AnswerComparison:
    with pytest.MonkeyPatch.context() as patch:
        return play(connection, patch).comparison


def _clients() -> Iterator[AnswerComparison]:
    for name in NAMES:
        for number, segments in enumerate(transcript(name).sockets(), 1):
            if (name, number) not in OTHERWISE:
                yield beside(Replayed(segments).run().pairs)


def _receiver() -> AnswerComparison:
    comparison = AnswerComparison()
    comparison.expect(1, segments_of(thesis(2)))
    play = listening()
    play.they_send(thesis(1))
    definition = ChannelParameters(channel_name="ch.clon.hp", queue_manager="QM_carlitosway")
    machine, _ = play.machine.accept(definition, ReceiverState(), play.now)
    comparison.hear(1, segments_of(b"".join(machine.link.wire.take())))
    return comparison


def _sender() -> AnswerComparison:
    comparison = AnswerComparison(learns=False)
    comparison.expect(1, segments_of(thesis(1) + thesis(3) + CONFIRM))
    definition = ChannelParameters(channel_name="ch.clon.hp", queue_manager="QM_cmolina", ccsid=437)
    machine = SenderChannel(definition, SenderState(), lambda: LUWID, 1000.0)
    said = b"".join(machine.link.wire.take())
    machine.link.receive_data(thesis(2), 1000.0)
    machine.batches.send_message(thesis(3)[48:], 1000.0, persistent=False)
    machine.batches.queue_empty(1000.0)
    machine.batches.request_confirm(1000.0)
    said += b"".join(machine.link.wire.take())
    comparison.hear(1, segments_of(said))
    return comparison
