"""Attributes of objects as programs ask for and set them: MQINQ and MQSET."""
