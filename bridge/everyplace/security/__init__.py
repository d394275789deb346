"""Security of messages beyond the line: at rest, from program to program, and what channels must give (mqe.md 19).

Cryptography is handed in behind `cryptography.Cryptography`; without it what needs it is refused, never left out.
"""
