"""Certificates and TLS peers for tests."""
