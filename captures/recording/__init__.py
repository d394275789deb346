"""Recording of connections as captures for any tool."""
