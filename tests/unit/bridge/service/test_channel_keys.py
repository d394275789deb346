"""Where the keys of channels come from, and when they are read again."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path

import pytest

from mqbridge.bridge.config.settings import TlsSettings
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.queue_manager.objects import Kind
from mqbridge.bridge.security.tls import ENABLED, TlsOffer
from mqbridge.bridge.service.errors import WRONG_CONFIGURATION, StartError
from mqbridge.bridge.tls import TlsError
from support.processes.running_service import MakeService
from support.tls.authority import Authority
from support.tls.keys_of_channels import keys_of
from support.tls.sessions import join, offer, repository


@pytest.mark.spec("tls.md T-05")
@pytest.mark.parametrize(
    ("attributes", "folder", "label"),
    [
        ({}, "ssl", "ibmwebspheremqearth"),
        ({"SSLKEYR": "keys", "CERTLABL": "mine"}, "keys", "mine"),
        ({"SSLKEYR": "/etc/keys"}, "/etc/keys", "ibmwebspheremqearth"),
    ],
)
def test_the_repository_and_the_label_are_those_of_the_queue_manager(
    tmp_path: Path, attributes: dict[str, str], folder: str, label: str
) -> None:
    keys, _ = keys_of(tmp_path, **attributes)
    assert (keys.folder, keys.label) == (tmp_path / folder, label)


@pytest.mark.spec("tls.md T-10")
def test_another_repository_and_label_count_after_refresh_security(tmp_path: Path) -> None:
    authority = Authority()
    for place, label in (("ssl", "ibmwebspheremqearth"), ("new", "mine")):
        authority.issue(f"CN={label}", curve=True).save(tmp_path / place / f"{label}.pem")
    keys, objects = keys_of(tmp_path)
    assert keys.contexts.certificate().label == "ibmwebspheremqearth"
    objects.alter(Kind.QMGR, "EARTH", {"SSLKEYR": str(tmp_path / "new"), "CERTLABL": "mine"}, 1.0)
    assert keys.contexts.certificate().label == "ibmwebspheremqearth"
    keys.refresh()
    assert keys.contexts.certificate().label == "mine"
    objects.alter(Kind.QMGR, "EARTH", {"SSLKEYR": str(tmp_path / "nowhere")}, 2.0)
    with pytest.raises(ControlError) as caught:
        keys.refresh()
    assert caught.value.amq == "AMQ9657"
    assert keys.contexts.certificate().label == "mine", "all stays as it was"


@pytest.mark.spec("tls.md T-10")
def test_a_label_can_be_named_before_there_is_a_certificate(tmp_path: Path) -> None:
    keys, objects = keys_of(tmp_path)
    objects.alter(Kind.QMGR, "EARTH", {"CERTLABL": "mine"}, 1.0)
    keys.refresh()
    Authority().issue("CN=mine", curve=True).save(tmp_path / "ssl" / "mine.pem")
    assert keys.contexts.certificate().label == "mine"


def test_scripts_of_the_start_name_the_repository(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service(start=False, mqsc="ALTER QMGR SSLKEYR('keys') CERTLABL(mine)\n")
    Authority().issue("CN=mine", curve=True).save(service.data / "keys" / "mine.pem")
    service.start()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", service.port), 30) as plain, context.wrap_socket(plain) as inside:
        assert inside.version() == "TLSv1.3"


def test_without_a_key_repository_only_who_asks_for_tls_is_told(tmp_path: Path) -> None:
    keys, _ = keys_of(tmp_path)
    keys.refresh()
    with pytest.raises(TlsError, match="mqbridge certificate create"):
        keys.contexts.call(TlsOffer(ENABLED))


def test_a_file_for_session_keys_that_cannot_be_written_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(StartError) as caught:
        keys_of(tmp_path, TlsSettings(key_log=tmp_path / "none" / "keys.log"))
    assert caught.value.status == WRONG_CONFIGURATION
    assert "key_log" in str(caught.value)


@pytest.mark.parametrize(("crl", "refused"), [("optional", False), ("required", True)])
def test_issuers_without_a_revocation_list_are_refused_where_lists_are_required(
    tmp_path: Path, crl: str, refused: bool
) -> None:
    authority = Authority()
    here = repository(tmp_path / "ssl", authority, "ibmwebspheremqearth")
    keys, _ = keys_of(tmp_path, TlsSettings(crl=crl))
    partner = repository(tmp_path / "partner", authority, "partner")
    errors = join(keys.contexts.call(offer()), partner.answer(lambda _: offer()))
    assert ("client" in errors) is refused
    assert not refused or "has no revocation list" in str(errors["client"])
    del here


def test_each_start_warns_of_the_file_of_session_keys(make_service: MakeService, tmp_path: Path) -> None:
    file = tmp_path / "qm.toml"
    file.write_text('[tls]\nkey_log = "keys.log"\n', encoding="utf-8")
    service = make_service(options=("--config", str(file)))
    (line,) = [line for line in service.log.splitlines() if "AMQ5055W" in line]
    assert str(tmp_path / "keys.log") in line
    assert (tmp_path / "keys.log").stat().st_mode & 0o077 == 0
