"""Configuration of a queue manager: TOML to typed settings; errors name file, line and nearest key."""

from __future__ import annotations

from mqbridge.bridge.config.bus_settings import BusSettings
from mqbridge.bridge.config.carrier_settings import LinkReceiveSettings, LinkSendSettings, LinkSettings, RouteSettings
from mqbridge.bridge.config.errors import ConfigError, TablePlace
from mqbridge.bridge.config.everyplace_settings import (
    EveryplaceAccessSettings,
    EveryplaceListenerSettings,
    EveryplaceSettings,
)
from mqbridge.bridge.config.myopenq_settings import MyOpenQSettings
from mqbridge.bridge.config.overrides import override
from mqbridge.bridge.config.partner_settings import PartnerSettings
from mqbridge.bridge.config.reader import load_configuration, parse_configuration
from mqbridge.bridge.config.settings import (
    AdminSettings,
    ChannelSettings,
    Configuration,
    ListenerSettings,
    LogSettings,
    QueueManagerSettings,
    RecordSettings,
    StoreSettings,
    WebSettings,
)
from mqbridge.bridge.config.values import split_unix_endpoint, unix_endpoint

__all__ = [
    "AdminSettings",
    "BusSettings",
    "ChannelSettings",
    "ConfigError",
    "Configuration",
    "EveryplaceAccessSettings",
    "EveryplaceListenerSettings",
    "EveryplaceSettings",
    "LinkReceiveSettings",
    "LinkSendSettings",
    "LinkSettings",
    "ListenerSettings",
    "LogSettings",
    "MyOpenQSettings",
    "PartnerSettings",
    "QueueManagerSettings",
    "RecordSettings",
    "RouteSettings",
    "StoreSettings",
    "TablePlace",
    "WebSettings",
    "load_configuration",
    "override",
    "parse_configuration",
    "split_unix_endpoint",
    "unix_endpoint",
]
