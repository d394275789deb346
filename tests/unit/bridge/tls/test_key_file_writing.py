"""Files of keys are replaced as a whole, or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from mqbridge.bridge.tls import CertificateError
from mqbridge.bridge.tls.files import PUBLIC, read_file, remove_file, write_file


def test_a_file_is_made_with_its_folders_for_the_owner(tmp_path: Path) -> None:
    file = tmp_path / "data" / "ssl" / "x.pem"
    write_file(file, b"one")
    assert file.read_bytes() == b"one"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [stat.S_IMODE(each.stat().st_mode) for each in (file.parent, file.parent.parent)] == [0o700, 0o700]
    write_file(file, b"two", PUBLIC)
    assert stat.S_IMODE(file.stat().st_mode) == 0o644


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "x.pem"
    write_file(file, b"one")

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(CertificateError, match="cannot be written: No space left"):
        write_file(file, b"two")
    assert file.read_bytes() == b"one"
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_killed_command_has_left_is_not_followed(tmp_path: Path) -> None:
    file, other = tmp_path / "x.pem", tmp_path / "other"
    other.write_bytes(b"not ours")
    (tmp_path / f".x.pem.{os.getpid()}").symlink_to(other)
    write_file(file, b"one")
    assert (file.read_bytes(), other.read_bytes()) == (b"one", b"not ours")


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    file, other = tmp_path / "x.pem", tmp_path / "other"
    other.write_bytes(b"not ours")
    file.symlink_to(other)
    write_file(file, b"one")
    assert other.read_bytes() == b"not ours"
    assert not file.is_symlink()


@pytest.mark.parametrize(
    ("name", "told"),
    [("nothing", "cannot be read: No such file"), ("folder", "is no file"), ("pipe", "is no file")],
)
def test_what_is_no_file_is_told_and_not_waited_for(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(CertificateError, match=told):
        read_file(tmp_path / name)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o666])
def test_a_key_that_others_may_access_is_not_read(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "x.pem"
    write_file(file, b"one", mode)
    with pytest.raises(CertificateError, match="chmod 600"):
        read_file(file, private=True)


def test_a_missing_file_cannot_be_removed(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="cannot be removed: No such file"):
        remove_file(tmp_path / "x.pem")
