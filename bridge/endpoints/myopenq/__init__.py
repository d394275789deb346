"""Sockets of doors for callers of MyOpenQ, and the files that say what they may do."""
