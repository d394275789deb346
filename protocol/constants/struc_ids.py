"""Structure identifiers, mq-wire.md 9.22: four characters in ASCII or, from an EBCDIC sender, in EBCDIC."""

from __future__ import annotations

from typing import Self

from .base import MQText


class StrucId(MQText):
    """Identifier of a structure, four characters, blanks included (mq-wire.md 9.22, client-observed.md 6.1)."""

    TSH = "TSH "
    TSHC = "TSHC"
    TSHM = "TSHM"
    ID = "ID  "
    UID = "UID "
    CAUT = "CAUT"
    MSH = "MSH "
    XQH = "XQH "
    MD = "MD  "
    MDE = "MDE "
    OD = "OD  "
    PMO = "PMO "
    GMO = "GMO "
    FCNO = "FCNO"
    FOPA = "FOPA"
    FCMI = "FCMI"
    LPOO = "LPOO"
    SPQU = "SPQU"
    SPQI = "SPQI"
    SPQO = "SPQO"
    SPPU = "SPPU"
    SPPI = "SPPI"
    SPPO = "SPPO"
    SPGU = "SPGU"
    SPGI = "SPGI"
    SPGO = "SPGO"
    SPAU = "SPAU"
    SPAI = "SPAI"
    SPAO = "SPAO"
    SPRU = "SPRU"
    SPRI = "SPRI"
    SPRO = "SPRO"
    SPNU = "SPNU"
    SPNI = "SPNI"
    SPNO = "SPNO"
    SPBU = "SPBU"
    SPBI = "SPBI"
    SPBO = "SPBO"
    SPOU = "SPOU"
    SPOI = "SPOI"
    SPOO = "SPOO"
    DLH = "DLH "
    DH = "DH  "
    RFH = "RFH "
    CIH = "CIH "
    IIH = "IIH "
    WIH = "WIH "
    RMH = "RMH "
    TM = "TM  "
    TMC = "TMC "
    TMC2 = "TMC2"
    CNO = "CNO "
    CSP = "CSP "
    SD = "SD  "
    LSD = "LSD "
    SRO = "SRO "
    STAT = "STAT"

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        padded = value.ljust(4) if isinstance(value, str) else value
        known = cls._value2member_map_.get(padded)
        return known if known is not None else super()._missing_(value)  # type: ignore[return-value]

    @property
    def ascii(self) -> bytes:
        """Return the four bytes in ASCII."""
        return self._value_.ljust(4).encode("ascii")

    @property
    def ebcdic(self) -> bytes:
        """Return the four bytes in EBCDIC; the same in every EBCDIC code page."""
        return self._value_.ljust(4).encode("cp500")


STRUC_IDS: dict[bytes, tuple[StrucId, bool]] = {
    **{struc_id.ascii: (struc_id, False) for struc_id in StrucId},
    **{struc_id.ebcdic: (struc_id, True) for struc_id in StrucId},
}
"""Identifier, and whether it is in EBCDIC, by the first four bytes of a structure."""
