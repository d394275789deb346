"""EARTH and SATURN, whose channel is inside TLS."""

from __future__ import annotations

from mqbridge.bridge.security.tls import PeerCertificate
from support.gateway.stage import Stage, Station, earth_and_saturn

CHANNEL = "EARTH.SATURN"
ANY, FIXED = "SSLCIPH(ANY_TLS12_OR_HIGHER)", "SSLCIPH(ECDHE_RSA_AES_128_GCM_SHA256)"


def pair(sender: str = ANY, receiver: str = ANY, **sides: PeerCertificate | None) -> tuple[Stage, Station, Station]:
    """EARTH and SATURN, whose channel has been started. ``earth``, ``saturn``: their certificates, if not the usual."""
    stage, earth, saturn = earth_and_saturn(sender, receiver, start=False)
    for station in (earth, saturn):
        station.types("ALTER QMGR SSLEV(ENABLED)")
        if station.name.lower() in sides:
            station.certificate = sides[station.name.lower()]
    earth.types(f"START CHANNEL({CHANNEL})")
    stage.wait_until(lambda: earth.status(CHANNEL) not in ("BINDING", "STARTING", "INITIALIZING"))
    return stage, earth, saturn
