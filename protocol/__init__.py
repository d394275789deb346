"""The wire, sans-IO: constants, code pages, structures, framing, header chains and the machines of channels."""
