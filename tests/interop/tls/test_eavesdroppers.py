"""Who listens between two ends reads nothing, whatever the door; and everything, where it may have the keys."""

from __future__ import annotations

import base64
import ssl
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import mqbridge
from mqbridge.captures import CapturedSegment, read_segments
from mqbridge.protocol.constants import SegmentType
from support.captures.recording_proxy import Proxy
from support.processes.running_service import RunningService, wait_for
from support.processes.web_door import WebDoor, basic
from support.tls.authority import Authority
from support.tls.client_scene import add_user
from support.tls.secured_service import secured_service
from support.tls.wire import Wire
from support.tshark.run import TSHARK, needs_tshark

USER, PASSWORD, TEXT = "alice", "Wonder-4711", "two apples and a pear"
QUEUE, TARGET, CHANNEL = "SECRET.ORDERS", "SECRET.TARGET", "EARTH.TO.SATURN"
MQSC = f"""\
DEFINE QLOCAL({QUEUE})
DEFINE QLOCAL({TARGET})
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('{USER}') AUTHADD(CONNECT,INQ)
SET AUTHREC PROFILE('{QUEUE}') OBJTYPE(QUEUE) PRINCIPAL('{USER}') AUTHADD(PUT,GET,BROWSE,INQ)
DEFINE CHANNEL(PLAIN) CHLTYPE(SVRCONN)
DEFINE CHANNEL(SECURED) CHLTYPE(SVRCONN) SSLCIPH({{cipher}}) SSLCAUTH(OPTIONAL)
SET CHLAUTH('*') TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(CHANNEL) CHCKCLNT(REQUIRED)
"""
SETTINGS = """\
[tls]
key_log = "{keys}"
[web]
endpoint = "tcp:0:interface=127.0.0.1"
{web}
"""
CIPHERS = ("TLS_AES_256_GCM_SHA384", "ECDHE_RSA_AES_256_CBC_SHA384")
SECRETS = {
    "client": (TEXT, USER, PASSWORD, QUEUE),
    "channel": (TEXT, TARGET, CHANNEL, "XQH "),
    "REST": (TEXT, QUEUE, base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()),
}
"""What passes the doors."""


class Scene:
    """EARTH and SATURN, of whose doors everything is inside TLS, or nothing."""

    def __init__(self, folder: Path, cipher: str) -> None:
        self.folder, self.cipher = folder, cipher
        self.authority = Authority()
        self.keys = folder / "keys.log"
        self.trusted = self.authority.trust_file(folder / "authority.pem")
        web = "" if cipher else "plain = true"
        self.services = {
            name: secured_service(
                folder / name,
                self.authority,
                name,
                mqsc=MQSC.format(cipher=cipher or "ANY"),
                settings=SETTINGS.format(keys=self.keys, web=web),
            )
            for name in ("EARTH", "SATURN")
        }
        for service in self.services.values():
            service.start()
            add_user(service, USER, PASSWORD)

    @property
    def earth(self) -> RunningService:
        """The queue manager with the clients."""
        return self.services["EARTH"]

    def url(self, port: int) -> str:
        """Where a client of EARTH connects."""
        if not self.cipher:
            return f"mq://{USER}:{PASSWORD}@127.0.0.1:{port}/EARTH?channel=PLAIN"
        return f"mqs://{USER}:{PASSWORD}@127.0.0.1:{port}/EARTH?channel=SECURED&trusted={self.trusted}"

    def through_client(self) -> list[bytes]:
        """A program puts and gets a message."""
        return self._heard(lambda: self.earth.port, self.put_and_get)

    def put_and_get(self, port: int) -> None:
        """Do that."""
        with mqbridge.connect(self.url(port)) as program:
            program.put(QUEUE, TEXT)
            message = program.get(QUEUE)
            assert message is not None
            assert message.text == TEXT

    def through_channel(self) -> list[bytes]:
        """A message goes from EARTH to SATURN."""

        def send(port: int) -> None:
            cipher = f"SSLCIPH({self.cipher})" if self.cipher else ""
            self.services["SATURN"].mqsc(f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(RCVR) {cipher}")
            self.earth.mqsc(
                "DEFINE QLOCAL(SATURN) USAGE(XMITQ)",
                f"DEFINE QREMOTE(FAR) RNAME({TARGET}) RQMNAME(SATURN) XMITQ(SATURN)",
                f"DEFINE CHANNEL({CHANNEL}) CHLTYPE(SDR) XMITQ(SATURN) CONNAME('127.0.0.1({port})') {cipher}",
                f"START CHANNEL({CHANNEL})",
            )
            self.earth.put("FAR", TEXT)
            wait_for("the message", lambda: self.services["SATURN"].depth(TARGET) == 1, 20)

        return self._heard(lambda: self.services["SATURN"].port, send)

    def through_web(self) -> list[bytes]:
        """A message is put by HTTP."""
        place = int(str(self.earth.ready["web"]).rpartition(":")[2].strip("/"))

        def put(port: int) -> None:
            context = ssl.create_default_context(cafile=str(self.trusted)) if self.cipher else None
            door = WebDoor(f"{'https' if self.cipher else 'http'}://127.0.0.1:{port}", context)
            path = f"/ibmmq/rest/v2/messaging/qmgr/EARTH/queue/{QUEUE}/message"
            headers = {**basic(USER, PASSWORD), "Content-Type": "text/plain"}
            assert door.ask("POST", path, headers, TEXT.encode()).status == 201

        return self._heard(lambda: place, put)

    def _heard(self, target: Callable[[], int], act: Callable[[int], object]) -> list[bytes]:
        wire = Wire(target)
        try:
            act(wire.port)
            return wire.heard
        finally:
            wire.close()

    def close(self) -> None:
        """End both."""
        for service in self.services.values():
            service.close()


@pytest.fixture(scope="module", params=["", *CIPHERS], ids=["plain", "TLS 1.3", "TLS 1.2"])
def scene(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    if request.param == CIPHERS[1] and not request.config.getoption("--long"):
        pytest.skip("for --long")
    made = Scene(tmp_path_factory.mktemp("scene"), request.param)
    yield made
    made.close()


def found_in(heard: bytes, secrets: tuple[str, ...]) -> set[str]:
    """Which of the secrets are in bytes, in one of the alphabets that pass."""
    return {
        secret
        for secret in secrets
        if any(secret.encode(alphabet) in heard for alphabet in ("ascii", "cp500", "utf-16-le", "utf-16-be"))
    }


@pytest.mark.parametrize("door", SECRETS)
def test_who_listens_reads_nothing_inside_tls_and_all_of_it_outside(scene: Scene, door: str) -> None:
    ways = {"client": scene.through_client, "channel": scene.through_channel, "REST": scene.through_web}
    heard = ways[door]()
    assert sum(map(len, heard)) > 500
    found = set().union(*(found_in(each, SECRETS[door]) for each in heard))
    assert found == (set() if scene.cipher else set(SECRETS[door]))


@pytest.mark.interop("tshark")
@needs_tshark
def test_wireshark_reads_it_with_our_key_log(scene: Scene, tmp_path: Path) -> None:
    if not scene.cipher:
        pytest.skip("nothing is encrypted")
    proxy = Proxy(tmp_path, f"127.0.0.1:{scene.earth.port}")
    try:
        scene.put_and_get(proxy.port)
        assert proxy.stop() == 0
    finally:
        proxy.close()
    assert not found_in(proxy.output.read_bytes(), SECRETS["client"])
    kinds = [item.segment.type for item in read_segments(proxy.output, scene.keys) if isinstance(item, CapturedSegment)]
    assert {SegmentType.INITIAL_DATA, SegmentType.MQCONN, SegmentType.MQDISC} <= set(kinds)
    command = [TSHARK or "", "-n", "-o", f"tls.keylog_file:{scene.keys}", "-d", f"tcp.port=={proxy.port},tls"]
    command += ["-d", f"tls.port=={proxy.port},mq", "-r", str(proxy.output), "-Y", "mq", "-V"]
    told = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert QUEUE in told
    assert "MQCONN" in told
    assert "AMQ5055W" in scene.earth.log
