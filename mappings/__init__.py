"""What a header means: the internal message, and what other forms of message it is turned into and made of."""
