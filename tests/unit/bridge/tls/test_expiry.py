"""Certificates that expire soon are found; those that have time, or cannot be read, are not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mqbridge.bridge.tls import KeyRepository, TlsError
from mqbridge.bridge.tls.expiry import days_left, expiring, is_due, stage
from support.tls.authority import Authority

DAY = 86400.0


@pytest.mark.parametrize(
    ("seconds", "days", "due", "reached"),
    [
        (31 * DAY, 31, False, None),
        (30 * DAY, 30, False, None),
        (30 * DAY - 1, 29, True, 30),
        (7 * DAY, 7, True, 30),
        (7 * DAY - 1, 6, True, 7),
        (DAY, 1, True, 7),
        (DAY - 1, 0, True, 1),
        (0, 0, True, 1),
        (-1, -1, True, 0),
        (-9 * DAY, -9, True, 0),
    ],
)
def test_days_ahead(seconds: float, days: int, due: bool, reached: int | None) -> None:
    assert days_left(1000 + seconds, 1000) == days
    assert is_due(days) is due
    assert stage(days) == reached


def test_what_expires_within_thirty_days_is_listed(tmp_path: Path) -> None:
    authority = Authority()
    for label, days in (("soon", 5.5), ("later", 29.5), ("never", 300), ("over", -0.5)):
        authority.issue(f"CN={label}", valid=(-30, days), curve=True).save(tmp_path / f"{label}.pem")
    (tmp_path / "broken.pem").write_bytes(b"nothing")
    authority.issue("CN=open", valid=(-30, 1), curve=True).save(tmp_path / "open.pem").chmod(0o644)
    Authority("O=Theirs,CN=Old", valid=(-30, 2.5)).trust_file(tmp_path / "trusted" / "theirs.pem")
    rows = expiring(KeyRepository(tmp_path), time.time())
    assert [(label, days) for label, _, days in rows] == [
        ("over", -1),
        ("trusted CN=Old,O=Theirs", 2),
        ("soon", 5),
        ("later", 29),
    ]
    assert rows[0][1] == pytest.approx(time.time() - 0.5 * DAY, abs=10)


def test_a_repository_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(TlsError):
        expiring(KeyRepository(tmp_path / "nowhere"), 0.0)
