"""Our client's bytes beside those of IBM's clients: the same calls with the same values.

Compared are the types, structures and fields of all segments; what may differ stands in one table with its reason.
"""

from __future__ import annotations

import pytest

from mqbridge.captures.differential import tally
from mqbridge.captures.differential.known_masks import REAL_CLIENT
from mqbridge.protocol.constants import SegmentType
from support.transcripts.client_transcripts import transcript
from support.transcripts.recorded_calls import Replayed, dissected
from support.transcripts.recorded_clients import NAMES, OTHERWISE, beside


def differences(pairs: list[tuple[bytes, bytes]]) -> list[str]:
    """What no mask allows."""
    comparison = beside(pairs)
    return [str(difference) for difference in tally(comparison, REAL_CLIENT).different]


@pytest.mark.spec("client-observed.md 1.1")
@pytest.mark.spec("client-observed.md 4")
@pytest.mark.spec("client-observed.md 5")
@pytest.mark.parametrize("name", NAMES)
def test_we_send_what_real_clients_send(name: str) -> None:
    found: list[str] = []
    for number, segments in enumerate(transcript(name).sockets(), 1):
        if (name, number) not in OTHERWISE:
            replayed = Replayed(segments).run()
            assert len(replayed.pairs) >= 2, replayed.skipped
            found += differences(replayed.pairs)
    assert not found, "\n".join(dict.fromkeys(found))


def test_all_kinds_of_calls_are_compared() -> None:
    kinds: set[str] = set()
    for name in ("auth-mqcsp", "connect-sharecnv-0", "mqi-inq", "mqi-putget", "mqi-sharecnv0-putget", "mqi-topic"):
        replayed = Replayed(next(iter(transcript(name).sockets()))).run()
        kinds |= {str(SegmentType(dissected(ours)[0]["fields"]["SegmentType"])) for _, ours in replayed.pairs}
    assert kinds >= {
        "INITIAL_DATA", "USERID_DATA", "CONAUTH_INFO", "MQCONN", "MQOPEN", "MQCLOSE", "MQPUT", "MQPUT1", "MQGET",
        "REQUEST_MSGS", "MQINQ", "MQSET", "MQCMIT", "MQBACK", "MQDISC", "MQSUB", "MQSUBRQ", "SOCKET_ACTION",
        "STATUS_DATA",
    }  # fmt: skip


def test_a_difference_is_seen() -> None:
    replayed = Replayed(next(iter(transcript("connect-basic").sockets()))).run()
    recorded, ours = replayed.pairs[-1]
    assert differences([(recorded, ours)]) == []
    assert differences([(recorded, ours[:-8] + b"\7" + ours[-7:])])


def test_every_mask_is_needed() -> None:
    used: set[int] = set()
    for name in NAMES:
        for number, segments in enumerate(transcript(name).sockets(), 1):
            if (name, number) not in OTHERWISE:
                for difference in beside(Replayed(segments).run().pairs).differences:
                    used |= {place for place, mask in enumerate(REAL_CLIENT) if mask.covers(difference)}
    assert [mask for place, mask in enumerate(REAL_CLIENT) if place not in used] == []
