"""Platforms, mq-wire.md 9.17."""

from __future__ import annotations

from .base import MQInt


class MQPL(MQInt):
    """Platform of a queue manager, mq-wire.md 9.17."""

    ZOS = 1
    MVS = 1
    OS390 = 1
    OS2 = 2
    UNIX = 3
    AIX = 3
    OS400 = 4
    WINDOWS = 5
    WINDOWS_NT = 11
    NATIVE = 11
    VMS = 12
    NSS = 13
    NSK = 13
    OPEN_TP1 = 15
    VM = 18
    TPF = 23
    VSE = 27
    APPLIANCE = 28
