"""What tshark calls the fields of client calls, and where its display is known to be wrong.

The tables go into those of :mod:`tshark.fields`; see there.
"""

from __future__ import annotations

from typing import Final


def named(prefix: str, theirs: str, ours: str) -> dict[str, str]:
    """Our name by tshark's."""
    pairs = zip(theirs.split(), ours.split(), strict=True)
    return {their if "." in their else f"{prefix}.{their}": our for their, our in pairs}


_CHARV: Final = named(
    "mq.charv", "vsptr vsoffset vsbufsize vslength vsccsid", "VSPtr VSOffset VSBufSize VSLength VSCCSID"
)
_SPI_BASE: Final = named("mq.spib", "structid version length", "StrucId Version Length")

CLIENT_FIELDS: Final[dict[str, dict[str, str]]] = {
    "API": named("mq.api", "replylength completioncode reasoncode hobj", "ReplyLength CompCode Reason ObjectHandle"),
    "CONN": named(
        "mq.conn",
        "qm appname apptype acttoken options xoptions mq.fcno.structid mq.fcno.version mq.fcno.capflag mq.fcno.conntag"
        " mq.fcno.retconntag mq.fcno.prodid mq.fcno.mqmid",
        "QMgrName ApplName ApplType AccountingToken Options XOptions StrucId Version CapFlag ConnTag RetConnTag"
        " ProductId24 QMgrIdentifier",
    ),
    "OD": _CHARV
    | named(
        "mq.od",
        "structid version objtype objname objqmgrname dynqname altuserid nbrrec kdestcount udestcount idestcount"
        " offsetor offsetrr addror addrrr altsecid resolvq resolvqmgr resolvedobjtype",
        "StrucId Version ObjectType ObjectName ObjectQMgrName DynamicQName AlternateUserId RecsPresent KnownDestCount"
        " UnknownDestCount InvalidDestCount ObjectRecOffset ResponseRecOffset ObjectRecPtr ResponseRecPtr"
        " AlternateSecurityId ResolvedQName ResolvedQMgrName ResolvedType",
    ),
    "OR": named("mq.or", "objname objqmgrname", "ObjectName ObjectQMgrName"),
    "RR": named("mq.rr", "completioncode reasoncode", "CompCode Reason"),
    "OpenOptions": {"mq.open.options": "Options"},
    "CloseOptions": {"mq.close.options": "Options"},
    "DataLength": {"mq.put.length": "DataLength"},
    "FOPA": named(
        "mq.fopa",
        "structid version length defpersistence defputresponsetype defreadahaed propertycontrol",
        "StrucId Version Length DefPersistence DefPutResponseType DefReadAhead PropertyControl",
    ),
    "FCMI": named("mq.fcmi", "structid unknown", "StrucId Unknown"),
    "PMO": named(
        "mq.pmo",
        "structid version options timeout context kdstcount udestcount idestcount resolvq resolvqmgr nbrrec flagspmr"
        " offsetpmr offsetrr addrrec addrres originalmsghandle newmsghandle action publevel",
        "StrucId Version Options Timeout Context KnownDestCount UnknownDestCount InvalidDestCount ResolvedQName"
        " ResolvedQMgrName RecsPresent PutMsgRecFields PutMsgRecOffset ResponseRecOffset PutMsgRecPtr ResponseRecPtr"
        " OriginalMsgHandle NewMsgHandle Action PubLevel",
    ),
    "PMR": named(
        "mq.pmr", "msgid correlid groupid feedback acttoken", "MsgId CorrelId GroupId Feedback AccountingToken"
    ),
    "GMO": named(
        "mq.gmo",
        "structid version getmsgopt waitint signal1 signal2 resolvq matchopt grpstat sgmtstat segmentation reserved"
        " msgtoken retlen reserved2 msghandle",
        "StrucId Version Options WaitInterval Signal1 Signal2 ResolvedQName MatchOptions GroupStatus SegmentStatus"
        " Segmentation Reserved1 MsgToken ReturnedLength Reserved2 MsgHandle",
    ),
    "INQ": named(
        "mq.inq",
        "nbsel nbint charlen sel intvalue charvalues",
        "SelectorCount IntAttrCount CharAttrLength Selectors IntAttrs CharAttrs",
    ),
    "REQMSG": named(
        "mq.msgreq",
        "version handle unknown1 rqstbytes maxmsglen mq.gmo.getmsgopt waitintrv questatus rqstflags glbmsgidx selectIdx"
        " mqmdvers ccsid encoding msgseqnum offset mq.gmo.matchopt mtchMsgId mtchcorid mtchgrpid mtchmsgtk",
        "Version ObjectHandle ReceivedBytes RequestedBytes MaxMsgLength GetMsgOptions WaitInterval QueueStatus"
        " RequestFlags GlobalMessageIndex SelectionIndex MQMDVersion CCSID Encoding MsgSeqNumber Offset MatchOptions"
        " MsgId CorrelId GroupId MsgToken",
    ),
    "ASYNC": named(
        "mq.msgasy",
        "version handle msgindex glbmsgidx seglength segmindex seleindex reasoncod totmsglen actmsglen msgtoken status"
        " resolqnln resolqnme padding",
        "Version ObjectHandle MessageIndex GlobalMessageIndex SegmentLength SegmentIndex SelectionIndex ReasonCode"
        " TotalMsgLength ActualMsgLength MsgToken Status ResolvedQNameLength ResolvedQName Padding",
    ),
    "NOTIF": named("mq.notif", "vers handle code value", "Version ObjectHandle Code Value"),
    "SOCKET": named("mq.socket", "conversid requestid type parm1 parm2", "ConversationId RequestId Type Parm1 Parm2"),
    "SPI": named("mq.spi", "verb version replength", "Verb Version MaxReplySize"),
    "SPQO": _SPI_BASE
    | named(
        "mq.spqo",
        "nbverb verb maxiov maxiv maxov flags",
        "VerbCount Verb MaxInOutVersion MaxInVersion MaxOutVersion Flags",
    ),
    "SPPI": _SPI_BASE | named("mq.spgo", "options size", "Options DataLength"),
    "LPOO": named(
        "mq.lpoo",
        "structid version mq.open.options lpioopts defpersist defputresptype defreadahead propertyctl qprotect"
        " qprotect.val2 qprotect.val1".replace(" qprotect.", " mq.lpoo.qprotect."),
        "StrucId Version OpenOptions LpiOptions DefPersistence DefPutResponseType DefReadAhead PropertyControl QProtect"
        " ExtraOffset ExtraLength",
    ),
    "XA": named("mq.xa", "length returnvalue tmflags rmid nbxid", "Length ReturnValue TMFlags RMId Count"),
    "XID": named("mq.xa.xid", "formatid gxidl bql gxid bq", "FormatId GtridLength BqualLength Gtrid Bqual").copy(),
    "XAINFO": named("mq.xa.xainfo", "length value", "InfoLength Info"),
}
"""Our field name by tshark's, for each structure."""

_BASES: Final = "SPQU SPQI SPPU SPPO SPRU SPRI SPRO SPBU SPBI SPBO SPOU SPOI SPOO SPNU SPNI SPNO"
for _name in _BASES.split():
    CLIENT_FIELDS[_name] = _SPI_BASE

MERGED: Final[dict[str, tuple[str, ...]]] = {"CONN": ("FCNO",), "SPQO": ("SPIVerb",), "XA": ("XACount",)}
"""Structures that tshark shows as part of the one before."""

STRING_WORDS: Final = ("VSPtr", "VSOffset", "VSBufSize", "VSLength", "VSCCSID")
"""Fields of a string's description; tshark gives those of all strings of a structure the same name."""

_JAVA: Final = "tshark does not look into these bytes where the client is in Java (mq-wire.md 5.5)"
_UNKNOWN: Final = "tshark knows no layout of these bytes (mq-wire.md 5.12)"

CLIENT_NOT_SHOWN: Final[dict[tuple[str, str], str]] = {
    ("CONN", "ProductId24"): _JAVA,
    ("CONN", "QMgrIdentifier"): _JAVA,
    ("FOPA", "QProtect"): "tshark shows the end of FOPA as bytes (mq-wire.md 5.6)",
    ("FOPA", "ExtraOffset"): "tshark shows the end of FOPA as bytes (mq-wire.md 5.6)",
    ("FOPA", "ExtraLength"): "tshark shows the end of FOPA as bytes (mq-wire.md 5.6)",
    ("XID", "Padding"): "tshark has no field for what fills an XID up",
    **{("SPPI", name): _UNKNOWN for name in ("Unknown1", "Unknown2", "DeliveryDelay")},
    **{("SPRI", name): _UNKNOWN for name in ("TagLength", "Count")},
    **{("SPNI", name): _UNKNOWN for name in ("Options", "Reason", "ConnectionId")},
    **{("SPRO", name): _UNKNOWN for name in ("Count", "IncrementPosition", "FirstId")},
    **{(name, "SubscriptionHandle"): _UNKNOWN for name in ("SPBI", "SPBO")},
}
"""Our fields that tshark does not show."""

SHORT_FORM: Final = {
    ("LPOO", name): "tshark takes a long LPOO for a short one (mq-wire.md 5.12)"
    for name in ("QProtect", "ExtraOffset", "ExtraLength")
}
"""Fields that tshark shows only where it sees the longer form of a structure."""

MISPLACED: Final = ("Object Record", "Response Record")
MISPLACED_REASON: Final = "tshark reads OR and RR at the start of the OD (mq-wire.md 1.4)"

STRINGS_BEHIND_OD: Final = frozenset({"MQOPEN", "MQOPEN_REPLY", "MQPUT1", "MQPUT1_REPLY"})
STRINGS_PASSED_OVER: Final = "tshark looks for what follows an OD right behind it, where its strings are (O-052)"
"""Segment types in which nothing behind the strings of an OD is compared, and why."""

CLIENT_NOT_OURS: Final = ("mq.fcno.unknowb01", "mq.fopa.unknown", "mq.charv.vsvalue")
"""What tshark shows as bytes where we have fields, or repeats from elsewhere."""

_NO_CALL: Final = "tshark knows no layout of this call but its header (mq-wire.md 5.17)"
_XA_REPLY: Final = "tshark reads nothing behind the header of a reply to an XA call"

CLIENT_UNKNOWN_BYTES: Final = {
    **{kind + reply: _NO_CALL for kind in ("MQSTAT", "MQSUB", "MQSUBRQ") for reply in ("", "_REPLY")},
    **{
        f"XA_{verb}_REPLY": _XA_REPLY
        for verb in ("START", "END", "OPEN", "CLOSE", "PREPARE", "COMMIT", "ROLLBACK", "FORGET", "COMPLETE")
    },
    **dict.fromkeys(("XA_OPEN", "XA_CLOSE"), "clients leave rubbish behind the text (client-observed.md O-110)"),
    "MQSET_REPLY": _NO_CALL,
}
"""Segment types in which tshark shows bytes as unknown."""
