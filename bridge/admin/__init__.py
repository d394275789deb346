"""The REST endpoint that the commands use: IBM MQ's administration and messaging paths, and units of work."""
