"""Passwords stand in no row."""

from __future__ import annotations

from mqbridge.captures.analysis import ALL_TABLES, AnalysisOptions
from mqbridge.captures.tables import SegmentRow
from mqbridge.protocol.constants import ByteOrder, SegmentType
from mqbridge.protocol.segment import build_segment
from mqbridge.protocol.structures import UID
from support.captures.analysed_rows import IN, OUT, analysed, of
from support.captures.files import record
from support.transcripts.client_transcripts import transcript

PASSWORD = b"passw0rd"


def test_passwords_stand_in_no_row() -> None:
    for name in ("auth-mqcsp-fap", "auth-compat", "auth-mqcsp"):
        for socket in transcript(name).sockets():
            sent = [(IN if one.side == "client" else OUT, one.data) for one in socket]
            rows = analysed(record(*sent), AnalysisOptions("a", ALL_TABLES, "bytes"))
            shown = [row.fields for row in of(SegmentRow, rows) if row.fields is not None]
            secrets = {value for fields in shown for key, value in fields.items() if key.endswith(".Password")}
            assert secrets <= {"********", ""}
            assert PASSWORD.decode() not in repr(rows)
            assert PASSWORD.hex() not in repr(rows)


def test_the_password_is_in_these_transcripts() -> None:
    assert any(PASSWORD in one.data for one in transcript("auth-compat").segments)


def test_a_password_of_userid_data_is_masked() -> None:
    body = UID.codec(ByteOrder.LITTLE)(struc_id=b"UID ", user_id=b"app".ljust(12), password=b"geheim".ljust(12)).build()
    rows = analysed(record((IN, build_segment(SegmentType.USERID_DATA, body))))
    (segment,) = of(SegmentRow, rows)
    assert segment.fields is not None
    assert segment.fields["UID.Password"] == "********"
    assert "geheim" not in repr(rows)
    assert b"geheim".hex() not in repr(rows)
