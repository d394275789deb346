"""Start parameters of the registry, and secrets among them."""

from __future__ import annotations

import sys

import pytest

from mqbridge.bridge.everyplace import ciphers
from mqbridge.bridge.everyplace.security.start_parameters import (
    RegistryKind,
    RegistryParameters,
    check_file,
    take_registry,
)
from mqbridge.protocol.everyplace.errors import Code, EveryplaceError
from mqbridge.protocol.everyplace.fields import Fields
from mqbridge.protocol.everyplace.text import read_ini, to_text


def parameters(*lines: str) -> Fields:
    return read_ini("[QueueManager]\r\n(ascii)Name=MOON\r\n[Registry]\r\n" + "\r\n".join(lines) + "\r\n")


@pytest.mark.spec("E-225", "E-226", "E-227")
def test_the_pin_is_taken_out_of_the_parameters() -> None:
    given = parameters(
        "(ascii)LocalRegType=PrivateRegistry",
        "(ascii)DirName=/var/moon",
        "(ascii)PIN=horse1",
        "(ascii)RegistryAdapter=files",
    )
    found = take_registry(given)
    assert found == RegistryParameters(RegistryKind.PRIVATE, "/var/moon", "+", "files", "horse1")
    assert "horse1" not in to_text(given)
    assert "horse1" not in repr(found)
    assert given.get("Registry").get("DirName") == "/var/moon"
    assert given.get("QueueManager").get("Name") == "MOON"


@pytest.mark.spec("E-225", "E-226")
@pytest.mark.parametrize("kind", ["file", "FileRegistry", "com.ibm.mqe.registry.MQeFileSession"])
def test_a_file_registry_and_the_separator(kind: str) -> None:
    found = take_registry(parameters(f"(ascii)LocalRegType={kind}", "(ascii)Separator=-"))
    assert (found.kind, found.separator) == (RegistryKind.FILE, "-")
    assert take_registry(Fields()) == RegistryParameters()


@pytest.mark.spec("E-226", "E-227", "E-571")
@pytest.mark.parametrize("name", ["CAIPAddrPort", "CertReqPIN", "KeyRingPassword"])
def test_secrets_of_ibms_are_refused_with_what_to_use_and_are_gone(name: str) -> None:
    given = parameters(f"(ascii){name}=secret1", "(ascii)PIN=horse1")
    with pytest.raises(EveryplaceError) as caught:
        take_registry(given)
    assert caught.value.code is Code.NOT_SUPPORTED
    assert name in caught.value.text
    assert "secret1" not in caught.value.text
    for secret in ("secret1", "horse1"):
        assert secret not in to_text(given)


@pytest.mark.parametrize(
    "line", ["(ascii)LocalRegType=cloud", "(ascii)Separator=++", "(ascii)LocalRegType=private", "(int)PIN=7"]
)
def test_values_that_are_none_are_refused(line: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        take_registry(parameters(line))
    assert caught.value.code in (Code.SYNTAX, Code.TYPE)


@pytest.mark.spec("E-228")
@pytest.mark.parametrize("name", ["PIN", "CAIPAddrPort", "CertReqPIN", "KeyRingPassword"])
def test_secrets_never_belong_in_files(name: str) -> None:
    with pytest.raises(EveryplaceError) as caught:
        check_file(parameters(f"(ascii){name}=secret1"))
    assert caught.value.code is Code.NOT_ALLOWED
    assert "secret1" not in caught.value.text
    check_file(parameters("(ascii)DirName=/var/moon"))
    check_file(Fields())


@pytest.mark.spec("E-447")
def test_without_the_package_there_is_no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.partition(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert ciphers.library() is None
