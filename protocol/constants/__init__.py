"""Every named number and short text of the protocol and of the message queue interface, mq-wire.md 9.

One file holds one family; all names are re-exported here, those of :mod:`protocol.constants.administration` when they
are asked for. How the families behave (names shown, unknown values, flag words) is said in
:mod:`protocol.constants.base`. Lengths stay in :mod:`protocol.constants.lengths`, everyday CCSIDs in
:mod:`protocol.constants.ccsids`.
"""

from typing import TYPE_CHECKING, Any

from .applications import MQACTT, MQAT
from .base import MQFlags, MQInt, MQText, WireFlags, WireInt
from .bridge_headers import MQCADSD, MQCCT, MQCIH, MQCLT, MQCRC, MQCTES, MQCUOWC, MQDHF, MQIIH, MQRMHF
from .ccsids import MQCCSI
from .channels import (
    MQCDC,
    MQCHIDS,
    MQCHS,
    MQCHSR,
    MQCHSSTATE,
    MQCHT,
    MQCOMPRESS,
    MQIDO,
    MQMODE,
    MQNPMS,
    MQPA,
    MQSCA,
    MQUSEDLQ,
    MQXPT,
)
from .client_flows import (
    ConnectionState,
    LpiOptions,
    LsdOptions,
    MessageStatus,
    NotificationCode,
    RequestFlags,
    SocketAction,
    SpiOptions,
    SpiVerb,
)
from .commands import MQCMD
from .completion import MQCC
from .connect import MQCNO, MQCSP, MQSIDT
from .encodings import MQENC, ByteOrder
from .events import MQEVO, MQRQ
from .formats import MQFMT
from .messages import MQEI, MQFB, MQMF, MQMT, MQOL, MQPER, MQPRI, MQRO, feedback_name, reason_name
from .negotiation import CapFlags1, CapFlags2, CapFlags3, InitErrFlags1, InitErrFlags2
from .objects import (
    MQBND,
    MQDL,
    MQEVR,
    MQIAV,
    MQMDS,
    MQMON,
    MQNT,
    MQOT,
    MQQA_BACKOUT,
    MQQA_GET,
    MQQA_PUT,
    MQQA_SHARE,
    MQQDT,
    MQQT,
    MQTC,
    MQTT,
    MQUS,
)
from .options import (
    MQACTP,
    MQCO,
    MQGMO,
    MQGS,
    MQMO,
    MQOO,
    MQPMO,
    MQPMRF,
    MQPRT,
    MQREADA,
    MQRL,
    MQSEG,
    MQSS,
    MQWI,
)
from .parameters import parameter_name
from .pcf import MQCFC, MQCFOP, MQCFT
from .platforms import MQPL
from .properties import MQCOPY, MQPD, MQPROP, MQTYPE
from .reason_codes import MQRC
from .segments import REPLY, ControlFlags1, ControlFlags2, SegmentType, StatusCode
from .struc_ids import STRUC_IDS, StrucId
from .subscribe import MQCBCT, MQCBT, MQCS, MQOP, MQSO, MQSR, MQSRO, MQSTAT
from .xa import TMFlags, XAReturn

if TYPE_CHECKING:
    from .administration import (
        MQBACF,
        MQCA,
        MQCACF,
        MQCACH,
        MQCAMO,
        MQGACF,
        MQIA,
        MQIACF,
        MQIACH,
        MQIAMO,
        MQIAMO64,
        MQRCCF,
    )
else:

    def __getattr__(name: str) -> Any:
        """The families of administration hold thousands of names: they are loaded when one is asked for."""
        import mqbridge.protocol.constants.administration as administration

        return getattr(administration, name)


__all__ = [
    "MQACTP",
    "MQACTT",
    "MQAT",
    "MQBACF",
    "MQBND",
    "MQCA",
    "MQCACF",
    "MQCACH",
    "MQCADSD",
    "MQCAMO",
    "MQCBCT",
    "MQCBT",
    "MQCC",
    "MQCCSI",
    "MQCCT",
    "MQCDC",
    "MQCFC",
    "MQCFOP",
    "MQCFT",
    "MQCHIDS",
    "MQCHS",
    "MQCHSR",
    "MQCHSSTATE",
    "MQCHT",
    "MQCIH",
    "MQCLT",
    "MQCMD",
    "MQCNO",
    "MQCO",
    "MQCOMPRESS",
    "MQCOPY",
    "MQCRC",
    "MQCS",
    "MQCSP",
    "MQCTES",
    "MQCUOWC",
    "MQDHF",
    "MQDL",
    "MQEI",
    "MQENC",
    "MQEVO",
    "MQEVR",
    "MQFB",
    "MQFMT",
    "MQGACF",
    "MQGMO",
    "MQGS",
    "MQIA",
    "MQIACF",
    "MQIACH",
    "MQIAMO",
    "MQIAMO64",
    "MQIAV",
    "MQIDO",
    "MQIIH",
    "MQMDS",
    "MQMF",
    "MQMO",
    "MQMODE",
    "MQMON",
    "MQMT",
    "MQNPMS",
    "MQNT",
    "MQOL",
    "MQOO",
    "MQOP",
    "MQOT",
    "MQPA",
    "MQPD",
    "MQPER",
    "MQPL",
    "MQPMO",
    "MQPMRF",
    "MQPRI",
    "MQPROP",
    "MQPRT",
    "MQQA_BACKOUT",
    "MQQA_GET",
    "MQQA_PUT",
    "MQQA_SHARE",
    "MQQDT",
    "MQQT",
    "MQRC",
    "MQRCCF",
    "MQREADA",
    "MQRL",
    "MQRMHF",
    "MQRO",
    "MQRQ",
    "MQSCA",
    "MQSEG",
    "MQSIDT",
    "MQSO",
    "MQSR",
    "MQSRO",
    "MQSS",
    "MQSTAT",
    "MQTC",
    "MQTT",
    "MQTYPE",
    "MQUS",
    "MQUSEDLQ",
    "MQWI",
    "MQXPT",
    "REPLY",
    "STRUC_IDS",
    "ByteOrder",
    "CapFlags1",
    "CapFlags2",
    "CapFlags3",
    "ConnectionState",
    "ControlFlags1",
    "ControlFlags2",
    "InitErrFlags1",
    "InitErrFlags2",
    "LpiOptions",
    "LsdOptions",
    "MQFlags",
    "MQInt",
    "MQText",
    "MessageStatus",
    "NotificationCode",
    "RequestFlags",
    "SegmentType",
    "SocketAction",
    "SpiOptions",
    "SpiVerb",
    "StatusCode",
    "StrucId",
    "TMFlags",
    "WireFlags",
    "WireInt",
    "XAReturn",
    "feedback_name",
    "parameter_name",
    "reason_name",
]
