"""Partners that speak a protocol of a template: sessions by script, joined to queues (docs/partners.md)."""
