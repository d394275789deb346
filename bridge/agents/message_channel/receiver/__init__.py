"""The receiving end of a message channel: messages in, batches committed, arrivals confirmed."""
