"""Attributes of TLS by PCF: their reasons when they are wrong, and records of certificates (tls.md T-11, T-12)."""

from __future__ import annotations

import pytest

from mqbridge.protocol.constants import MQCA, MQCACH, MQCMD, MQIACF, MQIACH, MQRCCF
from support.queue_manager.pcf_operator import PcfOperator, operator

pytestmark = [pytest.mark.spec("tls.md T-11"), pytest.mark.spec("tls.md T-12")]

CHANNEL = (MQCACH.CHANNEL_NAME, "C"), (MQIACH.CHANNEL_TYPE, 3)
PROFILE, PEERS = (MQCACH.CHANNEL_NAME, "C"), (MQIACF.CHLAUTH_TYPE, 3)
MARS, AUTHORITY = (MQCACH.SSL_PEER_NAME, "CN=MARS"), (MQCA.SSL_CERT_ISSUER_NAME, "CN=Authority")
RUNCHECK = PROFILE, (MQIACH.MATCH, 1), (MQCACH.CONNECTION_NAME, "10.0.0.1"), (MQCA.REMOTE_Q_MGR_NAME, "QM1")


@pytest.fixture
def pcf() -> PcfOperator:
    return operator()


@pytest.mark.parametrize("command", [MQCMD.CREATE_CHANNEL, MQCMD.CHANGE_CHANNEL])
def test_reasons(pcf: PcfOperator, command: MQCMD) -> None:
    if command == MQCMD.CHANGE_CHANNEL:
        pcf.good(MQCMD.CREATE_CHANNEL, *CHANNEL)
    assert pcf.bad(command, *CHANNEL, (MQCACH.SSL_CIPHER_SPEC, "RC4_MD5_US"))[0] == MQRCCF.SSL_CIPHER_SPEC_ERROR
    assert pcf.bad(command, *CHANNEL, (MQCACH.SSL_PEER_NAME, "MARS"))[0] == MQRCCF.SSL_PEER_NAME_ERROR
    pcf.good(command, *CHANNEL, (MQCACH.SSL_CIPHER_SPEC, "ANY_TLS13"), MARS)
    (shown,) = pcf.good(MQCMD.INQUIRE_CHANNEL, CHANNEL[0])
    assert (shown[MQCACH.SSL_CIPHER_SPEC], shown[MQCACH.SSL_PEER_NAME]) == ("ANY_TLS13", "CN=MARS")


def test_records_of_certificates(pcf: PcfOperator) -> None:
    mapped = (MQIACH.USER_SOURCE, 0), (MQCACH.MCA_USER_ID, "rover")
    assert pcf.bad(MQCMD.SET_CHLAUTH_REC, PROFILE, PEERS, (MQCACH.SSL_PEER_NAME, "CN"), *mapped)[0] == (
        MQRCCF.SSL_PEER_NAME_ERROR
    )
    pcf.good(MQCMD.SET_CHLAUTH_REC, PROFILE, PEERS, MARS, AUTHORITY, *mapped)
    (shown,) = pcf.good(MQCMD.INQUIRE_CHLAUTH_RECS, *RUNCHECK, MARS, AUTHORITY)
    assert (shown[MQCACH.MCA_USER_ID], shown[MQCA.SSL_CERT_ISSUER_NAME]) == ("rover", "CN=Authority")
    pcf.good(MQCMD.SET_CHLAUTH_REC, PROFILE, PEERS, MARS, AUTHORITY, (MQIACF.ACTION, 7))
    assert pcf.bad(MQCMD.INQUIRE_CHLAUTH_RECS, PROFILE, (MQIACH.MATCH, 2))[0] == MQRCCF.CHLAUTH_NOT_FOUND
