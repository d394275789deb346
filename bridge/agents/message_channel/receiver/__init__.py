"""The receiver MCA: puts messages, commits batches, and confirms them."""
