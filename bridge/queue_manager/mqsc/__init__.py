"""MQSC: parser, execution and replies of commands (channels.md 17)."""

from .command_events import Origin
from .commands import Commands
from .context import Reply
from .dump import dump, dump_definition
from .json_form import (
    command_from_json,
    envelope,
    json_entries,
    reply_to_json,
    reply_to_text,
    row_to_json,
    text_entries,
    text_from_json,
)
from .layout import RunSummary, format_echo, format_field, format_response, format_row, read_fields
from .lexer import MQSCSyntaxError, Source
from .messages import nothing_found
from .parser import Command, CommandParameter, parse
from .replies import Cell, CommandReply, Response, Row
from .script import ENDING_WORDS, MAX_LINE, ScriptReader, read_script
from .secret_values import secret_keywords

__all__ = [
    "ENDING_WORDS",
    "MAX_LINE",
    "Cell",
    "Command",
    "CommandParameter",
    "CommandReply",
    "Commands",
    "MQSCSyntaxError",
    "Origin",
    "Reply",
    "Response",
    "Row",
    "RunSummary",
    "ScriptReader",
    "Source",
    "command_from_json",
    "dump",
    "dump_definition",
    "envelope",
    "format_echo",
    "format_field",
    "format_response",
    "format_row",
    "json_entries",
    "nothing_found",
    "parse",
    "read_fields",
    "read_script",
    "reply_to_json",
    "reply_to_text",
    "row_to_json",
    "secret_keywords",
    "text_entries",
    "text_from_json",
]
