"""Service integration buses of the configuration."""

from __future__ import annotations

from mqbridge.bridge.config import BusSettings, ConfigError, Configuration
from mqbridge.mappings.service_integration import Bus, BusDestination, BusError, ChannelRules

from .errors import WRONG_CONFIGURATION, StartError


def channel_rules(configuration: Configuration) -> dict[str, ChannelRules]:
    """Return the rules of the channels of buses, by channel. Raises `StartError` for a bus that cannot be."""
    found: dict[str, ChannelRules] = {}
    try:
        for name, settings in configuration.buses.items():
            rules = ChannelRules(_bus(name, settings), configuration.queue_manager.name, settings.destinations)
            for index, channel in enumerate(settings.channels):
                if channel in found:
                    taken = found[channel].bus.name
                    raise settings.place.error(("channels", index), f"channel {channel} belongs to bus {taken} already")
                found[channel] = rules
    except ConfigError as error:
        raise StartError(str(error), WRONG_CONFIGURATION) from error
    return found


def _bus(name: str, settings: BusSettings) -> Bus:
    aliases = {alias: BusDestination(bus or name, target) for alias, (bus, target) in settings.aliases.items()}
    try:
        return Bus(name, settings.virtual_queue_manager, settings.direct, frozenset(settings.indirect), aliases)
    except BusError as error:
        raise settings.place.error("", str(error)) from error
