"""Communications adapters of a device: how bytes get to another queue manager and back (mqe.md 20.2)."""
