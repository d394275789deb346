"""AMQP 1.0 messages as plain values, and how JMS messages are mapped to them and back.

The sections of a message are values of this package; a codec at the edge turns them into bytes.
"""

from .addresses import Address as Address
from .addresses import AddressKind as AddressKind
from .addresses import destination_address as destination_address
from .addresses import reply_address as reply_address
from .errors import AmqpError as AmqpError
from .errors import AmqpFormatError as AmqpFormatError
from .errors import AmqpMappingError as AmqpMappingError
from .identifiers import correlation_id_text as correlation_id_text
from .identifiers import identifier_of as identifier_of
from .identifiers import message_id_text as message_id_text
from .mapping import from_amqp as from_amqp
from .mapping import to_amqp as to_amqp
from .message import AmqpMessage as AmqpMessage
from .message import AmqpProperties as AmqpProperties
from .message import BodyKind as BodyKind
from .message import MessageIdentifier as MessageIdentifier
from .quick_receiving import quick_from_amqp as quick_from_amqp
from .quick_sending import quick_to_amqp as quick_to_amqp
from .values import AmqpType as AmqpType
from .values import Array as Array
from .values import Described as Described
from .values import Scalar as Scalar
from .values import Value as Value
