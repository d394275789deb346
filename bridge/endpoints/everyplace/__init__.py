"""Sockets of a gateway of Everyplace: frames over TCP and HTTP, plain or inside TLS; called, and calling others."""
