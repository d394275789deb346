"""The program of a device: ``python3 mqe.pyz``, and ``python -m mqbridge.everyplace``."""
