"""Finding, browsing and getting messages, and waiting for them: MQGET with every option."""
