"""XA flags and return values, mq-wire.md 9.15."""

from __future__ import annotations

from .base import MQFlags, MQInt


class TMFlags(MQFlags):
    """Flags of an XA call, mq-wire.md 9.15. Names read as in the XA specification: ``"TMJOIN"``."""

    NOFLAGS = 0
    JOIN = 0x00200000
    ENDRSCAN = 0x00800000
    STARTRSCAN = 0x01000000
    SUSPEND = 0x02000000
    SUCCESS = 0x04000000
    RESUME = 0x08000000
    FAIL = 0x20000000
    ONEPHASE = 0x40000000

    @classmethod
    def prefix(cls) -> str:
        """``TM``, without underscore."""
        return "TM"


class XAReturn(MQInt):
    """Return value of an XA call, mq-wire.md 9.15. Names read as in the XA specification: ``"XA_RDONLY"``, errors
    ``"XAER_NOTA"``."""

    OK = 0
    RDONLY = 3
    RETRY = 4
    HEURMIX = 5
    HEURRB = 6
    HEURCOM = 7
    HEURHAZ = 8
    NOMIGRATE = 9
    RBROLLBACK = 100
    RBCOMMFAIL = 101
    RBDEADLOCK = 102
    RBINTEGRITY = 103
    RBOTHER = 104
    RBPROTO = 105
    RBTIMEOUT = 106
    RBTRANSIENT = 107
    ASYNC = -2
    RMERR = -3
    NOTA = -4
    INVAL = -5
    PROTO = -6
    RMFAIL = -7
    DUPID = -8
    OUTSIDE = -9

    @classmethod
    def prefix(cls) -> str:
        """``XA_``."""
        return "XA_"

    def __str__(self) -> str:
        return ("XAER_" if self._value_ < 0 and self.known else self.prefix()) + self._name_
