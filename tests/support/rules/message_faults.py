"""Plays for the rules of messages: descriptors, lengths, header chains; see ``rules.channel_faults``."""

from __future__ import annotations

from typing import Any

from mqbridge.protocol.constants import ByteOrder
from mqbridge.protocol.structures import MDE, RFH2
from support.channels.playbook import more_of_it
from support.rules.channel_faults import after, answers, fault, near, put
from support.rules.observer_playbook import Watch


def rfh2(folder: bytes = b"<usr></usr> ", *, length: int | None = None, ccsid: int = 437) -> bytes:
    """A header with one folder."""
    folders = len(folder).to_bytes(4, "little") + folder
    head = RFH2.codec(ByteOrder.LITTLE)(
        struc_length=36 + len(folders) if length is None else length, coded_char_set_id=ccsid
    )
    return head.build() + folders


BEHIND = {"md_format": b"MQHRF2  "}
TABLE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("C-401", {"md_struc_id": b"MX  "}, {}),
    ("C-402", {"md_version": 2}, {"md_version": 1}),
    ("C-403", {"md_report": 0x00040000}, {"md_report": 0x03000700}),
    ("C-404", {"md_msg_type": 0}, {"md_msg_type": 70000}),
    ("C-405", {"md_feedback": 4711}, {"md_feedback": 2053}),
    ("C-406", {"md_encoding": 0x777}, {"md_encoding": 785}),
    ("C-407", {"md_coded_char_set_id": 54321}, {"md_coded_char_set_id": -2}),
    ("C-408", {"md_format": b"\x01\x02abcdef"}, {"md_format": b"MINE    "}),
    ("C-409", {"md_priority": -2}, {"md_priority": -1}),
    ("C-410", {"md_persistence": 5}, {"md_persistence": 2}),
    ("C-411", {"md_put_appl_type": 77}, {"md_put_appl_type": 28}),
    ("C-412", {"md_put_date": b"2003xx28"}, {"md_put_date": b" " * 8, "md_put_time": b" " * 8}),
    ("C-413", {"md_msg_type": 1}, {"md_msg_type": 1, "md_reply_to_q": b"REPLY".ljust(48)}),
    ("C-415", {"md_expiry": 0}, {"md_expiry": 1}),
    ("C-416", {"md_priority": 10}, {"md_priority": 9}),
    ("C-420", {"length": 9}, {}),
    ("C-422", {"msh_message_length": 438}, {}),
    ("C-424", {"xqh_remote_q_name": b" " * 48}, {}),
]
for rule, bad, good in TABLE:
    fault(rule, after(put(1, **bad)))
    near(rule, after(put(1, **good)))


def short_messages(length: int) -> Any:
    def play(watch: Watch) -> None:
        answers({"max_message_size": 1000}, {})(watch)
        watch.caller(put(1, b"x" * length))

    return play


fault("C-421", after(put(1, b"abc", length=9, flags=0x10), more_of_it(b"defgh", flags=0x20)))
near("C-421", after(put(1, b"abc", length=8, flags=0x10), more_of_it(b"defgh", flags=0x20)))
fault("C-423", short_messages(1001))
near("C-423", short_messages(1000))
fault("C-425", after(put(1, rfh2() + b"hello", length=5, **BEHIND)))
near("C-420", after(put(1, rfh2() + b"hello", length=5, **BEHIND)))
near("C-425", after(put(1, rfh2() + b"hello", **BEHIND)))
fault("C-430", after(put(1, b"hello", **BEHIND)))
fault("C-430", after(put(1, rfh2(length=4000), **BEHIND)))
fault("C-430", after(put(1, bytes(72), md_format=b"MQHMDE  ")))
near("C-430", after(put(1, rfh2() + b"hello", **BEHIND)))
near(
    "C-430", after(put(1, MDE.codec(ByteOrder.LITTLE)(coded_char_set_id=437).build() + b"hello", md_format=b"MQHMDE  "))
)
near("C-430", after(put(1, rfh2()[:20], length=60, flags=0x10, **BEHIND)))  # the rest has not come
fault("C-431", after(put(1, rfh2(ccsid=54321), **BEHIND)))
near("C-431", after(put(1, rfh2(ccsid=-2), **BEHIND)))
fault("C-432", after(put(1, rfh2(b"<usr></usr>"), **BEHIND)))
near("C-432", after(put(1, rfh2(), **BEHIND)))
