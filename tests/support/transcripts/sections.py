"""Which observations each recorded conversation shows: playing it to our server proves them (client-observed.md)."""

from __future__ import annotations

from collections import defaultdict

SHOWN_BY: dict[str, str] = {
    "O-001": "connect-basic jms-meta jakarta-produce",
    "O-002": "connect-ccsid-437 connect-ccsid-500 connect-ccsid-1208 connect-bigendian",
    "O-003": "connect-basic connect-limits",
    "O-003a": "connect-one-round connect-one-round-mt",
    "O-004": "connect-sharecnv-0",
    "O-005": "connect-sharecnv-1",
    "O-006": "connect-fap-4 connect-fap-6 connect-fap-8 connect-fap-9 connect-fap-16 mqi-fap8-open-fails",
    "O-007": "auth-mqcsp",
    "O-008": "connect-basic auth-compat auth-compat-other-user",
    "O-010": "connect-basic connect-ccsid-500",
    "O-011": "jms-produce reconnect-get",
    "O-012": "compress-refused",
    "O-014": "connect-star-qmgr connect-blank-qmgr",
    "O-015": "connect-basic jms-produce jakarta-produce",
    "O-016": "mqi-putget",
    "O-018": "jms-sharecnv0-consume jms-sharecnv0-selector jms-sharecnv0-temp jms-sharecnv0-tx",
    "O-025": "auth-mqcsp auth-mqcsp-fap",
    "O-040": "jms-sessions",
    "O-042": "connect-basic jms-sessions",
    "O-043": "jms-sessions jms-listen",
    "O-050": "connect-limits",
    "O-052": "mqi-putget jms-selector",
    "O-055": "mqi-putget jms-durable pcf",
    "O-056": "connect-basic",
    "O-057": "mqi-putget",
    "O-058": "mqi-putget",
    "O-059": "mqi-large",
    "O-060": "mqi-inq",
    "O-062": "mqi-props",
    "O-063": "mqi-async",
    "O-064": "mqi-uow",
    "O-066": "mqi-async",
    "O-067": "mqi-async",
    "O-068": "mqi-topic",
    "O-069": "mqi-topic",
    "O-070": "jms-topic jms-durable jms-shared",
    "O-071": "jms-delay",
    "O-081": "mqi-putget jms-consume",
    "O-083": "mqi-readahead jms-listen",
    "O-084": "mqi-match mqi-gmover",
    "O-085": "mqi-readahead jms-readahead-listener",
    "O-086": "mqi-readahead",
    "O-092": "jms-listen",
    "O-093": "jms-listen",
    "O-094": "jms-listen",
    "O-095": "jms-ack jms-tx",
    "O-096": "jms-poison",
    "O-097": "jms-selector",
    "O-098": "jms-browse",
    "O-099": "mqi-convert",
    "O-100": "mqi-large",
    "O-101": "jms-two-listeners",
    "O-102": "jms-readahead-listener",
    "O-103": "jms-put-async",
    "O-110": "jms-xa",
    "O-112": "jms-xa",
    "O-114": "jms-xa-recover",
    "O-115": "jms-xa",
    "O-121": "hb-server",
    "O-122": "hb-sharecnv0",
    "O-130": "reconnect-get reconnect-listen",
    "O-140": "tls-basic",
    "O-150": "pcf",
    "1.1": "connect-fap-4 connect-fap-6 connect-fap-8 connect-fap-9 connect-fap-12 connect-fap-13 connect-fap-14",
    "2.1": "auth-mqcsp auth-mqcsp-fap auth-compat",
    "3": "jms-sessions",
    "5.1": "mqi-sharecnv0-putget mqi-sharecnv0-trunc mqi-sharecnv0-match",
    "6.1": "jms-delay mqi-async jms-topic mqi-putget",
    "7": "hb-server reconnect-get pcf",
    "8": "mqi-putget jms-produce jms-consume jms-browse jms-listen jms-temp jms-topic jms-xa pcf",
}
"""Observation or section → the transcripts that show it, of those in which the recorded server did as it should."""


def sections_of_transcripts() -> dict[str, list[str]]:
    """Transcript → what it shows, as references."""
    found: dict[str, list[str]] = defaultdict(list)
    for section, names in SHOWN_BY.items():
        for name in names.split():
            found[name].append(f"client-observed.md {section}")
    return found
