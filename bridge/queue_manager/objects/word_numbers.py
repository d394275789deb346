"""Numbers outside MQSC of words that several attributes and displays have (channels.md 17.3 and 17.4).

The first word of a list is the default of an attribute that names no other.
"""

from __future__ import annotations

from mqbridge.protocol.constants import MQEVR, MQMON, MQOT, MQPER, MQPROP, MQPRT, MQXPT

from .attributes import Numbers

NO_YES: Numbers = {"NO": 0, "YES": 1}
YES_NO: Numbers = {"YES": 1, "NO": 0}
OFF_ON: Numbers = {"OFF": 0, "ON": 1}
DISABLED_ENABLED: Numbers = {"DISABLED": MQEVR.DISABLED, "ENABLED": MQEVR.ENABLED}
ENABLED_DISABLED: Numbers = {"ENABLED": MQEVR.ENABLED, "DISABLED": MQEVR.DISABLED}
EXCEPTIONS: Numbers = {**DISABLED_ENABLED, "EXCEPTION": MQEVR.EXCEPTION}
LEVELS: Numbers = {
    "QMGR": MQMON.Q_MGR,
    "OFF": MQMON.OFF,
    "LOW": MQMON.LOW,
    "MEDIUM": MQMON.MEDIUM,
    "HIGH": MQMON.HIGH,
    "NONE": MQMON.NONE,
}
SWITCHES: Numbers = {"QMGR": MQMON.Q_MGR, "OFF": MQMON.OFF, "ON": MQMON.ON, "NONE": MQMON.NONE}
"""Monitoring and statistics, by level or not; what an attribute may have of them varies."""
PERSISTENCE: Numbers = {"NO": MQPER.NOT_PERSISTENT, "YES": MQPER.PERSISTENT}
RESPONSES: Numbers = {"SYNC": MQPRT.SYNC_RESPONSE, "ASYNC": MQPRT.ASYNC_RESPONSE}
PROPERTY_CONTROL: Numbers = {
    "COMPAT": MQPROP.COMPATIBILITY,
    "NONE": MQPROP.NONE,
    "ALL": MQPROP.ALL,
    "FORCE": MQPROP.FORCE_MQRFH2,
    "V6COMPAT": MQPROP.V6COMPAT,
}
IMAGE_RECOVERY: Numbers = {"QMGR": 2, "YES": 1, "NO": 0}
TRANSPORTS: Numbers = {word: MQXPT[word] for word in ("LU62", "TCP", "NETBIOS", "SPX", "UDP", "ALL")}
CONTROL: Numbers = {"MANUAL": 2, "QMGR": 0, "STARTONLY": 1}
CLIENT_CHECKS: Numbers = {"OPTIONAL": 0, "NONE": 1, "REQUIRED": 3, "REQDADM": 2, "ASQMGR": 4}
"""MQCHK: whose passwords are asked for. ASQMGR: NONE while every listener is on a loopback address, else REQUIRED."""
ENTITIES: Numbers = {"PRINCIPAL": 1, "GROUP": 2}
OBJECT_TYPES: Numbers = {
    "AUTHINFO": MQOT.AUTH_INFO,
    "CHANNEL": MQOT.CHANNEL,
    "CLNTCONN": MQOT.CLNTCONN_CHANNEL,
    "COMMINFO": MQOT.COMM_INFO,
    "LISTENER": MQOT.LISTENER,
    "NAMELIST": MQOT.NAMELIST,
    "PROCESS": MQOT.PROCESS,
    "QMGR": MQOT.Q_MGR,
    "QUEUE": MQOT.Q,
    "RQMNAME": MQOT.REMOTE_Q_MGR_NAME,
    "SERVICE": MQOT.SERVICE,
    "TOPIC": MQOT.TOPIC,
    "ALL": MQOT.ALL,
}
