"""Queue managers for tests: the helper process behind the pytest fixture ``mq`` (``pytest_mqbridge``)."""
