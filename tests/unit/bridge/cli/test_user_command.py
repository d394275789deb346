from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import mqbridge.bridge.cli.user
from mqbridge.bridge.cli import cli
from mqbridge.bridge.security import Cost, PasswordHash, hash_password
from mqbridge.bridge.security.users_file import UsersFile

Call = Callable[..., Result]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """Calls ``mqbridge user …`` for the data folder of the test, with hashes that cost nothing."""

    def cheap(password: str, salt: bytes) -> PasswordHash:
        return hash_password(password, salt, Cost(2, 1, 1))

    monkeypatch.setattr(mqbridge.bridge.cli.user, "hash_password", cheap)
    monkeypatch.delenv("MQBRIDGE_CONFIG", raising=False)
    monkeypatch.setenv("MQBRIDGE_DATA", str(tmp_path / "data"))

    def run(*arguments: str, given: str = "") -> Result:
        return CliRunner().invoke(cli, ["user", *arguments], input=given, prog_name="mqbridge")

    return run


@pytest.fixture
def file(tmp_path: Path) -> UsersFile:
    return UsersFile(tmp_path / "data" / "users")


def test_a_user_is_added_listed_checked_changed_and_removed(call: Call, file: UsersFile) -> None:
    result = call("add", "app", "--group", "clients", "--group", "readers", given="secret\n")
    assert (result.exit_code, result.stdout) == (0, f"user app added to {file.path}\n")
    assert call("add", "bob", given="builder").exit_code == 0
    assert call("list").stdout == "app clients,readers\nbob\n"
    assert call("check", "app", given="secret\n").exit_code == 0
    assert call("check", "app", given="Secret\n").exit_code == 1
    assert call("password", "app", given="other\r\n").exit_code == 0
    assert call("check", "app", given="secret\n").exit_code == 1
    assert call("check", "app", given="other\n").exit_code == 0
    assert file.read().groups_of("app") == ("clients", "readers")
    assert call("remove", "app").exit_code == 0
    assert call("list").stdout == "bob\n"


def test_the_file_is_for_its_owner_and_holds_no_password(call: Call, file: UsersFile) -> None:
    call("add", "app", given="secret\n")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert "secret" not in file.path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "given", "told"),
    [
        (("add", "app"), "x", "user app exists already; 'mqbridge user password app' gives it another password"),
        (("add", "new"), "", "the password is empty"),
        (("add", "new"), "\n", "the password is empty"),
        (("add", "new"), "x" * 300, "the password is longer than 256 bytes"),
        (("add", "a b"), "x", "'a b' cannot name a user"),
        (("add", "APP"), "x", "users app and APP cannot be told from each other"),
        (("add", "mca"), "x", "'mca' cannot name a user"),
        (("add", "new", "--group", "MQM"), "x", "'MQM' cannot name a group"),
        (("add", "new", "--group", "a,b"), "x", "'a,b' cannot name a group"),
        (("remove", "new"), "", "there is no user new"),
        (("password", "new"), "x", "there is no user new"),
        (("password", "app"), "", "the password is empty"),
        (("check", "new"), "x", "there is no user new"),
        (("check", "app"), "y", "that is not the password of app"),
    ],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(
    call: Call, file: UsersFile, arguments: tuple[str, ...], given: str, told: str
) -> None:
    call("add", "app", given="secret\n")
    before = file.path.read_bytes()
    result = call(*arguments, given=given)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert told in result.stderr
    assert file.path.read_bytes() == before


def test_a_password_is_no_argument(call: Call) -> None:
    assert call("add", "app", "secret").exit_code == 2
    assert call("add", "app", "--password", "secret").exit_code == 2


def test_the_configuration_names_the_file(call: Call, tmp_path: Path) -> None:
    configuration = tmp_path / "qm.toml"
    configuration.write_text('[queue_manager]\ndata = "there"\n[security]\nusers = "who"\n', encoding="utf-8")
    assert call("add", "app", "--config", str(configuration), given="x\n").exit_code == 0
    assert len(UsersFile(tmp_path / "who").read()) == 1
    configuration.write_text('[security]\nuser = "who"\n', encoding="utf-8")
    result = call("list", "--config", str(configuration))
    assert result.exit_code == 2
    assert "did you mean 'users'" in result.stderr


def test_the_data_folder_of_the_option_wins(call: Call, tmp_path: Path) -> None:
    assert call("add", "app", "--data", str(tmp_path / "other"), given="x\n").exit_code == 0
    assert len(UsersFile(tmp_path / "other" / "users").read()) == 1


def test_a_damaged_file_is_told(call: Call, file: UsersFile) -> None:
    file.change(lambda users: users)
    file.path.write_text("joe\n", encoding="utf-8")
    for arguments in (("list",), ("add", "app"), ("check", "joe")):
        result = call(*arguments, given="x\n")
        assert result.exit_code == 1
        assert f"{file.path}, line 1: not name:groups:hash" in result.stderr


def test_a_real_hash_is_made_without_the_tests_help(tmp_path: Path) -> None:
    runner = CliRunner()
    result = runner.invoke(cli, ["user", "add", "app", "--data", str(tmp_path)], input="secret\n")
    assert result.exit_code == 0
    assert "$scrypt$ln=15,r=8,p=3$" in (tmp_path / "users").read_text(encoding="utf-8")
