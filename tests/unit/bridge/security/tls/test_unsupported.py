"""What is asked of TLS and not built keeps channels with SSLCIPH from running, and is named."""

from __future__ import annotations

from typing import Any

import pytest

from mqbridge.bridge.operator_messages import operator_message
from mqbridge.bridge.security.tls import unsupported
from mqbridge.protocol.constants import MQRQ, StatusCode
from support.queue_manager.security_records import Row

pytestmark = pytest.mark.spec("tls.md T-06")

DEFAULTS = {"SSLFIPS": "NO", "SUITEB": ("NONE",), "SSLRKEYC": 0, "SSLCRLNL": "", "SSLCRYP": ""}


@pytest.mark.parametrize(
    ("attributes", "named"),
    [
        ({"SSLCRLNL": "REVOKED"}, "SSLCRLNL(REVOKED)"),
        ({"SSLCRYP": "GSK_PKCS11=x;secret"}, "SSLCRYP"),
        ({"SSLFIPS": "YES"}, "SSLFIPS(YES)"),
        ({"SUITEB": ("128_BIT", "192_BIT")}, "SUITEB(128_BIT,192_BIT)"),
        ({"SSLRKEYC": 1}, "SSLRKEYC(1)"),
    ],
)
def test_an_attribute_of_the_queue_manager(attributes: dict[str, Any], named: str) -> None:
    manager = Row("EARTH", {**DEFAULTS, **attributes})
    fault = unsupported(Row("A", {"SSLCIPH": "ANY_TLS12"}), manager)
    assert fault is not None
    assert (fault.amq, fault.status, fault.qualifier) == (
        "AMQ5546",
        StatusCode.CIPHER_SPEC,
        MQRQ.SSL_CIPHER_SPEC_ERROR,
    )
    text = operator_message(fault.amq, fault.inserts).text
    assert f"channel A cannot use TLS: {named}" in text
    assert "secret" not in text
    assert unsupported(Row("A", {}), manager) is None


@pytest.mark.parametrize("cipher", ["RC4_MD5_US", "UNKNOWN"])
def test_a_cipher_spec_that_was_kept_by_an_older_release(cipher: str) -> None:
    fault = unsupported(Row("A", {"SSLCIPH": cipher}), Row("EARTH", DEFAULTS))
    assert fault is not None
    assert cipher in str(fault.inserts[1])


@pytest.mark.parametrize("cipher", ["", "ANY", "TLS_AES_128_GCM_SHA256"])
def test_what_is_built(cipher: str) -> None:
    assert unsupported(Row("A", {"SSLCIPH": cipher}), Row("EARTH", DEFAULTS)) is None
