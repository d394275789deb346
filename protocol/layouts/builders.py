"""Builders of structures that differ in few fields.

Made by ``make layouts`` from ``protocol/structures/builders.py``: not to be edited.
"""

from __future__ import annotations

from struct import Struct, error

from mqbridge.protocol.layouts.md import Md, Md1
from mqbridge.protocol.layouts.message_headers import MessagePrefix


class MessagePrefixBuilder:
    """Builds MESSAGE_PREFIX from fields that differ; the others are those of a record."""

    __slots__ = ("_from_0", "_from_8", "_from_11", "_from_20", "_from_40", "_pack", "_record")

    def __init__(self, record: MessagePrefix) -> None:
        self._record = record.copy()
        fixed = record.build()
        self._from_0 = fixed[0:4]
        self._from_8 = fixed[8:10]
        self._from_11 = fixed[11:12]
        self._from_20 = fixed[20:32]
        self._from_40 = fixed[40:44]
        self._pack = Struct(record.ORDER.prefix + "4s4s2sB1s8s12sLL4sL").pack

    def build(
        self,
        tsh_seg_length: int,
        tsh_control_flags1: int,
        tsh_luwid: bytes,
        msh_sequence_number: int,
        msh_data_length: int,
        msh_message_length: int,
    ) -> bytes:
        try:
            if len(tsh_luwid) == 8:
                return self._pack(
                    self._from_0,
                    tsh_seg_length.to_bytes(4, "big"),
                    self._from_8,
                    tsh_control_flags1,
                    self._from_11,
                    tsh_luwid,
                    self._from_20,
                    msh_sequence_number,
                    msh_data_length,
                    self._from_40,
                    msh_message_length,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._record.copy(
            tsh_seg_length=tsh_seg_length,
            tsh_control_flags1=tsh_control_flags1,
            tsh_luwid=tsh_luwid,
            msh_sequence_number=msh_sequence_number,
            msh_data_length=msh_data_length,
            msh_message_length=msh_message_length,
        )._unfit()


class OuterDescriptorBuilder:
    """Builds MQMD from fields that differ; the others are those of a record."""

    __slots__ = ("_from_0", "_from_20", "_from_96", "_pack", "_record")

    def __init__(self, record: Md1) -> None:
        self._record = record.copy()
        fixed = record.build()
        self._from_0 = fixed[0:16]
        self._from_20 = fixed[20:40]
        self._from_96 = fixed[96:324]
        self._pack = Struct(record.ORDER.prefix + "16sl20slL24s24s228s").pack

    def build(self, expiry: int, priority: int, persistence: int, msg_id: bytes, correl_id: bytes) -> bytes:
        try:
            if len(msg_id) == 24 and len(correl_id) == 24:
                return self._pack(
                    self._from_0, expiry, self._from_20, priority, persistence, msg_id, correl_id, self._from_96
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._record.copy(
            expiry=expiry, priority=priority, persistence=persistence, msg_id=msg_id, correl_id=correl_id
        )._unfit()


class PlainDescriptorBuilder:
    """Builds MQMD from fields that differ; the others are those of a record."""

    __slots__ = ("_from_0", "_from_96", "_pack", "_record")

    def __init__(self, record: Md) -> None:
        self._record = record.copy()
        fixed = record.build()
        self._from_0 = fixed[0:44]
        self._from_96 = fixed[96:364]
        self._pack = Struct(record.ORDER.prefix + "44sL24s24s268s").pack

    def build(self, persistence: int, msg_id: bytes, correl_id: bytes) -> bytes:
        try:
            if len(msg_id) == 24 and len(correl_id) == 24:
                return self._pack(self._from_0, persistence, msg_id, correl_id, self._from_96)
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._record.copy(persistence=persistence, msg_id=msg_id, correl_id=correl_id)._unfit()


class JmsDescriptorBuilder:
    """Builds MQMD from fields that differ; the others are those of a record."""

    __slots__ = ("_from_0", "_from_48", "_from_96", "_from_196", "_from_352", "_from_360", "_pack", "_record")

    def __init__(self, record: Md) -> None:
        self._record = record.copy()
        fixed = record.build()
        self._from_0 = fixed[0:8]
        self._from_48 = fixed[48:72]
        self._from_96 = fixed[96:100]
        self._from_196 = fixed[196:324]
        self._from_352 = fixed[352:356]
        self._from_360 = fixed[360:364]
        self._pack = Struct(record.ORDER.prefix + "8sLLlLLl8slL24s24s4s48s48s128s24sL4sL4s").pack

    def build(
        self,
        report: int,
        msg_type: int,
        expiry: int,
        feedback: int,
        encoding: int,
        coded_char_set_id: int,
        format: bytes,
        priority: int,
        persistence: int,
        correl_id: bytes,
        reply_to_q: bytes,
        reply_to_q_mgr: bytes,
        group_id: bytes,
        msg_seq_number: int,
        msg_flags: int,
    ) -> bytes:
        try:
            if (
                len(format) == 8
                and len(correl_id) == 24
                and len(reply_to_q) == 48
                and len(reply_to_q_mgr) == 48
                and len(group_id) == 24
            ):
                return self._pack(
                    self._from_0,
                    report,
                    msg_type,
                    expiry,
                    feedback,
                    encoding,
                    coded_char_set_id,
                    format,
                    priority,
                    persistence,
                    self._from_48,
                    correl_id,
                    self._from_96,
                    reply_to_q,
                    reply_to_q_mgr,
                    self._from_196,
                    group_id,
                    msg_seq_number,
                    self._from_352,
                    msg_flags,
                    self._from_360,
                )
        except (error, TypeError, OverflowError, AttributeError):
            pass
        raise self._record.copy(
            report=report,
            msg_type=msg_type,
            expiry=expiry,
            feedback=feedback,
            encoding=encoding,
            coded_char_set_id=coded_char_set_id,
            format=format,
            priority=priority,
            persistence=persistence,
            correl_id=correl_id,
            reply_to_q=reply_to_q,
            reply_to_q_mgr=reply_to_q_mgr,
            group_id=group_id,
            msg_seq_number=msg_seq_number,
            msg_flags=msg_flags,
        )._unfit()
