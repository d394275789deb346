"""Packages that load their modules when a name is asked for: whoever needs one module does not wait for the others."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("mqbridge.captures", "mqbridge.protocol.channel", "mqbridge.protocol.mqi")
NOT_FOR_AN_ANALYSIS = (
    *(f"{package}.names" for package in PACKAGES),
    "mqbridge.captures.reading.decryption",
    "mqbridge.captures.recording.recorder",
    "ebcdic",
    "mqbridge.protocol.constants.administration",
    "mqbridge.protocol.channel.sender",
    "mqbridge.protocol.channel.parameters",
    "mqbridge.protocol.mqi.calls",
    "mqbridge.protocol.mqi.connection",
    "subprocess",
)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_is_there(package: str) -> None:
    module, names = import_module(package), import_module(f"{package}.names")
    assert names.__all__ == sorted(names.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in names.__all__:
        assert getattr(module, name) is getattr(names, name)
    assert {*names.__all__, "__doc__"} <= set(dir(module))
    with pytest.raises(AttributeError, match="no_such_name"):
        module.no_such_name  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_all_names_are_imported_at_once(package: str) -> None:
    found: dict[str, object] = {}
    exec(f"from {package} import *", found)
    assert set(import_module(f"{package}.names").__all__) <= set(found)


def test_an_analysis_loads_no_machines() -> None:
    program = "import mqbridge.captures.analysis, sys; from mqbridge.captures import rules; "
    program += "rules.load(); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert "mqbridge.protocol.channel.states" in run.stdout.split()
    assert set(NOT_FOR_AN_ANALYSIS).isdisjoint(run.stdout.split())


def test_a_package_and_its_modules_come_in_any_order() -> None:
    program = "from mqbridge.protocol.mqi import states; from mqbridge.captures import streams, Recorder; "
    program += "import mqbridge.protocol.channel as c; "
    program += "from mqbridge.protocol.channel import sender; "
    program += "print(states.__name__, Recorder.__name__, c.SenderChannel.__name__)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split() == ["mqbridge.protocol.mqi.states", "Recorder", "SenderChannel"]


def test_codecs_of_ebcdic_are_found_without_being_loaded() -> None:
    program = "import mqbridge.protocol.text, sys; assert 'ebcdic' not in sys.modules; "
    program += "from mqbridge.protocol.text import decode_text; "
    program += "print(decode_text(b'\\xc1\\x4a', 1047), b'\\xc1'.decode('cp1148'), 'ebcdic' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split() == ["A¢", "A", "True"]
    with pytest.raises(LookupError):
        b"x".decode("cp99999")
