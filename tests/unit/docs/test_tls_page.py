"""The commands of the page about TLS are run, one after the other, against the sample queue managers."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12

from mqbridge.bridge.cli import cli
from mqbridge.bridge.cli.certificate import command as certificate
from support.processes.running_service import MakeService
from support.tls.authority import Authority

HOME = Path(__file__).parents[3]
PAGE = (HOME / "docs" / "tls.md").read_text(encoding="utf-8")
PASSWORD = "secret"


def commands() -> list[str]:
    blocks = re.findall(r"^```\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def answer_of_an_authority(folder: Path) -> None:
    """What an authority sends back for ``earth.csr``: ``ca.pem`` and ``earth.pem``; and ``key.p12``, from elsewhere."""
    authority = Authority("O=Example,CN=CA")
    authority.trust_file(folder / "ca.pem")
    request = x509.load_pem_x509_csr((folder / "earth.csr").read_bytes())
    (folder / "earth.pem").write_bytes(authority.sign(request))
    issued = authority.issue("O=Space,CN=EARTH")
    encryption = serialization.BestAvailableEncryption(PASSWORD.encode())
    content = pkcs12.serialize_key_and_certificates(b"key", issued.key, issued.certificate, None, encryption)
    (folder / "key.p12").write_bytes(content)


def run(line: str) -> tuple[int, str]:
    """Run a line of the page; return its status and what it shows. Programs that are not installed are left out."""
    program, *arguments = shlex.split(line)
    if program == "mqbridge":
        result = CliRunner().invoke(cli, arguments, input=f"{PASSWORD}\n", prog_name="mqbridge")
        return result.exit_code, result.output
    if shutil.which(program) is None:
        return 0, ""
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.slow
def test_the_commands_do_what_the_page_says(
    make_service: MakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = HOME / "examples"
    saturn = make_service("SATURN", mqsc=(samples / "saturn.mqsc").read_text(encoding="utf-8"))
    script = (samples / "earth.mqsc").read_text(encoding="utf-8")
    earth = make_service("EARTH", mqsc=script.replace("127.0.0.1(1415)", f"127.0.0.1({saturn.port})"))
    (tmp_path / "mqbridge-data").mkdir()
    for each in (earth, saturn):
        (tmp_path / "mqbridge-data" / each.name).symlink_to(each.data)
    monkeypatch.chdir(tmp_path)
    for name in ("MQBRIDGE_CONFIG", "MQSERVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MQBRIDGE_DATA", "mqbridge-data/EARTH")
    outputs = {}
    for line in commands():
        if line.endswith("trust ca.pem"):
            answer_of_an_authority(tmp_path)
        status, shown = run(line.replace("127.0.0.1:1414", f"127.0.0.1:{earth.port}"))
        nothing_runs = line.startswith("mqbridge mqsc -e 'DISPLAY CHSTATUS(*)") and "AMQ8420" in shown
        checked = line == "mqbridge check" and status == 1
        assert status == 0 or nothing_runs or checked, f"{line}\n{shown}\n{earth.log}"
        outputs[line] = shown
    created = next(shown for line, shown in outputs.items() if line.endswith("certificate create --own-authority"))
    assert created.split("until")[0] == "ibmwebspheremqearth  CN=EARTH, "
    assert created.endswith("clients and partners trust mqbridge-data/EARTH/ssl/authority.pem\n")
    status = next(shown for line, shown in outputs.items() if "CHSTATUS(EARTH.TO.SATURN)" in line)
    assert "SECPROT(TLSV13)" in status
    assert re.search(r"SSLPEER\(SERIALNUMBER=[0-9A-F:]+,CN=SATURN\)", status)
    assert any(shown.startswith("one pear") for shown in outputs.values())


def test_every_command_is_on_the_page() -> None:
    assert isinstance(certificate.commands, dict)
    for name in certificate.commands:
        assert re.search(rf"`{name}\b", PAGE), name
        assert f"mqbridge certificate {name}" in PAGE or name in ("untrust", "export"), name
