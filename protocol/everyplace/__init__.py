"""MQSeries Everyplace (mqe.md): fields objects, messages, their dump, and the protocol between queue managers.

Standard library alone: a device has nothing else.
"""
