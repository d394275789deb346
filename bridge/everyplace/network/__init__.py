"""A queue manager with its connections: what is sent and pulled, when, and who is believed (mqe.md 10, 14 and 16).

`network.Network` is what hosts drive; they carry bytes between its lines and sockets.
"""
