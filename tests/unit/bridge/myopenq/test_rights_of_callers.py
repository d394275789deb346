"""The files ``admin.allow`` and ``user.allow``: what their lines grant, and what nonsense in them does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqbridge.bridge.agents.myopenq.rights import ADMIN_FILE, USER_FILE, RightsFault, local_rights, read_rights
from mqbridge.bridge.endpoints.myopenq.rights_files import MAX_FILE, RightsFiles
from mqbridge.protocol.myopenq import Command

USER_COMMANDS = (Command.PUT, Command.GET, Command.BROWSE, Command.DISPLAY, Command.COUNT, Command.PURGE)


@pytest.mark.spec("M-094", "M-095", "M-096", "M-098")
def test_lines_grant_what_they_say() -> None:
    admin = "# who may do everything\n10.0.0.1\n\n2001:db8::/32 # a network\n"
    user = "10.0.0.2, A\n 10.1.0.0/16 ,A # all of them\n10.0.0.2,B\n"
    rights, faults = read_rights(admin, user)
    assert faults == []
    for command in Command:
        for address in ("10.0.0.1", "2001:db8::7", "::ffff:10.0.0.1"):
            assert rights.admit(address, command, "ANY")
        for queue, address in (("A", "10.0.0.2"), ("A", "10.1.255.1"), ("B", "10.0.0.2")):
            assert rights.admit(address, command, queue) == (command in USER_COMMANDS)
        for queue, address in (("C", "10.0.0.2"), ("B", "10.1.0.1"), ("A", "10.0.0.3"), ("A", "nowhere"), ("A", "")):
            assert not rights.admit(address, command, queue)


@pytest.mark.spec("M-111", "M-096")
def test_nonsense_grants_nothing_and_is_named() -> None:
    rights, faults = read_rights(
        "everybody\n10.0.0.300\n10.0.0.1\n", "10.0.0.2\n10.0.0.2, no-name\nx, A\n,\n10.0.0.2, A\n"
    )
    assert [(each.file, each.line) for each in faults] == [
        (ADMIN_FILE, 1), (ADMIN_FILE, 2), (USER_FILE, 1), (USER_FILE, 2), (USER_FILE, 3), (USER_FILE, 4),
    ]  # fmt: skip
    assert rights.admit("10.0.0.1", Command.DELETE, "A")
    assert rights.admit("10.0.0.2", Command.GET, "A")
    assert not rights.admit("10.0.0.2", Command.GET, "no-name")


@pytest.mark.spec("myopenq.md K-24")
def test_purge_can_be_for_administrators() -> None:
    rights, _ = read_rights("10.0.0.1", "10.0.0.2, A", admin_purge=True)
    assert rights.admit("10.0.0.1", Command.PURGE, "A")
    assert not rights.admit("10.0.0.2", Command.PURGE, "A")
    assert rights.admit("10.0.0.2", Command.COUNT, "A")


def test_without_files_this_machine_may_do_everything() -> None:
    rights = local_rights()
    assert rights.admit("127.0.0.1", Command.SHUTDOWN, "")
    assert rights.admit("::1", Command.CREATE, "A")
    assert not rights.admit("10.0.0.1", Command.COUNT, "A")


@pytest.mark.spec("M-098")
def test_files_are_read_again_when_they_change(tmp_path: Path) -> None:
    admin, faults = tmp_path / "admin.allow", list[RightsFault]()
    admin.write_text("10.0.0.1\n", encoding="utf-8")
    files = RightsFiles(admin, None, faults.append)
    first = files.changed()
    assert first is not None
    assert first.admit("10.0.0.1", Command.CREATE, "A")
    assert files.changed() is None
    admin.write_text("10.0.0.22\n", encoding="utf-8")
    second = files.changed()
    assert second is not None
    assert not second.admit("10.0.0.1", Command.CREATE, "A")
    assert not second.admit("127.0.0.1", Command.CREATE, "A")
    assert faults == []
    admin.unlink()
    third = files.changed()
    assert third is not None
    assert not third.admit("10.0.0.22", Command.CREATE, "A")
    assert [each.line for each in faults] == [0]
    admin.write_bytes(b"10.0.0.1\n" + b"#" * MAX_FILE)
    fourth = files.changed()
    assert fourth is not None
    assert not fourth.admit("10.0.0.1", Command.CREATE, "A")
    admin.write_bytes(b"\xff\xfe\0\n10.0.0.1\n")
    fifth = files.changed()
    assert fifth is not None
    assert fifth.admit("10.0.0.1", Command.CREATE, "A")
