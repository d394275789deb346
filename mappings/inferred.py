"""Facts of mappings that no public evidence settles, one named choice each.

Each constant says what we do, what supports it, and where the gap is documented. Code that depends on such a choice
reads it here, so that a message of a real partner changes one line.
"""

from __future__ import annotations

from typing import Final

# Service integration -------------------------------------------------------------------------------------------

PATH_SEPARATOR: Final = ","
"""Between the elements of a routing path in ``ibmRoutingPath``. Not public (jms-mapping.md 7.3)."""

PATH_ELEMENT_SEPARATOR: Final = ":"
"""Between bus and identifier in an element of a routing path. Not public (jms-mapping.md 7.3). Other characters than
letters, digits and ``. _ - / @`` are percent-encoded in both. A value that is not spelled so is one opaque element,
which is given back as it came."""

BUS_FORMAT_OF_TEXT: Final = "JMS:text"
BUS_FORMAT_OF_BYTES: Final = "JMS:bytes"
"""JsFmt that a message without MQRFH2 gets by its format, MQSTR or another: our best guess of what the documentation
calls a best guess (jms-mapping.md 8.4)."""

# JMS messages --------------------------------------------------------------------------------------------------

EXPIRED_TENTHS: Final = 1
"""Expiry of a message whose JMSExpiration has passed when it is sent, in tenths of a second: it is sent, and gone at
once. IBM's client computes JMSExpiration from a time to live, so it never has one (jms-mapping.md 2.1)."""

JMS_ELEMENTS: Final = ("Dst", "Rto", "Tms", "Exp", "Pri", "Cid", "Dlv", "Gid", "Seq")
"""Order of the elements of folder ``jms``. Each was seen between Dst and Dlv or behind it; how Exp, Pri and Cid follow
each other was not (jms-mapping.md 4.3)."""

# Message trees -------------------------------------------------------------------------------------------------

RFH_DOMAIN_NAME: Final = "Msd"
"""Name whose value is the domain in the name-value data of an MQRFH. That it may stand there is known, how it is called
is not (jms-mapping.md 10.1 rule 4); this is its name in folder ``mcd``."""

JMS_DOMAINS: Final = {"jms_map": "JMSMap", "jms_stream": "JMSStream", "none": "BLOB"}
"""Domain by ``mcd.Msd`` where the words differ. ``jms_text``, ``jms_bytes``, ``jms_object`` and ``jms_none`` name no
domain, so the default counts: their bodies may be anything (jms-mapping.md 10.2)."""

# Everyplace ----------------------------------------------------------------------------------------------------

DUMP_FORMAT: Final = "EVFIELDS"
"""Format of a message whose data are the dump of a message of Everyplace. IBM's is not public (mqe.md C-09); names that
begin with MQ are IBM's."""

DUMP_MSG_TYPE: Final = 0x4D5165
"""MsgType of such a message, in the range of applications. IBM has 112 and 113, but for its own dumps (mqe.md O-06)."""
