"""Queue managers for tests: the helper process behind the pytest fixture ``mq`` (``mqbridge.pytest_plugin``)."""
