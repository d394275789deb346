"""MQPUT, and what follows from a put: reports, triggers, dead letters, delivery delay."""
