"""Inputs of routes: messages of other transports, by plug-ins (group ``mqbridge.inputs``) and from a folder."""

from __future__ import annotations

from mqbridge.bridge.agents.routing.taken import Taken

from .interface import Input, InputError, InputFactory, Sink

__all__ = ["Input", "InputError", "InputFactory", "Sink", "Taken"]
