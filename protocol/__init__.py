"""MQ's wire protocols without I/O: constants, character sets, structures, framing, header chains and state machines."""
