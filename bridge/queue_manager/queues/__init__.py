"""What lies on a queue: rows in order in memory, descriptors and data in the store, loading and expiry."""
