"""Format names of message data (MQFMT), mq-wire.md 9.3."""

from __future__ import annotations

from .base import MQText


class MQFMT(MQText):
    """Format name of message data, without padding to eight characters."""

    NONE = ""
    ADMIN = "MQADMIN"
    AMQP = "MQAMQP"
    CHANNEL_COMPLETED = "MQCHCOM"
    CICS = "MQCICS"
    COMMAND_1 = "MQCMD1"
    COMMAND_2 = "MQCMD2"
    DEAD_LETTER_HEADER = "MQDEAD"
    DIST_HEADER = "MQHDIST"
    EMBEDDED_PCF = "MQHEPCF"
    EVENT = "MQEVENT"
    IMS = "MQIMS"
    IMS_VAR_STRING = "MQIMSVS"
    MD_EXTENSION = "MQHMDE"
    PCF = "MQPCF"
    REF_MSG_HEADER = "MQHREF"
    RF_HEADER = "MQHRF"
    RF_HEADER_1 = "MQHRF"
    RF_HEADER_2 = "MQHRF2"
    STRING = "MQSTR"
    TRIGGER = "MQTRIG"
    WORK_INFO_HEADER = "MQHWIH"
    XMIT_Q_HEADER = "MQXMIT"
