"""The sending end of a message channel: from the transmission queue to batches on the wire."""
