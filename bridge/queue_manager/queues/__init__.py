"""Local queues: messages in order as rows in memory, descriptors and data in the store, loading and expiry."""
