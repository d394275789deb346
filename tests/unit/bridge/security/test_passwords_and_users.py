from __future__ import annotations

import hashlib

import pytest

from mqbridge.bridge.security import Cost, User, UserError, Users, hash_password, parse_hash, parse_users
from mqbridge.bridge.security.passwords import decoy_hash
from support.queue_manager.security_records import CHEAP, people

SALT = bytes(range(16))
DIGEST = 22 * "A"


def test_a_hash_is_that_of_its_password_alone() -> None:
    made = hash_password("größe", SALT, CHEAP)
    assert made.matches("größe".encode())
    assert not made.matches("große".encode())
    assert not made.matches(b"")
    assert not made.matches("größe\0".encode())  # the same to HMAC


def test_it_is_scrypt_with_the_cost_that_its_text_names() -> None:
    made = hash_password("secret", SALT, Cost(4, 2, 3))
    assert made.digest == hashlib.scrypt(b"secret", salt=SALT, n=16, r=2, p=3, dklen=32)
    assert str(made).startswith("$scrypt$ln=4,r=2,p=3$")
    again = parse_hash(str(made))
    assert again.matches(b"secret")
    assert str(again) == str(made)


def test_the_usual_cost_is_what_is_advised() -> None:
    assert Cost() == Cost(15, 8, 3)


def test_a_password_is_in_no_representation() -> None:
    made = hash_password("secret", SALT, CHEAP)
    user = User("joe", made)
    for shown in (repr(made), repr(user), repr(Users({"joe": user}))):
        assert "secret" not in shown
        assert made.digest.hex() not in shown
        assert str(made) not in shown


@pytest.mark.parametrize("password", ["", "x" * 257, "ü" * 129, "secret\0"])
def test_passwords_that_are_refused(password: str) -> None:
    with pytest.raises(UserError):
        hash_password(password, SALT, CHEAP)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "$scrypt$ln=4,r=2,p=3$AAAA",
        f"$bcrypt$ln=4,r=2,p=3$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=0,r=8,p=1$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=25,r=8,p=1$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=20,r=32,p=1$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=20,r=8,p=1$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=20,r=2,p=9$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=4,r=0,p=1$AAAAAAAA${DIGEST}",
        f"$scrypt$ln=4,r=8,p=1$AAAAA${DIGEST}",
    ],
)
def test_what_is_no_hash(text: str) -> None:
    with pytest.raises(UserError):
        parse_hash(text)


def test_a_decoy_matches_nothing_and_costs_as_much() -> None:
    decoy = decoy_hash(SALT)
    assert decoy.cost == Cost()
    assert not decoy_hash(SALT, CHEAP).matches(b"decoy")


def test_users_are_written_and_read_back() -> None:
    users = people({"alice": ("mqclient", "mqm", "mqclient")})
    assert [user.name for user in parse_users(users.text())] == ["alice", "bob"]
    assert parse_users(users.text()) == users
    assert users.groups_of("alice") == ("mqclient", "mqm")
    assert users.groups_of("bob") == ()
    assert users.groups_of("stranger") == ("nobody",)


@pytest.mark.parametrize(
    ("user", "privileged"), [("mqm", True), ("alice", True), ("bob", False), ("stranger", False), ("", False)]
)
def test_who_is_privileged(user: str, privileged: bool) -> None:
    assert people({"alice": ("mqm",)}).is_privileged(user) is privileged


def test_editing_gives_another_value_and_wrong_edits_are_refused() -> None:
    users = people()
    changed = users.with_password("bob", hash_password("new", SALT, CHEAP))
    assert changed.existing("bob").password.matches(b"new")
    assert users.existing("bob").password.matches(b"builder")
    assert users.removed("bob").find("bob") is None
    for edit in (
        lambda: users.added(users.existing("bob")),
        lambda: users.removed("carol"),
        lambda: users.with_password("carol", users.existing("bob").password),
    ):
        with pytest.raises(UserError):
            edit()


@pytest.mark.parametrize("name", ["", "a b", "a:b", "a,b", "-a", "a\n", "é", "x" * 65, "#a", "*MQADMIN"])
def test_names_that_are_refused(name: str) -> None:
    with pytest.raises(UserError):
        Users().added(User(name, hash_password("x", SALT, CHEAP)))
    with pytest.raises(UserError):
        Users().added(User("joe", hash_password("x", SALT, CHEAP), (name,)))


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("joe", "line 3: not name:groups:hash"),
        ("joe::nothing", "line 3: this is no scrypt hash"),
        ("j oe::{hash}", "line 3: 'j oe' cannot name a user"),
        ("joe:a b:{hash}", "line 3: 'a b' cannot name a group"),
        ("alice::{hash}", "line 3: user alice stands there twice"),
    ],
)
def test_a_damaged_file_is_refused_with_its_line(line: str, fault: str) -> None:
    made = str(hash_password("x", SALT, CHEAP))
    with pytest.raises(UserError, match=fault.replace(":", r"\:")):
        parse_users(f"# users\nalice::{made}\n{line.format(hash=made)}\n")


def test_comments_and_blank_lines_are_passed_over() -> None:
    assert len(parse_users("\n# nobody\n   \n")) == 0


@pytest.mark.parametrize(
    "change", ["flipped", "line gone", "cut", "front alone", "empty", "end zeroed", "line end flipped", "sum zeroed"]
)
def test_a_file_that_is_not_what_was_written_is_refused(change: str) -> None:
    password = hash_password("secret", SALT, CHEAP)
    whole = Users().added(User("ann", password)).added(User("bob", password, ("mqm",))).text()
    lines = whole.splitlines(keepends=True)
    changed = {
        "flipped": whole.replace("bob:mqm", "bob:mqn"),
        "line gone": "".join(line for line in lines if not line.startswith("ann")),
        "cut": "".join(lines[:-1]),
        "front alone": whole[:30],
        "empty": "",
        "end zeroed": whole[:62].ljust(len(whole), "\0"),
        "line end flipped": whole.replace("\nann:", "*ann:"),
        "sum zeroed": whole.replace("sum ", "s\0\0 "),
    }[change]
    with pytest.raises(UserError, match=r"not what was written|cut short"):
        parse_users(changed)
    assert len(parse_users(whole)) == 2
    without_sum = "".join(line for line in lines if "sum" not in line).replace("bob:mqm", "bob:mqn")
    assert parse_users(without_sum).groups_of("bob") == ("mqn",)


def test_no_damage_makes_other_users_of_a_file() -> None:
    """Each bit flipped, each run of zeros, each cut: refused, or the same users."""
    password = hash_password("secret", SALT, CHEAP)
    users = Users().added(User("ann", password, ("mqm",))).added(User("bob", password))
    whole = users.text().encode()
    damaged = [
        whole[:at] + bytes((whole[at] ^ 1 << bit,)) + whole[at + 1 :] for at in range(len(whole)) for bit in range(8)
    ]
    damaged += [
        whole[:at] + bytes(min(length, len(whole) - at)) + whole[at + length :]
        for at in range(len(whole))
        for length in (1, 16, 256)
    ]
    damaged += [whole[:at] for at in range(len(whole))]
    same = 0
    for each in damaged:
        try:
            found = parse_users(each.decode("utf-8"))
        except (UserError, UnicodeDecodeError):
            continue
        assert found == users, each
        same += 1
    assert 0 < same < len(damaged) / 2
