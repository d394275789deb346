"""More attacks of `fairness`: those at the door, wrong passwords and clients that do not read."""

from __future__ import annotations

import itertools
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from fairness_attacks import DEEP, QUEUE, Attack, Scene

import mqbridge
from mqbridge.bridge.security import User, Users, hash_password
from mqbridge.bridge.security.users_file import UsersFile
from mqbridge.protocol.constants import MQOO
from mqbridge.protocol.mqi_client import GetParameters

GUESSERS = 100
STRANGER = "127.0.0.9"
"""Where the guesses come from."""
LONGEST_GUESS = 3.0
READERS = 150
LENGTH = 4 << 20
SMALL_BUFFER = 4096
_CHECKED = (
    "ALTER AUTHINFO(DEV.AUTHINFO) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL) ADOPTCTX(YES)\n"
    "SET AUTHREC OBJTYPE(QMGR) GROUP('people') AUTHADD(CONNECT)\n"
)


# Wrong passwords


def guess(port: int) -> None:
    """Guess passwords of one user, by many connections at a time, until the process is ended."""
    plain, numbers = socket.create_connection, itertools.count()
    socket.create_connection = lambda address, timeout=None: plain(address, timeout, (STRANGER, 0))  # type: ignore[assignment]

    def guesses() -> None:
        while True:
            try:
                mqbridge.connect(_place(port, "user0", f"wrong{next(numbers)}"), timeout=LONGEST_GUESS).abort()
            except mqbridge.MQError:
                continue

    for _ in range(GUESSERS):
        threading.Thread(target=guesses).start()


def _place(port: int, user: str, password: str) -> str:
    return f"mq://{user}:{password}@127.0.0.1:{port}/?channel=DEV.APP.SVRCONN"


def _users(scene: Scene) -> None:
    hashed = hash_password("right", b"salt" * 4)
    users = Users({f"user{number}": User(f"user{number}", hashed, ("people",)) for number in range(40)})
    UsersFile(Path(scene.server.folder) / "data" / "users").change(lambda _: users)


def _guess(scene: Scene) -> None:
    """Logs users in, one after the other and each for the first time, beside a storm of wrong passwords."""
    storm = subprocess.Popen([sys.executable, __file__, str(scene.server.port)])
    time.sleep(1.0)
    taken = []
    try:
        for number in range(1, scene.many(8, 40)):
            began = time.perf_counter()
            mqbridge.connect(_place(scene.server.port, f"user{number}", "right"), timeout=60).disconnect()
            taken.append(time.perf_counter() - began)
        if storm.poll() is not None:
            raise SystemExit("nobody guesses any more")
    finally:
        storm.kill()
        storm.wait()
    taken.sort()
    p99 = taken[int(0.99 * len(taken))]
    scene.note = f"right login: median {taken[len(taken) // 2]:.2f} s, p99 {p99:.2f} s"


# Clients that do not read


def _fill_long(scene: Scene) -> None:
    queue = scene.manager.queue(QUEUE)
    for _ in range(READERS):
        queue.put(bytes(LENGTH))
    queue.close()


def _memory(scene: Scene) -> int:
    assert scene.server.process is not None
    status = Path(f"/proc/{scene.server.process.pid}/status").read_text(encoding="ascii")
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


def _stop_reading(scene: Scene) -> None:
    """Let each client request a message, and read nothing of the reply."""
    before = _memory(scene)
    readers = [scene.connect() for _ in range(READERS)]
    for reader in readers:
        handle, link = reader.queue(QUEUE).handle(int(MQOO.INPUT_SHARED)), reader.link
        with link.lock:
            link._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
            link.machine.calls.get(handle, GetParameters(max_length=2 * LENGTH), time.monotonic())
            for piece in link.machine.link.wire.take():
                link._socket.sendall(piece)
    time.sleep(scene.many(3, 10))
    scene.note = f"held for {READERS} readers of {LENGTH >> 20} MiB: {(_memory(scene) - before) / (1 << 20):.0f} MiB"
    for reader in readers:
        reader.abort()


DOORS = [
    Attack("passwords", "wrong passwords, many at a time", _guess, _users, mqsc=_CHECKED, once=True),
    Attack("readers", "clients that stop reading long messages", _stop_reading, _fill_long, mqsc=DEEP, once=True),
]

if __name__ == "__main__":
    guess(int(sys.argv[1]))
