"""Structures of which many are built that differ in few fields; the other fields are packed once.

``make layouts`` writes a class for each into ``protocol/layouts/builders.py``. Made with a record, it builds bytes from
the fields named here, in this order, and raises ``LocalProtocolError`` when a value does not fit its field.
"""

from __future__ import annotations

from typing import Any, Final

from mqbridge.protocol.grammar import Structure

from .md import MD, MD1
from .message_headers import MESSAGE_PREFIX

BUILDERS: Final[dict[str, tuple[Structure[Any], tuple[str, ...]]]] = {
    "MessagePrefixBuilder": (
        MESSAGE_PREFIX,
        (
            "tsh_seg_length",
            "tsh_control_flags1",
            "tsh_luwid",
            "msh_sequence_number",
            "msh_data_length",
            "msh_message_length",
        ),
    ),
    "OuterDescriptorBuilder": (MD1, ("expiry", "priority", "persistence", "msg_id", "correl_id")),
    "PlainDescriptorBuilder": (MD, ("persistence", "msg_id", "correl_id")),
    "JmsDescriptorBuilder": (
        MD,
        (
            "report",
            "msg_type",
            "expiry",
            "feedback",
            "encoding",
            "coded_char_set_id",
            "format",
            "priority",
            "persistence",
            "correl_id",
            "reply_to_q",
            "reply_to_q_mgr",
            "group_id",
            "msg_seq_number",
            "msg_flags",
        ),
    ),
}
"""By name: the structure, and the fields that differ."""
