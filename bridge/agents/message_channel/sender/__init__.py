"""The sender MCA: sends messages from a transmission queue in batches."""
