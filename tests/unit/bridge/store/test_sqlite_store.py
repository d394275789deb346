"""The store of a device in a bad world: locked, newer, foreign, damaged, full, and its log kept short."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path
from zlib import crc32

import pytest

from mqbridge.bridge.store import sqlite
from mqbridge.bridge.store.interface import (
    AddMessage,
    MessageExists,
    MessageMissing,
    PrepareBranch,
    PutRecord,
    RemoveMessage,
    ResolveBranch,
    StagedBody,
    StoreDamaged,
    StoreError,
    StoreFailed,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.rows import seal
from mqbridge.bridge.store.sqlite import SqliteStore
from mqbridge.bridge.store.sqlite_file import APPLICATION, VERSION, SqliteFile
from mqbridge.bridge.store.sqlite_operations import message_sum

HOLDER = """
import sys
from pathlib import Path
from mqbridge.bridge.store.sqlite import SqliteStore
store = SqliteStore(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""
FULL = """
import resource, signal, sys
from pathlib import Path
from mqbridge.bridge.store.interface import AddMessage, RemoveMessage, StoreFull
from mqbridge.bridge.store.sqlite import SqliteStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(Path(sys.argv[1]))
resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, resource.RLIM_INFINITY))
number = 0
while (answer := store.commit([[AddMessage(1, number, b"index", bytes(9000))]])[0]) is None:
    number += 1
    assert number < 5000
assert isinstance(answer, StoreFull), answer
assert [at for at, _, _ in store.scan(1)] == list(range(number))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for at in range(number // 2):
    assert store.commit([[RemoveMessage(1, at)]]) == [None]
for at in range(number // 4):
    assert store.commit([[AddMessage(2, at, b"index", bytes(9000))]]) == [None]
print(number, number // 2, number // 4, flush=True)
"""


def fresh(path: Path, statements: str) -> Path:
    """A file of SQLite that is made by statements."""
    database = sqlite3.connect(path)
    database.executescript(statements)
    database.close()
    return path


def test_a_commit_is_synced_and_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    store = SqliteStore(path)
    run = store._file.connection.execute
    pragmas = {name: run(f"PRAGMA {name}").fetchone()[0] for name in ("synchronous", "journal_mode", "locking_mode")}
    # 2 is FULL: with a log ahead each commit is synced.
    assert pragmas == {"synchronous": 2, "journal_mode": "wal", "locking_mode": "exclusive"}
    assert store.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    assert {each.stat().st_mode & 0o077 for each in tmp_path.iterdir()} == {0}
    store.check()
    store.close()


def test_a_file_is_opened_by_one_process_and_once(tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"open\n"
        with pytest.raises(StoreLocked):
            SqliteStore(path)
        holder.communicate(b"", timeout=30)
    first = SqliteStore(path)
    for _ in range(2):
        with pytest.raises(StoreLocked):
            SqliteStore(path)
    assert first.commit([[PutRecord("t", b"k", b"v")]]) == [None]
    first.close()
    SqliteStore(path).close()


def test_a_file_of_somebody_else_or_of_a_newer_release_is_left_as_it_is(tmp_path: Path) -> None:
    foreign = fresh(tmp_path / "foreign", "CREATE TABLE t (a); PRAGMA user_version = 7;")
    other = fresh(tmp_path / "other", "PRAGMA application_id = 77;")
    SqliteStore(tmp_path / "newer").close()
    newer = fresh(tmp_path / "newer", f"PRAGMA user_version = {VERSION + 1};")
    (tmp_path / "text").write_text("this is no database at all, but it is long enough to be one " * 20)
    (tmp_path / "folder").mkdir()
    expected = {
        foreign: StoreDamaged,
        other: StoreDamaged,
        newer: StoreNewer,
        tmp_path / "text": StoreDamaged,
        tmp_path / "folder": StoreFailed,
        tmp_path / "none" / "moon.mqe": StoreFailed,
    }
    before = {path: path.read_bytes() for path in expected if path.is_file()}
    for path, error in expected.items():
        with pytest.raises(error):
            SqliteStore(path)
    assert {path: path.read_bytes() for path in before} == before


def test_a_file_that_was_replaced_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    store = SqliteStore(path)
    store.require_place()
    path.rename(tmp_path / "old")
    with pytest.raises(StoreFailed):
        store.require_place()
    path.write_bytes(b"")
    with pytest.raises(StoreFailed):
        store.require_place()
    store.close()


def test_a_file_that_cannot_grow_refuses_and_goes_on_when_it_can(tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    ran = subprocess.run([sys.executable, "-c", FULL, str(path)], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    number, gone, more = map(int, ran.stdout.split())
    assert number > 50
    store = SqliteStore(path)
    assert [at for at, _, _ in store.scan(1)] == list(range(gone, number))
    assert len(list(store.scan(2))) == more
    store.check()
    store.close()


def test_a_disk_that_is_nearly_full_takes_no_more_messages_but_lets_go_of_those_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    assert store.commit([[AddMessage(1, 1, b"", b"a")]]) == [None]
    monkeypatch.setattr(sqlite, "free_space", lambda folder: sqlite.RESERVE - 1)
    doubt = PutRecord("everyplace-sending", b"lane", b"1")
    answers = store.commit([[AddMessage(1, 2, b"", b"b"), doubt], [doubt, RemoveMessage(1, 1)]])
    assert [type(each) for each in answers] == [StoreFull, type(None)]
    monkeypatch.undo()
    assert store.commit([[AddMessage(1, 2, b"", b"b")]]) == [None]
    assert [at for at, _, _ in store.scan(1)] == [2]
    store.close()


def test_a_unit_that_is_too_big_does_not_affect_the_others(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    run = store._file.connection.execute
    run(f"PRAGMA max_page_count = {run('PRAGMA page_count').fetchone()[0] + 20}")
    units = [[AddMessage(1, 1, b"", b"a")], [AddMessage(1, 2, b"", bytes(1 << 20))], [AddMessage(1, 3, b"", b"b")]]
    answers = store.commit(units)
    assert [type(each) for each in answers] == [type(None), StoreFull, type(None)]
    assert [at for at, _, _ in store.scan(1)] == [1, 3]
    store.close()


def test_the_log_stays_short(tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    store = SqliteStore(path)
    log = path.with_name("moon.mqe-wal")
    longest = 0
    for number in range(600):
        assert store.commit([[AddMessage(1, number, b"index", bytes(4000))]]) == [None]
        longest = max(longest, log.stat().st_size)
    assert longest < 4 << 20
    assert store.commit([[AddMessage(2, 1, b"index", bytes(20 << 20))]]) == [None]
    for number in range(200):
        assert store.commit([[RemoveMessage(1, number)]]) == [None]
    assert log.stat().st_size <= 4 << 20
    store.close()
    assert not log.exists()


def test_many_bodies_are_read_in_the_order_that_is_asked_for(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    part = store.staged.write(b"-----")
    units = [AddMessage(1, each, b"index", b"body %d" % each) for each in range(1, 600)]
    assert store.commit([[*units, AddMessage(1, 600, b"index", StagedBody([part], [5], b">", b"<"))]]) == [None]
    assert store.read_many(1, [600, 3, 1, 3]) == [b"<----->", b"body 3", b"body 1", b"body 3"]
    assert store.read_many(1, range(599, 0, -1)) == [b"body %d" % each for each in range(599, 0, -1)]
    assert store.read_many(1, []) == store.read_many(2, []) == []
    for missing in ([3, 601], [1 << 50], [601]):
        with pytest.raises(MessageMissing):
            store.read_many(1, missing)
    store.close()


def test_a_message_is_removed_with_its_parts_and_once(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    part = store.staged.write(b"-----")
    added = AddMessage(1, 1, b"index", b"body"), AddMessage(1, 2, b"index", StagedBody([part], [5], b">", b"<"))
    assert store.commit([added]) == [None]
    for position in (1, 2):
        assert store.commit([[RemoveMessage(1, position)]]) == [None]
        (error,) = store.commit([[RemoveMessage(1, position)]])
        assert isinstance(error, MessageMissing)
    store.close()
    with closing(sqlite3.connect(tmp_path / "moon.mqe")) as database:
        for table in ("messages", "parts"):
            assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_a_slice_of_a_long_body_is_read_alone(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    body = random.Random(1).randbytes(1 << 20)
    assert store.commit([[AddMessage(1, 1, b"index", body)]]) == [None]
    for offset, length in ((0, 10), (500_000, 65536), (len(body) - 5, 10), (len(body) + 1, 10), (0, len(body) - 1)):
        assert store.read(1, 1, offset, length) == body[offset : offset + length]
    store.close()


@pytest.mark.parametrize("what", ["body", "index", "record", "branch"])
def test_a_value_that_is_not_what_was_written_is_told(what: str, tmp_path: Path) -> None:
    path = tmp_path / "moon.mqe"
    store = SqliteStore(path)
    branch = PrepareBranch(b"b", [PutRecord("t", b"other", b"value of it")])
    added = AddMessage(1, 1, b"index of it", b"body of it")
    assert store.commit([[added, PutRecord("t", b"k", b"value of it"), branch]]) == [None]
    store.close()
    statement = {
        "body": "UPDATE messages SET body = CAST('bodY of it' AS BLOB)",
        "index": "UPDATE messages SET idx = substr(idx, 1, 8) || CAST('x' AS BLOB)",
        "record": "UPDATE records SET value = substr(value, 1, 7)",
        "branch": "UPDATE branches SET operations = substr(operations, 1, 40)",
    }[what]
    fresh(path, statement)
    store = SqliteStore(path)
    calls = {
        "body": lambda: store.read(1, 1),
        "index": lambda: list(store.scan_all()),
        "record": lambda: list(store.records("t")),
        "branch": lambda: list(store.branches()),
    }
    for name, call in calls.items():
        if name == what:
            with pytest.raises(StoreDamaged):
                call()
        else:
            call()
    if what == "branch":
        (answer,) = store.commit([[ResolveBranch(b"b", commit=True)]])
        assert isinstance(answer, StoreDamaged)
    assert store.commit([[PutRecord("t", b"after", b"it goes on")]]) == [None]
    store.close()


def test_a_damaged_file_gives_what_was_written_or_an_error(tmp_path: Path, *, long_form: bool) -> None:
    path = tmp_path / "moon.mqe"
    store = SqliteStore(path)
    bodies = {number: random.Random(number).randbytes(100 * number) for number in range(60)}
    for number, body in bodies.items():
        assert store.commit([[AddMessage(1, number, b"index", body), PutRecord("t", b"%d" % number, b"v")]]) == [None]
    parts = [store.staged.write(bytes(5000))]
    assert store.commit([[AddMessage(2, 1, b"staged", StagedBody(parts, [5000]))]]) == [None]
    whole, log = path.read_bytes(), path.with_name("moon.mqe-wal").read_bytes()
    store.close()
    dice = random.Random(7)
    began = time.monotonic()
    for _ in range(3000 if long_form else 150):
        damaged, damaged_log = bytearray(whole), bytearray(log)
        for target in dice.choices((damaged, damaged_log), k=dice.randint(1, 4)):
            at, count = dice.randrange(len(target)), dice.choice((1, 1, 8, 512, 4096))
            target[at : at + count] = dice.choice((bytes, dice.randbytes))(len(target[at : at + count]))
        if dice.random() < 0.2:
            del damaged[dice.randrange(len(damaged)) :]
        path.write_bytes(damaged)
        path.with_name("moon.mqe-wal").write_bytes(damaged_log)
        with suppress(StoreError):
            survivor = SqliteStore(path)
            try:
                for queue, position, index, _ in survivor.scan_all():
                    assert index == (b"index" if queue == 1 else b"staged")
                    with suppress(StoreError):
                        assert survivor.read(queue, position) == (bodies[position] if queue == 1 else bytes(5000))
                assert {value for _, value in survivor.records("t")} <= {b"v"}
                (answer,) = survivor.commit([[AddMessage(3, 3, b"", b"more")]])
                assert answer is None or isinstance(answer, StoreError)
            finally:
                survivor.close()
    assert time.monotonic() - began < (600 if long_form else 60)


def test_a_closed_store_says_so(tmp_path: Path) -> None:
    file = SqliteFile(tmp_path / "moon.mqe")
    file.connection.close()
    with pytest.raises(StoreDamaged, match="closed"):
        file.rows("SELECT 1")


VERSION_1 = f"""
CREATE TABLE messages (queue INTEGER, position INTEGER, idx BLOB, length INTEGER, head INTEGER, sum INTEGER,
                       body BLOB, PRIMARY KEY (queue, position));
CREATE TABLE parts (id INTEGER PRIMARY KEY AUTOINCREMENT, queue INTEGER, position INTEGER, branch BLOB,
                    place INTEGER, length INTEGER, data BLOB);
CREATE INDEX parts_of_messages ON parts (queue, position) WHERE queue IS NOT NULL;
CREATE TABLE records (name TEXT, key BLOB, value BLOB, PRIMARY KEY (name, key)) WITHOUT ROWID;
CREATE TABLE branches (branch BLOB PRIMARY KEY, operations BLOB) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = 1;
"""
"""The first layout, in which queue and position were the key of a message."""
PLACES = [
    (queue, position)
    for queue in (0, 7, 1 << 31, (1 << 32) - 1)
    for position in (*range(90), 1 << 39, (1 << 40) - 1, 1 << 40, 1 << 63, (1 << 64) - 1)
]


def version_1(path: Path) -> Path:
    """A file of the first release with messages at `PLACES`, one of which has a part."""
    fresh(path, VERSION_1)
    database = sqlite3.connect(path)
    for queue, position in PLACES:
        key, body = message_sum(queue, position), b"%d %d" % (queue, position)
        values = queue, position - (1 << 63), seal(b"i" + body, key), len(body), None, crc32(body, crc32(key)), body
        database.execute("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    staged = 7, 3 - (1 << 63)
    database.execute(
        "UPDATE messages SET head = 1, length = 7, body = x'6162', sum = ? WHERE queue = ? AND position = ?",
        (crc32(b"ab", crc32(message_sum(7, 3))), *staged),
    )
    part = "INSERT INTO parts (queue, position, place, length, data) VALUES (?, ?, 0, 5, ?)"
    database.execute(part, (*staged, seal(b"-----")))
    database.commit()
    database.close()
    return path


def require_places(store: SqliteStore) -> None:
    """Require that a store has what `version_1` has written."""
    assert [(queue, position) for queue, position, _, _ in store.scan_all()] == sorted(PLACES)
    for queue, position, index, length in store.scan_all():
        text = b"%d %d" % (queue, position)
        assert (index, store.index(queue, position)) == (b"i" + text, b"i" + text)
        body = b"a-----b" if (queue, position) == (7, 3) else text
        assert (store.read(queue, position), store.length(queue, position), length) == (body, len(body), len(body))


def test_a_file_of_version_1_is_read_and_goes_on(tmp_path: Path) -> None:
    path = version_1(tmp_path / "moon.mqe")
    store = SqliteStore(path)
    require_places(store)
    queue, position = PLACES[-1]
    units = [[RemoveMessage(7, 3)], [AddMessage(7, 3, b"i7 3", b"7 3")], [AddMessage(queue, position, b"", b"")]]
    assert [type(each) for each in store.commit(units)] == [type(None), type(None), MessageExists]
    assert store._file.rows("SELECT count(*) FROM parts") == [(0,)]
    store.check()
    store.close()
    store = SqliteStore(path)
    assert store.read(7, 3) == b"7 3"
    assert store._file.rows("SELECT name FROM sqlite_master WHERE name = 'messages_1'") == []
    store.close()


@pytest.mark.parametrize("at", [1, 2, 4])
def test_a_file_of_version_1_whose_messages_were_moved_in_part_is_read(at: int, tmp_path: Path) -> None:
    path = version_1(tmp_path / "moon.mqe")
    left = [at]

    class Dying(SqliteFile):
        """Dies at the begin of a transaction."""

        def _move_messages(self) -> None:
            def told(statement: str) -> None:
                left[0] -= statement.startswith("BEGIN")

            def denied(*_: object) -> int:
                return sqlite3.SQLITE_OK if left[0] > 0 else sqlite3.SQLITE_DENY

            self.connection.set_trace_callback(told)
            self.connection.set_authorizer(denied)
            super()._move_messages()

    with pytest.raises(StoreError):
        Dying(path)
    store = SqliteStore(path)
    require_places(store)
    store.close()


def test_ranges_of_a_transaction_that_was_taken_back_are_forgotten(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "moon.mqe")
    far = 5 << 40
    (answer,) = store.commit([[AddMessage(1, far, b"", b"a"), RemoveMessage(1, 1)]])
    assert isinstance(answer, MessageMissing)
    answers = store.commit([[AddMessage(2, far, b"", b"a"), RemoveMessage(1, 1)], [AddMessage(3, far, b"", b"b")]])
    assert [type(each) for each in answers] == [MessageMissing, type(None)]
    assert store.commit([[AddMessage(1, far, b"", b"c")], [AddMessage(2, far, b"", b"d")]]) == [None, None]
    store.close()
    store = SqliteStore(tmp_path / "moon.mqe")
    assert [(queue, position, store.read(queue, position)) for queue, position, _, _ in store.scan_all()] == [
        (1, far, b"c"),
        (2, far, b"d"),
        (3, far, b"b"),
    ]
    store.close()
