"""Attributes of queues and channels of Everyplace, and the rules that compare them."""

from __future__ import annotations

import pytest

from mqbridge.bridge.everyplace.definitions import queue_properties as rows
from mqbridge.bridge.everyplace.definitions.connection_definition import ConnectionDefinition
from mqbridge.bridge.everyplace.definitions.queue_definition import QueueDefinition
from mqbridge.bridge.everyplace.definitions.queue_kinds import QueueKind
from mqbridge.bridge.everyplace.security.attribute_rules import (
    DefaultRule,
    StrictRule,
    Verdict,
    decide,
    require,
    rule_name,
    same_rule,
)
from mqbridge.bridge.everyplace.security.attributes import Attribute, attribute_of, check_connection, check_known
from mqbridge.bridge.everyplace.security.security import rule_of
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.names import Address

TLS_KEY = Attribute("key", "tls", "zlib-stream", "EARTH")
PLAIN = Attribute("none", "", "", "EARTH")


def queue(**values: str) -> QueueDefinition:
    found = QueueDefinition(QueueKind.LOCAL, Address("ORDERS", "EARTH"))
    for name, value in values.items():
        found.set(getattr(rows, name), value)
    return found


@pytest.mark.spec("E-441", "E-249")
def test_an_attribute_bundles_what_a_queue_demands() -> None:
    found = attribute_of(queue(AUTHENTICATOR="key", CRYPTOR="aes-gcm", COMPRESSOR="zlib"))
    assert found == Attribute("key", "aes-gcm", "zlib", "EARTH")
    assert str(found) == "key, aes-gcm, zlib"
    assert attribute_of(queue()) == Attribute(target="EARTH")
    assert str(Attribute()) == "no protection"


@pytest.mark.spec("E-258", "E-442")
@pytest.mark.parametrize(
    ("channel", "wanted", "verdict"),
    [
        (PLAIN, Attribute(), Verdict.REUSE),
        (TLS_KEY, Attribute(), Verdict.REUSE),
        (TLS_KEY, Attribute("key", "aes-gcm", "zlib"), Verdict.REUSE),
        (TLS_KEY, Attribute("none"), Verdict.REUSE),
        (Attribute("certificate", "tls"), Attribute("key"), Verdict.REUSE),
        (TLS_KEY, Attribute("certificate"), Verdict.UPGRADE),
        (PLAIN, Attribute("key"), Verdict.UPGRADE),
        (PLAIN, Attribute(compressor="zlib"), Verdict.UPGRADE),
        (PLAIN, Attribute(cryptor="aes-gcm"), Verdict.REFUSE),
        (TLS_KEY, Attribute("certificate", target="MARS"), Verdict.REFUSE),
        (TLS_KEY, Attribute("retina"), Verdict.UPGRADE),
        (Attribute("retina"), Attribute("retina"), Verdict.REUSE),
        (Attribute("retina"), Attribute("iris"), Verdict.UPGRADE),
    ],
)
def test_a_channel_is_reused_upgraded_or_refused(channel: Attribute, wanted: Attribute, verdict: Verdict) -> None:
    found = decide(DefaultRule(), channel, wanted)
    assert found.verdict is verdict
    if verdict is Verdict.UPGRADE:
        assert DefaultRule().satisfies(found.attribute, wanted)
        assert found.attribute.cryptor == channel.cryptor
    else:
        assert found.attribute == channel


@pytest.mark.spec("E-258")
def test_the_strict_rule_takes_exactly_what_is_wanted_and_upgrades_nothing() -> None:
    rule = StrictRule()
    assert decide(rule, TLS_KEY, Attribute("key", "aes-gcm", "zlib-stream")).verdict is Verdict.REUSE
    assert decide(rule, TLS_KEY, Attribute("key")).verdict is Verdict.REFUSE
    assert decide(rule, PLAIN, Attribute("key")).verdict is Verdict.REFUSE


@pytest.mark.spec("E-443")
def test_a_channel_that_is_not_enough_is_named_in_the_refusal() -> None:
    require(DefaultRule(), TLS_KEY, Attribute("key"), "queue ORDERS@EARTH")
    with pytest.raises(EveryplaceError) as caught:
        require(DefaultRule(), PLAIN, Attribute("key", "aes-gcm"), "queue ORDERS@EARTH")
    assert caught.value.code is Code.CHNL_ATTRIBUTES
    assert caught.value.text == "queue ORDERS@EARTH demands key, aes-gcm; the channel gives none"


@pytest.mark.spec("E-257")
def test_ibms_sample_rule_and_its_default_class_are_the_default_rule() -> None:
    for name in ("", "default", "com.ibm.mqe.MQeAttributeRule", "examples.rules.AttributeRule"):
        assert same_rule(name, "default")
        assert rule_name(name) == "default"
        assert isinstance(rule_of(queue(ATTRIBUTE_RULE=name)), DefaultRule)
    assert not same_rule("strict", "")
    assert same_rule("strict", "strict")
    assert isinstance(rule_of(queue(ATTRIBUTE_RULE="strict")), StrictRule)
    assert isinstance(rule_of(queue(ATTRIBUTE_RULE="not.registered")), DefaultRule)


@pytest.mark.spec("E-447", "E-571")
@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("com.ibm.mqe.attributes.MQeXORCryptor", "tls"),
        ("com.ibm.mqe.attributes.MQe3DESCryptor", "aes-gcm"),
        ("rle", "zlib-stream"),
        ("MQeLZWCompressor", "zlib"),
        ("rot13", "there are: aes-gcm"),
    ],
)
def test_what_protects_nothing_is_refused_with_what_to_use(name: str, instead: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        check_known("cryptor", name, ("aes-gcm",))
    assert caught.value.code is Code.NOT_SUPPORTED
    assert instead in caught.value.text
    check_known("cryptor", "", ("aes-gcm",))
    check_known("cryptor", "aes-gcm", ("aes-gcm",))


@pytest.mark.spec("E-249", "E-447")
@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"cryptor": "com.ibm.mqe.attributes.MQeXORCryptor"}, Code.NOT_SUPPORTED),
        ({"cryptor": "aes-gcm"}, Code.NOT_SUPPORTED),
        ({"compressor": "com.ibm.mqe.attributes.MQeRleCompressor"}, Code.NOT_SUPPORTED),
        ({"authenticator": "com.ibm.mqe.attributes.MQeWTLSCertAuthenticator"}, Code.NOT_SUPPORTED),
        ({"cryptor": "tls"}, Code.CHNL_ATTRIBUTES),
    ],
)
def test_connections_with_attributes_that_they_cannot_give_are_refused(values: dict[str, str], code: Code) -> None:
    with pytest.raises(EveryplaceError) as caught:
        check_connection(ConnectionDefinition("EARTH", "tcp", "earth:8081", **values))
    assert caught.value.code is code


@pytest.mark.spec("E-249")
def test_each_attribute_of_a_connection_may_be_missing() -> None:
    check_connection(ConnectionDefinition("EARTH", "tcp", "earth:8081"))
    check_connection(ConnectionDefinition("EARTH", "tls", "earth:8081", cryptor="tls", compressor="zlib-stream"))
    check_connection(ConnectionDefinition("EARTH", "tcp", "earth:8081", authenticator="key"))
