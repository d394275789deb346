"""Putting messages, and what follows from it: reports, triggers, dead letters, delays."""
