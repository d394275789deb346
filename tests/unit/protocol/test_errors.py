from __future__ import annotations

import pickle

import pytest

from mqbridge.protocol.errors import (
    ConversionError,
    FramingError,
    LocalProtocolError,
    MQBridgeError,
    ProtocolError,
    StructureError,
)


def test_one_base_for_every_error() -> None:
    for kind in (ProtocolError, LocalProtocolError, FramingError, StructureError, ConversionError):
        assert issubclass(kind, MQBridgeError)
    assert issubclass(StructureError, ProtocolError)
    assert issubclass(FramingError, ProtocolError)


@pytest.mark.spec("mq-wire.md 5.14")
def test_a_protocol_error_says_what_the_partner_is_told() -> None:
    plain = ProtocolError("segment type 0x7F is unknown", status=0x0A)
    assert (plain.status, plain.amq, plain.closes) == (0x0A, "AMQ9504", True)
    assert FramingError("too long").status == 0x0B
    quiet = ProtocolError("left", amq="AMQ9209", closes=False)
    assert (quiet.amq, quiet.closes) == ("AMQ9209", False)
    assert ProtocolError("another").amq == "AMQ9504"


def test_a_structure_error_says_where() -> None:
    error = StructureError("RFH2", 32, "folder length 5 passes the end")
    assert str(error) == "RFH2 at offset 32: folder length 5 passes the end"
    assert (error.structure, error.offset, error.reason) == ("RFH2", 32, "folder length 5 passes the end")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error)
    assert again.status == error.status
