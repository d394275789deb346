"""What tshark calls the fields that we take apart, and where its display is known to be wrong.

Tables for :mod:`tshark.agreement`. Names of tshark's fields stand in the order of ours (IBM's names), structure by
structure. Every deviation that is passed over stands here with its reason; what is not listed must agree.
"""

from __future__ import annotations

import enum
from typing import Final

from support.tshark.client_fields import (
    CLIENT_FIELDS,
    CLIENT_NOT_OURS,
    CLIENT_NOT_SHOWN,
    CLIENT_UNKNOWN_BYTES,
    named,
)

_HEAD = named(
    "mq.head",
    "structid version length encoding ccsid format flags",
    "StrucId Version StrucLength Encoding CodedCharSetId Format Flags",
)

_PARAMETER = named("mqpcf.parm", "type len id", "Type StrucLength Parameter")

FIELDS: Final[dict[str, dict[str, str]]] = {
    "TSH": named(
        "mq.tsh",
        "structid seglength byteorder type cflags1 cflags2 luwid encoding ccsid reserved",
        "StrucId SegLength ByteOrder SegmentType ControlFlags1 ControlFlags2 LUWID Encoding CCSID Reserved",
    ),
    "ID": named(
        "mq.id",
        "structid faplevel cflags ecflags inierrflg1 reserved maxmsgbatch maxtrsize maxmsgsize seqwrap channelname"
        " cflags2 ecflags2 ccsid qm hbint efllength inierrflg2 reserved1 hdrcprslst msgcprslst reserved2 sslkeyrst"
        " convbyskt cflags3 ecflags3 reserved3 processid threadid traceid prodid mqmid pal r",
        "StrucId FapLevel CapFlags1 ECapFlags1 InitErrFlags1 Reserved MaxMsgsPerBatch MaxTransmissionSize"
        " MaxMessageSize SequenceWrap ChannelName CapFlags2 ECapFlags2 CCSID QMgrName HeartbeatInterval EFLLength"
        " InitErrFlags2 Reserved1 HdrCompList MsgCompList Reserved2 SSLKeyReset ConvPerSocket CapFlags3 ECapFlags3"
        " Reserved3 ProcessId ThreadId TraceId ProductId QMgrIdentifier PAL R",
    ),
    "UID": named(
        "mq.uid",
        "structid userid password longuserid sidlen sidtyp securityid",
        "StrucId UserId Password LongUserId SidLength SidType SecurityId",
    ),
    "CAUT": named(
        "mq.caut",
        "structid authtype usrmaxlen pwdmaxlen usrlength pswlength mq.msh.userid mq.msh.password",
        "StrucId AuthType UserIdMaxLength PasswordMaxLength UserIdLength PasswordLength UserId Password",
    ),
    "MSH": named(
        "mq.msh",
        "structid seqnum buflength unknown1 msglength",
        "StrucId SequenceNumber DataLength Unknown1 MessageLength",
    ),
    "XQH": named("mq.xqh", "structid version remoteq remoteqmgr", "StrucId Version RemoteQName RemoteQMgrName"),
    "MD": named(
        "mq.md",
        "structid version report msgtype expiry feedback encoding ccsid format priority persistence msgid correlid"
        " backount replytoq replytoqmgr userid acttoken appldata appltype applname date time origdata groupid"
        " msgseqnumber offset msgflags origlength",
        "StrucId Version Report MsgType Expiry Feedback Encoding CodedCharSetId Format Priority Persistence MsgId"
        " CorrelId BackoutCount ReplyToQ ReplyToQMgr UserIdentifier AccountingToken ApplIdentityData PutApplType"
        " PutApplName PutDate PutTime ApplOriginData GroupId MsgSeqNumber Offset MsgFlags OriginalLength",
    ),
    "MQMDE": _HEAD
    | named(
        "mq.md",
        "groupid msgseqnumber offset msgflags origlength",
        "GroupId MsgSeqNumber Offset MsgFlags OriginalLength",
    ),
    "MQDLH": named(
        "mq.dlh",
        "structid version reason destq destqmgr encoding ccsid format putappltype putapplname putdate puttime",
        "StrucId Version Reason DestQName DestQMgrName Encoding CodedCharSetId Format PutApplType PutApplName PutDate"
        " PutTime",
    ),
    "MQCIH": _HEAD
    | named(
        "mq.cih",
        "returncode compcode reasoncode uowcontrols getwaitintv linktype outdatalen facilkeeptime adsdescr converstask"
        " taskendstatus bridgefactokn function abendcode authenticator reserved replytofmt remotesysid remotetransid"
        " transactionid facilitylike attentionid startcode cancelcode nexttransid reserved2 reserved3 cursorpos"
        " erroroffset inputitem reserved4",
        "ReturnCode CompCode Reason UOWControl GetWaitInterval LinkType OutputDataLength FacilityKeepTime"
        " ADSDescriptor ConversationalTask TaskEndStatus Facility Function AbendCode Authenticator Reserved1"
        " ReplyToFormat RemoteSysId RemoteTransId TransactionId FacilityLike AttentionId StartCode CancelCode"
        " NextTransactionId Reserved2 Reserved3 CursorPosition ErrorOffset InputItem Reserved4",
    ),
    "MQIIH": _HEAD
    | named(
        "mq.iih",
        "ltermoverrid mfsmapname replytofmt authenticator transinstid transstate commimode securityscope reserved",
        "LTermOverride MFSMapName ReplyToFormat Authenticator TranInstanceId TranState CommitMode SecurityScope"
        " Reserved",
    ),
    "MQWIH": _HEAD
    | named("mq.wih", "servicename servicestep msgtoken reserved", "ServiceName ServiceStep MsgToken Reserved"),
    "MQTM": named(
        "mq.tm",
        "structid version qname procname triggerdata appltype applid envdaqta mq.t2.userdata",
        "StrucId Version QName ProcessName TriggerData ApplType ApplId EnvData UserData",
    ),
    "MQTMC2": named(
        "mq.tmc2",
        "structid version qname procname triggerdata appltype applid envdaqta userdata qmgrname",
        "StrucId Version QName ProcessName TriggerData ApplType ApplId EnvData UserData QMgrName",
    ),
    "MQRMH": _HEAD
    | named(
        "mq.rmh",
        "objecttype objectinstid srcenvlen srcenvofs srcnamelen srcnameofs dstenvlen dstenvofs dstnamelen dstnameofs"
        " datalogiclen datalogicofsl datalogicofsh",
        "ObjectType ObjectInstanceId SrcEnvLength SrcEnvOffset SrcNameLength SrcNameOffset DestEnvLength"
        " DestEnvOffset DestNameLength DestNameOffset DataLogicalLength DataLogicalOffset DataLogicalOffset2",
    ),
    "MQRFH": _HEAD,
    "MQRFH2": _HEAD | {"mq.rfh.ccsid": "NameValueCCSID"},
    "STATUS": named("mq.status", "length code value", "Length Code Value"),
    "RESET": named("mq.reset", "length seqnum", "Length SequenceNumber"),
    "PING": named("mq.ping", "length buffer", "Length Data"),
    "MQCFH": named(
        "mqpcf.cfh",
        "type length version command MsgSeqNbr control compcode reasoncode ParmCount",
        "Type StrucLength Version Command MsgSeqNumber Control CompCode Reason ParameterCount",
    ),
    "MQCFIN": _PARAMETER | {"mqpcf.parm.int": "Value"},
    "MQCFST": _PARAMETER | named("mqpcf.parm", "ccsid strlen string", "CodedCharSetId StringLength String"),
    "MQCFIL": _PARAMETER | named("mqpcf.parm", "count intlist", "Count Values"),
    "MQCFSL": _PARAMETER
    | named("mqpcf.parm", "ccsid count strlen stringlist", "CodedCharSetId Count StringLength Strings"),
    "MQCFBS": _PARAMETER | named("mqpcf.parm", "strlen bytestring", "StringLength String"),
    "MQCFIF": _PARAMETER | {"mqpcf.filter.op": "Operator", "mqpcf.parm.int": "FilterValue"},
    "MQCFSF": _PARAMETER
    | named(
        "mqpcf.parm", "mqpcf.filter.op ccsid strlen string", "Operator CodedCharSetId FilterValueLength FilterValue"
    ),
    "MQCFBF": _PARAMETER
    | named("mqpcf.parm", "mqpcf.filter.op strlen bytestring", "Operator FilterValueLength FilterValue"),
    "MQCFGR": _PARAMETER | {"mqpcf.parm.count": "ParameterCount"},
    "MQCFIN64": _PARAMETER | {"mqpcf.parm.unused": "Reserved", "mqpcf.parm.int64": "Value"},
    "MQCFIL64": _PARAMETER | named("mqpcf.parm", "count int64list", "Count Values"),
}
"""Our field name by tshark's, for each structure by the name our dissection gives it."""

FIELDS["TSHC"] = FIELDS["TSH"]
FIELDS["TSHM"] = FIELDS["TSH"] | named("mq.tsh", "convid requestid", "ConversationId RequestId")
FIELDS["MQXQH"], FIELDS["MQMD"] = FIELDS["XQH"], FIELDS["MD"]
FIELDS.update(CLIENT_FIELDS)

NOT_SHOWN: Final[dict[tuple[str, str], str]] = {
    **CLIENT_NOT_SHOWN,
    ("CAUT", "Password"): "we never show passwords",
    ("UID", "Password"): "we never show passwords",
    ("MQCIH", "Authenticator"): "we never show passwords",
    ("MQIIH", "Authenticator"): "we never show passwords",
    ("CAUT", "Reserved"): "tshark has no field for the eight bytes in front of the user id",
    ("CAUT", "Padding"): "tshark has no field for what fills the user id and password up",
    ("UID", "SidType"): "tshark shows it only when SidLength is not 0",
    ("UID", "SecurityId"): "tshark shows it only when SidLength is not 0",
    ("MQRFH", "NameValueString"): "tshark reads version 1 as if its strings had lengths in front (mq-wire.md 5.14)",
    **{
        ("MQRMH", name): "tshark has no field for the strings behind the header"
        for name in ("SrcEnv", "SrcName", "DestEnv", "DestName")
    },
    **{
        (name, "Rest"): "tshark has no field for what fills a parameter up"
        for name in FIELDS
        if name.startswith("MQCF") and name != "MQCFH"
    },
}
"""Our fields that tshark does not show, or that we do not."""

_NO_LAYOUT = "tshark knows no layout of this segment (mq-wire.md 5.14)"
_CONNECT_LENGTH = "tshark knows only some lengths of MQCONN (mq-wire.md 5.5)"
_LONG_LPOO = "tshark takes a long LPOO for a short one (mq-wire.md 5.12)"
_CREDENTIALS = "tshark does not know the eight bytes of FAP 13 in front of the user id (mq-wire.md 5.3)"
_SECURITY_ID = "tshark takes two bytes more for the security id than there are (mq-wire.md 5.14)"
_LEFT_OVER = "below FAP 8 these bytes are left-over, tshark reads them (mq-wire.md 7.9)"
_BIG_ENDIAN = "tshark shows these words big-endian whatever the message says (mq-wire.md 5.14)"


class When(enum.Enum):
    """In which case a display fault is passed over."""

    WE_SHOW_NONE = "we do not show the field"
    SWAPPED = "tshark's value is ours with its bytes the other way round"
    DIFFERENT = "the two differ"


DISPLAY_FAULTS: Final[dict[tuple[str, str], tuple[When, str]]] = {
    ("ID", "InitErrFlags2"): (
        When.WE_SHOW_NONE,
        _LEFT_OVER,
    ),
    **{
        ("ID", name): (When.WE_SHOW_NONE, _LEFT_OVER)
        for name in ("Reserved1", "HdrCompList", "MsgCompList", "Reserved2", "SSLKeyReset")
    },
    **{
        ("LPOO", name): (When.WE_SHOW_NONE, "tshark takes a short LPOO for a long one (mq-wire.md 5.12)")
        for name in ("QProtect", "ExtraOffset", "ExtraLength")
    },
    ("UID", "SecurityId"): (When.DIFFERENT, _SECURITY_ID),
    ("CAUT", "UserId"): (When.DIFFERENT, _CREDENTIALS),
    ("XA", "TMFlags"): (When.SWAPPED, _BIG_ENDIAN),
    ("SPPI", "Options"): (When.SWAPPED, _BIG_ENDIAN),
    **{
        ("GMO", name): (When.DIFFERENT, "tshark shows this character as number")
        for name in ("GroupStatus", "SegmentStatus", "Segmentation", "Reserved1")
    },
    ("MQCIH", "Reserved4"): (When.DIFFERENT, "tshark shows this number as text"),
    **{("MQ" + name, "Flags"): (When.SWAPPED, _BIG_ENDIAN) for name in ("IIH", "CIH", "RMH")},
    **{
        ("MQRMH", name): (When.DIFFERENT, "tshark is four bytes too low from ObjectInstanceId on (mq-wire.md 5.14)")
        for name in FIELDS["MQRMH"].values()
        if name not in _HEAD.values() and name != "ObjectType"
    },
}
"""Fields that tshark shows wrong, when that is passed over, and why."""

REPLACEMENT: Final = "\ufffd"
TEXT_NOT_SHOWN: Final = "tshark reads text as ASCII or EBCDIC, whatever the CCSID, and shows other bytes as \ufffd"

UNKNOWN_BYTES: Final[dict[str, str]] = {
    **dict.fromkeys(("RESYNC_DATA", "SECURITY_DATA", "RENEGOTIATE_DATA"), _NO_LAYOUT),
    **dict.fromkeys(("MQCONN", "MQCONN_REPLY"), _CONNECT_LENGTH),
    **dict.fromkeys(("SPI", "SPI_REPLY"), _LONG_LPOO),
    **CLIENT_UNKNOWN_BYTES,
    "CONAUTH_INFO": _CREDENTIALS,
}
"""Segment types in which tshark shows bytes as unknown; in any other they are a fault."""

LAST_HEADERS: Final = frozenset(("MQMDE", "MQCIH", "MQIIH", "MQRFH", "MQRFH2", "MQRMH", "MQWIH"))
"""Behind one of these tshark reads no further header (mq-wire.md 5.15)."""

NEVER_ENTERED: Final[dict[str, str]] = {
    "MQDH": "tshark never enters DH (mq-wire.md 5.14)",
    "MQXQH": "tshark reads no transmission header in message data (mq-wire.md 5.15)",
    "MQMD": "tshark reads no descriptor in message data (mq-wire.md 5.15)",
}
"""Structures that tshark never reads; nor anything behind them."""

NOT_OURS: Final = ("mq.ims.", *CLIENT_NOT_OURS)
"""What tshark takes apart of the data behind a header, and we do not."""

MALFORMED_BY_FAULT: Final[dict[str, str]] = {
    "UID": _SECURITY_ID,
    "MQRFH": "tshark reads version 1 as if its strings had lengths in front (mq-wire.md 5.14)",
    "MQIIH": "tshark takes what follows as IMS segments and runs over the end where it is none",
}
"""Structures after which tshark may call the whole segment malformed."""
