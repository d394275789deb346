from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mqbridge.bridge.security import User, UserError, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile
from support.queue_manager.security_records import CHEAP, people


@pytest.fixture
def file(tmp_path: Path) -> UsersFile:
    return UsersFile(tmp_path / "data" / "users")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def new(name: str) -> User:
    return User(name, hash_password("x", b"0" * 16, CHEAP))


def test_a_missing_file_holds_nobody(file: UsersFile) -> None:
    assert len(file.read()) == 0
    assert file.changed() is None


def test_what_is_written_is_read_and_only_the_owner_may(file: UsersFile) -> None:
    file.change(lambda _: people())
    assert file.read() == people()
    assert mode(file.path) == 0o600
    assert mode(file.path.parent) == 0o700
    file.path.chmod(0o644)
    file.change(lambda users: users.removed("bob"))
    assert mode(file.path) == 0o600
    assert sorted(path.name for path in file.path.parent.iterdir()) == [".users.lock", "users"]


def test_a_change_by_somebody_else_is_seen_once(file: UsersFile) -> None:
    file.read()
    UsersFile(file.path).change(lambda _: people())
    assert file.changed() == people()
    assert file.changed() is None
    file.path.unlink()
    assert file.changed() == Users()


def test_a_failed_change_leaves_the_file_as_it_was(file: UsersFile) -> None:
    file.change(lambda _: people())
    before = file.path.read_bytes()
    with pytest.raises(UserError, match="there is no user carol"):
        file.change(lambda users: users.removed("carol"))
    assert file.path.read_bytes() == before


def test_changes_at_one_time_lose_nothing(file: UsersFile) -> None:
    names = [f"user{number}" for number in range(12)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda name: UsersFile(file.path).change(lambda users: users.added(new(name))), names))
    assert sorted(user.name for user in file.read()) == sorted(names)


@pytest.mark.parametrize(
    ("content", "fault"), [(b"joe\n", "line 1: not name"), (b"\xff\n", "no UTF-8 text"), (b"x" * 70, "line 1")]
)
def test_a_damaged_file_is_told_with_its_path(file: UsersFile, content: bytes, fault: str) -> None:
    file.path.parent.mkdir()
    file.path.write_bytes(content)
    file.path.chmod(0o600)
    with pytest.raises(UserError, match=fault) as caught:
        file.read()
    assert str(file.path) in str(caught.value)


@pytest.mark.parametrize("bits", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_refused(file: UsersFile, bits: int) -> None:
    file.change(lambda _: people())
    file.path.chmod(bits)
    with pytest.raises(UserError, match="chmod 600"):
        file.read()


def test_a_folder_in_its_place_is_refused(file: UsersFile) -> None:
    file.path.mkdir(parents=True)
    with pytest.raises(UserError, match="cannot be read"):
        file.read()
    with pytest.raises(UserError):
        file.change(lambda users: users)
