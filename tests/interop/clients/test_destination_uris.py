"""IBM's classes for JMS read URIs of destinations as we do, ours and others, and write what we read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mqbridge.mappings.destinations import APPLICATION, Destination, DestinationError
from support.processes import java_programs

pytestmark = pytest.mark.spec("jms-mapping.md 7.4")
LIMIT = 120
READ = [
    "queue://QM/Q", "queue:///Q", "queue:///A/B", "queue://A/B/C", "queue:///a%b", "queue:///a%", "Q", "A/B",
    "queue:///Q?", "queue:///Q?x", "queue:///Q?=1", "queue:///Q?&&priority=3&", "queue:///Q?priority=3&priority=4",
    "queue:///Q?Priority=3", "queue:///Q?zeta=1&persistence=2&alpha=2", "queue:///Q??priority=3", "queue:///Q?a=b=c",
    "queue:///Q?expiry=-2&encoding=546&CCSID=819", "queue:///Q?expiry=99999999999", "queue:///Q?priority=03",
    "queue:///Q?messageBody=1&mdReadEnabled=true&mdWriteEnabled=TRUE&mdMessageContext=2&targetClient=1",
    "queue:///Q?ibmRoutingPath=a%26b=c,d+e", "queue:///Q?ibmRoutingPath=%C3%A9%252C",
    "topic://A/B/C", "topic:///A", "topic://a b", "topic://a%20b", "topic://a%3Fb", "topic://a%3Fb?priority=3",
    "topic://100%", "topic://a%zz", "topic://%zz%41", "topic://a+b&c", "topic://é/€", "topic://%C3%A9",
    "topic://a%2520b", "topic://#",
]  # fmt: skip
REFUSED = [
    "queue://", "queue:///", "queue://A/", "topic://", "QUEUE:///Q", "TOPIC://x", "queue:Q", "queue:///a b",
    "queue:///a@b", "queue:///" + "X" * 49, "queue://" + "M" * 49 + "/Q", "queue:///Q?priority=10",
    "queue:///Q?priority=x", "queue:///Q?priority=", "queue:///Q?priority=+3", "queue:///Q?persistence=0",
    "queue:///Q?persistence=4", "queue:///Q?expiry=-3", "queue:///Q?targetClient=2", "queue:///Q?messageBody=3",
    "queue:///Q?mdReadEnabled=1", "queue:///Q?mdMessageContext=3", "queue:///Q?receiveConversion=5",
    "queue:///Q?readAheadAllowed=7", "queue:///Q?failIfQuiesce=true", "queue:///Q?CCSID=-1", "queue:///Q?encoding=x",
]  # fmt: skip
VALUES = ["x&y", "x%26y", "x%y", "x y", "x=?#y", "xéy€", "x+y", "%%26", "a;b,c:/[]{}|\\^`'~!@$*()-_.", '<a>"b']
MADE = [
    Destination.queue("A/B", "QM", priority=4, persistence=2, expiry=500, targetClient=1, ibmRoutingPath="a&b, c~%41"),
    Destination.queue("a%zz", mdReadEnabled=True, mdWriteEnabled=False, mdMessageContext=1, messageBody=0),
    Destination.topic("a?b%41/c", expiry=APPLICATION),
    Destination.topic("100% & more"),
]


def asked(wishes: list[str], folder: Path, generation: str) -> list[list[str]]:
    """Their answers to wishes."""
    java_programs.build()
    done = subprocess.run(
        [*java_programs.java(java_programs.PROJECT / generation), "mqbridge.checks.DestinationUris"],
        input="\n".join(wishes).encode(),
        capture_output=True,
        cwd=folder,
        timeout=LIMIT,
        check=True,
    )
    answers = done.stdout.decode().splitlines()
    assert len(answers) == len(wishes), done.stderr.decode()
    return [line.split("\t") for line in answers]


def ours(destination: Destination) -> list[str]:
    """What we say of a destination; IBM's classes have defaults for what is not given."""
    given = [
        APPLICATION if destination.priority is None else destination.priority,
        APPLICATION if destination.persistence is None else destination.persistence,
        APPLICATION if destination.expiry is None else destination.expiry,
        int(destination.target_client or 0),
        2 if destination.message_body is None else int(destination.message_body),
        int(destination.md_message_context or 0),
    ]
    flags = [destination.md_read_enabled or False, destination.md_write_enabled or False]
    words = [*map(str, given), *(str(flag).lower() for flag in flags)]
    return [destination.queue_manager, destination.name, *words, destination.routing_path or ""]


def wish(uri: str) -> str:
    return ("topic " if uri.startswith(("topic", "TOPIC")) else "queue ") + uri


@pytest.mark.timeout(700)
@pytest.mark.parametrize("generation", ["javax", "jakarta"])
def test_ibm_s_classes_agree(generation: str, tmp_path: Path) -> None:
    read = [*READ, *(each.uri for each in MADE)]
    refused = asked(
        [*map(wish, read), *map(wish, REFUSED), *(f"write {value}" for value in VALUES)], tmp_path, generation
    )
    found = dict(zip(read, refused, strict=False))
    assert found == {uri: ours(Destination.parse(uri)) for uri in read}
    assert [each for each in MADE if Destination.parse(each.uri) != each] == []
    rest = refused[len(read) :]
    assert [uri for uri, answer in zip(REFUSED, rest, strict=False) if answer != ["refused"]] == []
    for uri in REFUSED:
        with pytest.raises(DestinationError):
            read_whole(uri)
    written = [answer[0] for answer in rest[len(REFUSED) :]]
    assert written == [Destination.queue("Q", "QM", ibmRoutingPath=value).uri for value in VALUES]
    assert [Destination.parse(uri).routing_path for uri in written] == VALUES


def read_whole(uri: str) -> None:
    """Parse a URI and read all its properties, of which IBM's classes refuse bad ones at once."""
    destination = Destination.parse(uri)
    ours(destination)
    for name in ("CCSID", "encoding", "receiveConversion", "readAheadAllowed", "failIfQuiesce"):
        destination.number(name)
