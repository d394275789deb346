"""Application types, types of accounting token, and platforms, mq-wire.md 9.12 and 9.17."""

from __future__ import annotations

from .base import MQInt


class MQAT(MQInt):
    """Application type, mq-wire.md 9.12."""

    NO_CONTEXT = 0
    CICS = 1
    ZOS = 2
    MVS = 2
    OS390 = 2
    IMS = 3
    OS2 = 4
    DOS = 5
    UNIX = 6
    AIX = 6
    QMGR = 7
    OS400 = 8
    WINDOWS = 9
    CICS_VSE = 10
    WINDOWS_NT = 11
    DEFAULT = 11
    VMS = 12
    NSK = 13
    GUARDIAN = 13
    VOS = 14
    OPEN_TP1 = 15
    VM = 18
    IMS_BRIDGE = 19
    XCF = 20
    CICS_BRIDGE = 21
    NOTES_AGENT = 22
    TPF = 23
    USER = 25
    QMGR_PUBLISH = 26
    BROKER = 26
    JAVA = 28
    DQM = 29
    CHANNEL_INITIATOR = 30
    WLM = 31
    BATCH = 32
    RRS_BATCH = 33
    SIB = 34
    SYSTEM_EXTENSION = 35
    MCAST_PUBLISH = 36
    AMQP = 37
    USER_FIRST = 65536
    USER_LAST = 999999999
    UNKNOWN = -1


class MQACTT(MQInt):
    """Last byte of an accounting token: what the token is, mq-wire.md 9.12."""

    UNKNOWN = 0x00
    CICS_LUOW_ID = 0x01
    OS2_DEFAULT = 0x04
    DOS_DEFAULT = 0x05
    UNIX_NUMERIC_ID = 0x06
    OS400_ACCOUNT_TOKEN = 0x08
    WINDOWS_DEFAULT = 0x09
    NT_SECURITY_ID = 0x0B
    AZUREAD_SECURITY_ID = 0x0C
    MS_ACC_AUTH_SECURITY_ID = 0x0D
    USER = 0x19


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
