"""Converting a message as a get with MQGMO_CONVERT asks for it."""

from __future__ import annotations

from mqbridge.mappings.message import Message
from mqbridge.protocol.errors import ConversionError
from mqbridge.protocol.text import resolve_ccsid

from .data import convert_data
from .text import Form


def convert_message(message: Message, target: Form, default_ccsid: int) -> int:
    """Converts the data of a message; its Encoding and CodedCharSetId then say what the data are like.

    ``target`` is what the program asks for; a CCSID of 0 means the queue manager's, ``default_ccsid``. Returns 0 or
    the reason of a warning: 2110 to 2119, 2150, 2190; what could not be converted is as it was.
    """
    md = message.md
    source = Form(md.encoding, _meant(md.coded_char_set_id, default_ccsid))
    wanted = Form(target.encoding, _meant(target.ccsid, default_ccsid))
    if source == wanted:
        return 0
    converted = convert_data(md.format, source, message.data, wanted)
    if converted.form != source:
        message.body = converted.data
        md.encoding = converted.form.encoding
        md.coded_char_set_id = converted.form.ccsid
    return converted.reason


def _meant(ccsid: int, default_ccsid: int) -> int:
    try:
        return resolve_ccsid(ccsid, inherited=default_ccsid, default=default_ccsid)
    except ConversionError:
        return ccsid
