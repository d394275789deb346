"""Structures of the wire, one file each; ``protocol.grammar`` describes how they are written."""

from __future__ import annotations

from .api import API, UNUSABLE_HANDLE
from .async_message import ASYNC, ASYNC_MORE, ASYNC_NAMED, async_name, async_name_size
from .bodies import Body
from .charv import StructureWithStrings
from .cih import CIH, CIH1, parse_cih
from .conauth import CAUT, CAUT_13, conauth_form, parse_conauth
from .conn import CONN
from .csh import CSH
from .dh import DH, OR, PMR, Distribution, make_dh, parse_dh, put_message_record
from .dlh import DLH, parse_dlh
from .fcno import FCNO, FCNO_3, FCNO_4, fcno_form, parse_fcno
from .fopa import FCMI, FOPA, SHORT_FOPA_SIZE, parse_fcmi, parse_fopa
from .gmo import GMO, GMO_SIZES, make_gmo, parse_gmo
from .iih import IIH, IMS_SEGMENT, parse_iih
from .initial_data import ID, SMALLEST_ID, initial_data, initial_data_size, parse_initial_data
from .inq import INQ, INQ_HEAD, INQ_VALUES, Inquiry, make_inq, parse_inq
from .lpoo import LPOO, SHORT_LPOO_SIZE, lpoo_size, make_lpoo, parse_lpoo
from .md import MD, MD1, md_size, parse_md
from .mde import MDE, parse_mde
from .message_headers import MESSAGE_HEADERS, MESSAGE_PREFIX, SEGMENT_HEADERS, TRANSMISSION_HEADERS
from .msh import MSH
from .notification import NOTIF
from .od import OD, OD_SIZES, ObjectDescriptor, make_od, parse_od
from .pcf import (
    CFH,
    MAX_GROUP_DEPTH,
    Parameter,
    PCFMessage,
    byte_string_parameter,
    make_pcf,
    parse_parameters,
    parse_pcf,
    string_list_parameter,
    string_parameter,
)
from .pcf_parameters import PARAMETERS
from .ping import PING, parse_ping, ping_data
from .pmo import PMO, PMO_SIZES, PutMessageOptions, make_pmo, parse_pmo
from .request_msgs import REQMSG, REQMSG_SELECTED, REQMSG_SELECTION, parse_request_msgs
from .reset import RESET, parse_reset, reset_data
from .rfh import RFH, RulesAndFormatting, make_rfh, parse_rfh
from .rfh2 import FOLDER, RFH2, RulesAndFormatting2, make_rfh2, parse_rfh2
from .rmh import RMH, Reference, make_rmh, parse_rmh
from .rr import RR
from .sd import SD, SubscriptionDescriptor, make_sd, parse_sd
from .socket_action import SOCKET
from .spi import SPI
from .spi_activate import SPAI
from .spi_base import (
    SPAO,
    SPAU,
    SPBU,
    SPGU,
    SPNO,
    SPNU,
    SPOI,
    SPOO,
    SPOU,
    SPPO,
    SPPU,
    SPQI,
    SPQU,
    SPRU,
    parse_spi,
    spi_base,
)
from .spi_get import SPGI, SPGO
from .spi_notify import SPNI
from .spi_put import SPPI, parse_sppi
from .spi_query import SPI_VERB, SPQO, VerbTable, make_spqo, parse_spqo
from .spi_reserve import SPRI, SPRO
from .spi_subscribe import LSD, SPBI, SPBO, parse_lsd
from .sro import SRO, parse_sro
from .status_data import STATUS, parse_status_data, status_data
from .sts import STAT, STAT_SIZES, StatusReport, make_sts, parse_sts
from .sub import SUB
from .tm import TM, parse_tm
from .tmc2 import TMC2, parse_tmc2
from .tsh import TSH, TSHC, TSHM
from .userid import UID, parse_userid
from .wih import WIH, parse_wih
from .words import CLOSE_OPTIONS, DATA_LENGTH, OPEN_OPTIONS, STATUS_TYPE, SUBRQ_ACTION
from .xa import XA
from .xid import MAX_XID_PART, XA_COUNT, XAINFO, XID, XID_HEAD, TransactionId, make_xid, parse_xid
from .xqh import XQH

__all__ = [
    "API",
    "ASYNC",
    "ASYNC_MORE",
    "ASYNC_NAMED",
    "CAUT",
    "CAUT_13",
    "CFH",
    "CIH",
    "CIH1",
    "CLOSE_OPTIONS",
    "CONN",
    "CSH",
    "DATA_LENGTH",
    "DH",
    "DLH",
    "FCMI",
    "FCNO",
    "FCNO_3",
    "FCNO_4",
    "FOLDER",
    "FOPA",
    "GMO",
    "GMO_SIZES",
    "ID",
    "IIH",
    "IMS_SEGMENT",
    "INQ",
    "INQ_HEAD",
    "INQ_VALUES",
    "LPOO",
    "LSD",
    "MAX_GROUP_DEPTH",
    "MAX_XID_PART",
    "MD",
    "MD1",
    "MDE",
    "MESSAGE_HEADERS",
    "MESSAGE_PREFIX",
    "MSH",
    "NOTIF",
    "OD",
    "OD_SIZES",
    "OPEN_OPTIONS",
    "OR",
    "PARAMETERS",
    "PING",
    "PMO",
    "PMO_SIZES",
    "PMR",
    "REQMSG",
    "REQMSG_SELECTED",
    "REQMSG_SELECTION",
    "RESET",
    "RFH",
    "RFH2",
    "RMH",
    "RR",
    "SD",
    "SEGMENT_HEADERS",
    "SHORT_FOPA_SIZE",
    "SHORT_LPOO_SIZE",
    "SMALLEST_ID",
    "SOCKET",
    "SPAI",
    "SPAO",
    "SPAU",
    "SPBI",
    "SPBO",
    "SPBU",
    "SPGI",
    "SPGO",
    "SPGU",
    "SPI",
    "SPI_VERB",
    "SPNI",
    "SPNO",
    "SPNU",
    "SPOI",
    "SPOO",
    "SPOU",
    "SPPI",
    "SPPO",
    "SPPU",
    "SPQI",
    "SPQO",
    "SPQU",
    "SPRI",
    "SPRO",
    "SPRU",
    "SRO",
    "STAT",
    "STATUS",
    "STATUS_TYPE",
    "STAT_SIZES",
    "SUB",
    "SUBRQ_ACTION",
    "TM",
    "TMC2",
    "TRANSMISSION_HEADERS",
    "TSH",
    "TSHC",
    "TSHM",
    "UID",
    "UNUSABLE_HANDLE",
    "WIH",
    "XA",
    "XAINFO",
    "XA_COUNT",
    "XID",
    "XID_HEAD",
    "XQH",
    "Body",
    "Distribution",
    "Inquiry",
    "ObjectDescriptor",
    "PCFMessage",
    "Parameter",
    "PutMessageOptions",
    "Reference",
    "RulesAndFormatting",
    "RulesAndFormatting2",
    "StatusReport",
    "StructureWithStrings",
    "SubscriptionDescriptor",
    "TransactionId",
    "VerbTable",
    "async_name",
    "async_name_size",
    "byte_string_parameter",
    "conauth_form",
    "fcno_form",
    "initial_data",
    "initial_data_size",
    "lpoo_size",
    "make_dh",
    "make_gmo",
    "make_inq",
    "make_lpoo",
    "make_od",
    "make_pcf",
    "make_pmo",
    "make_rfh",
    "make_rfh2",
    "make_rmh",
    "make_sd",
    "make_spqo",
    "make_sts",
    "make_xid",
    "md_size",
    "parse_cih",
    "parse_conauth",
    "parse_dh",
    "parse_dlh",
    "parse_fcmi",
    "parse_fcno",
    "parse_fopa",
    "parse_gmo",
    "parse_iih",
    "parse_initial_data",
    "parse_inq",
    "parse_lpoo",
    "parse_lsd",
    "parse_md",
    "parse_mde",
    "parse_od",
    "parse_parameters",
    "parse_pcf",
    "parse_ping",
    "parse_pmo",
    "parse_request_msgs",
    "parse_reset",
    "parse_rfh",
    "parse_rfh2",
    "parse_rmh",
    "parse_sd",
    "parse_spi",
    "parse_sppi",
    "parse_spqo",
    "parse_sro",
    "parse_status_data",
    "parse_sts",
    "parse_tm",
    "parse_tmc2",
    "parse_userid",
    "parse_wih",
    "parse_xid",
    "ping_data",
    "put_message_record",
    "reset_data",
    "spi_base",
    "status_data",
    "string_list_parameter",
    "string_parameter",
]
