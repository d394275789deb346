"""The table of channels.md 12.2, row by row, and its errors."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.queue_manager import MQError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.mappings.mq import unwrap
from mqbridge.protocol.constants import MQRC
from support.queue_manager.host import Host

pytestmark = [pytest.mark.spec("channels.md 12.2"), pytest.mark.spec("channels.md 20.14")]


def resolved(host: Host, name: str, queue_manager: str = "") -> tuple[str | None, str, str, bool]:
    target = host.queue_manager.resolve(name, queue_manager)
    return (target.queue.name if target.queue else None, target.queue_name, target.queue_manager_name, target.remote)


def refusal(host: Host, name: str, queue_manager: str = "") -> int:
    with pytest.raises(MQError) as caught:
        host.queue_manager.resolve(name, queue_manager)
    return caught.value.reason


def remote(host: Host, name: str, queue: str = "", queue_manager: str = "", transmission: str = "") -> None:
    attributes: dict[str, Any] = {"RNAME": queue, "RQMNAME": queue_manager, "XMITQ": transmission}
    host.define(Kind.QREMOTE, name, **attributes)


@pytest.mark.parametrize("queue_manager", ["", "EARTH"])
def test_a_local_queue(host: Host, queue_manager: str) -> None:
    host.local("Q")
    assert resolved(host, "Q", queue_manager) == ("Q", "Q", "EARTH", False)


def test_a_model_queue_resolves_to_no_queue_yet(host: Host) -> None:
    host.define(Kind.QMODEL, "M")
    target = host.queue_manager.resolve("M")
    assert target.queue is None
    assert target.model is not None


def test_an_alias_leads_to_its_target(host: Host) -> None:
    host.local("Q")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    assert resolved(host, "A") == ("Q", "Q", "EARTH", False)
    assert [part.name for part in host.queue_manager.resolve("A").path] == ["A", "Q"]


def test_an_alias_may_lead_to_a_remote_queue(host: Host) -> None:
    host.transmission("SATURN")
    remote(host, "R", "THERE", "SATURN")
    host.define(Kind.QALIAS, "A", TARGET="R")
    assert resolved(host, "A") == ("SATURN", "THERE", "SATURN", True)


def test_an_alias_of_an_alias_a_model_or_nothing_is_refused(host: Host) -> None:
    host.local("Q")
    host.define(Kind.QMODEL, "M")
    host.define(Kind.QALIAS, "A", TARGET="Q")
    host.define(Kind.QALIAS, "A2", TARGET="A")
    host.define(Kind.QALIAS, "A3", TARGET="M")
    host.define(Kind.QALIAS, "A4", TARGET="NOTHING")
    assert refusal(host, "A2") == MQRC.ALIAS_BASE_Q_TYPE_ERROR
    assert refusal(host, "A3") == MQRC.ALIAS_BASE_Q_TYPE_ERROR
    assert refusal(host, "A4") == MQRC.UNKNOWN_ALIAS_BASE_Q


def test_a_remote_queue_uses_the_queue_named_like_its_queue_manager(host: Host) -> None:
    host.transmission("SATURN")
    remote(host, "R", "THERE", "SATURN")
    assert resolved(host, "R") == ("SATURN", "THERE", "SATURN", True)


def test_a_remote_queue_uses_its_transmission_queue_where_it_names_one(host: Host) -> None:
    host.transmission("SATURN")
    host.transmission("X")
    remote(host, "R", "THERE", "SATURN", "X")
    assert resolved(host, "R") == ("X", "THERE", "SATURN", True)


def test_a_remote_queue_at_home_is_looked_up_here_but_not_twice(host: Host) -> None:
    host.local("Q")
    remote(host, "R", "Q", "EARTH")
    remote(host, "R2", "R", "EARTH")
    assert resolved(host, "R") == ("Q", "Q", "EARTH", False)
    assert refusal(host, "R2") == MQRC.REMOTE_Q_NAME_ERROR


@pytest.mark.parametrize(("queue", "queue_manager"), [("", "SATURN"), ("THERE", "")])
def test_a_remote_queue_without_its_names_is_refused(host: Host, queue: str, queue_manager: str) -> None:
    host.transmission("X")
    remote(host, "R", queue, queue_manager, "X")
    assert refusal(host, "R") == MQRC.REMOTE_Q_NAME_ERROR


def test_nothing_of_this_name(host: Host) -> None:
    assert refusal(host, "NOTHING") == MQRC.UNKNOWN_OBJECT_NAME
    assert refusal(host, "NOTHING", "EARTH") == MQRC.UNKNOWN_OBJECT_NAME


def test_the_queue_manager_name_is_that_of_a_transmission_queue(host: Host) -> None:
    host.transmission("SATURN")
    host.local("Q")
    assert resolved(host, "Q", "SATURN") == ("SATURN", "Q", "SATURN", True)


def test_a_queue_manager_alias_renames_and_chooses_the_transmission_queue(host: Host) -> None:
    host.transmission("X")
    host.transmission("SATURN")
    remote(host, "FAR", "", "SATURN")
    remote(host, "FARTHER", "", "TITAN", "X")
    assert resolved(host, "Q", "FAR") == ("SATURN", "Q", "SATURN", True)
    assert resolved(host, "Q", "FARTHER") == ("X", "Q", "TITAN", True)


def test_a_queue_manager_alias_may_lead_home(host: Host) -> None:
    host.local("Q")
    host.transmission("X")
    remote(host, "QM_carlitosway", "", "EARTH", "X")
    assert resolved(host, "Q", "QM_carlitosway") == ("Q", "Q", "EARTH", False)
    assert refusal(host, "NOTHING", "QM_carlitosway") == MQRC.UNKNOWN_OBJECT_NAME


def test_queue_manager_aliases_follow_each_other_and_end_where_they_turn_in_a_circle(host: Host) -> None:
    host.transmission("SATURN")
    remote(host, "ONE", "", "TWO")
    remote(host, "TWO", "", "SATURN")
    remote(host, "LEFT", "", "RIGHT")
    remote(host, "RIGHT", "", "LEFT")
    assert resolved(host, "Q", "ONE") == ("SATURN", "Q", "SATURN", True)
    assert refusal(host, "Q", "LEFT") == MQRC.UNKNOWN_REMOTE_Q_MGR


def test_anything_else_goes_to_the_default_transmission_queue(host: Host) -> None:
    host.local("SATURN")
    host.transmission("DEF")
    assert refusal(host, "Q", "TITAN") == MQRC.UNKNOWN_REMOTE_Q_MGR
    assert refusal(host, "Q", "SATURN") == MQRC.UNKNOWN_REMOTE_Q_MGR
    host.alter_manager(DEFXMITQ="DEF")
    assert resolved(host, "Q", "TITAN") == ("DEF", "Q", "TITAN", True)
    assert resolved(host, "Q", "SATURN") == ("DEF", "Q", "SATURN", True)


def test_errors_of_the_default_transmission_queue(host: Host) -> None:
    host.local("PLAIN")
    host.define(Kind.QALIAS, "A", TARGET="PLAIN")
    for name, reason in (
        ("GONE", MQRC.UNKNOWN_DEF_XMIT_Q),
        ("A", MQRC.DEF_XMIT_Q_TYPE_ERROR),
        ("PLAIN", MQRC.DEF_XMIT_Q_USAGE_ERROR),
    ):
        host.alter_manager(DEFXMITQ=name)
        assert refusal(host, "Q", "TITAN") == reason


def test_errors_of_a_named_transmission_queue(host: Host) -> None:
    host.local("PLAIN")
    host.define(Kind.QALIAS, "A", TARGET="PLAIN")
    for number, (name, reason) in enumerate(
        (
            ("GONE", MQRC.UNKNOWN_XMIT_Q),
            ("A", MQRC.XMIT_Q_TYPE_ERROR),
            ("PLAIN", MQRC.XMIT_Q_USAGE_ERROR),
        )
    ):
        remote(host, f"R{number}", "THERE", "SATURN", name)
        remote(host, f"QM{number}", "", "SATURN", name)
        assert refusal(host, f"R{number}") == reason
        assert refusal(host, "Q", f"QM{number}") == reason


def test_a_change_of_an_object_is_seen_by_the_next_resolution(host: Host) -> None:
    host.transmission("SATURN")
    host.transmission("X")
    remote(host, "R", "THERE", "SATURN")
    assert resolved(host, "R")[0] == "SATURN"
    host.alter(Kind.QREMOTE, "R", XMITQ="X")
    assert resolved(host, "R")[0] == "X"
    host.delete(Kind.QREMOTE, "R")
    assert refusal(host, "R") == MQRC.UNKNOWN_OBJECT_NAME


@pytest.mark.spec("channels.md 12.3")
def test_what_is_put_to_another_queue_manager_is_wrapped_with_the_resolved_names(host: Host) -> None:
    host.transmission("SATURN", DEFPSIST="YES")
    remote(host, "R", "THERE", "SATURN")
    message = host.put("R", b"hello", persistence=1, priority=3, expiry=600, format="MQSTR", msg_id=b"id")
    outer = host.got("SATURN")
    assert outer.md.format == "MQXMIT"
    assert outer.md.correl_id == message.md.msg_id
    assert outer.md.msg_id not in (message.md.msg_id, bytes(24))
    assert (outer.md.persistence, outer.md.priority, outer.md.expiry) == (1, 3, 600)
    assert (outer.md.report, outer.md.msg_type) == (0, 8)
    assert outer.md.user_identifier == message.md.user_identifier
    wrapped = unwrap(outer)
    assert (wrapped.remote_q_name, wrapped.remote_q_mgr_name) == ("THERE", "SATURN")
    assert wrapped.message.raw_md == message.raw_md
    assert wrapped.message.data == b"hello"


@pytest.mark.spec("channels.md 12.1")
def test_a_reply_to_alias_is_taken_at_the_put_of_the_request(host: Host) -> None:
    host.local("Q")
    remote(host, "ANSWERS", "REPLIES", "TITAN")
    message = host.put("Q", msg_type=1, reply_to_q="ANSWERS")
    assert (message.md.reply_to_q, message.md.reply_to_q_mgr) == ("REPLIES", "TITAN")
    message = host.put("Q", msg_type=1, reply_to_q="OTHER")
    assert (message.md.reply_to_q, message.md.reply_to_q_mgr) == ("OTHER", "EARTH")
    message = host.put("Q", msg_type=1, reply_to_q="ANSWERS", reply_to_q_mgr="MARS")
    assert (message.md.reply_to_q, message.md.reply_to_q_mgr) == ("ANSWERS", "MARS")
