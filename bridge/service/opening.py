"""Opening the data folder: lock, store and definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar

from mqbridge.bridge.agents.gateway.channel_manager import ChannelLimits
from mqbridge.bridge.config import Configuration
from mqbridge.bridge.plug_ins import PlugInError, load_formats
from mqbridge.bridge.queue_manager.core import TABLE as MANAGER_TABLE
from mqbridge.bridge.queue_manager.objects import TABLE, Objects, define_channel_user, define_supplied
from mqbridge.bridge.store import open_store
from mqbridge.bridge.store.disk import FULL_ERRORS
from mqbridge.bridge.store.folder import DataFolder
from mqbridge.bridge.store.interface import (
    Operation,
    PutRecord,
    Store,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreNewer,
)
from mqbridge.bridge.store.space_reserve import DiskReserve
from mqbridge.mappings.conversion import Formats

from .buses import channel_rules
from .errors import WRONG_CONFIGURATION, StartError

if TYPE_CHECKING:
    from .everyplace import Everyplace
    from .myopenq import MyOpenQ

T = TypeVar("T")
_CHANNEL_USER: Final = b"channel user"
"""Key of the record that marks that the channels' own user exists, whose authorities the operator may change."""


class OpenedData:
    """A data folder locked by this process: its ``store``, until `close`.

    A store in memory locks the folder too, because admin socket and running file are in it. Raises `StartError`.
    """

    def __init__(self, configuration: Configuration) -> None:
        folder = configuration.queue_manager.data
        kind = configuration.store.kind
        self._lock = DataFolder(folder) if kind == "memory" else None
        self._kept = DiskReserve(folder, configuration.store.keep_free)
        try:
            if self._lock is not None:
                self._lock.create()
                self._lock.lock()
            self.store: Store = self.with_room(lambda: open_store(kind, folder, map_size=configuration.store.map_size))
        except StoreLocked as error:
            who = f"process {error.pid}" if error.pid else "another process"
            raise StartError(f"{folder} is locked: {who} uses it; stop that one, or use another folder") from error
        except StoreNewer as error:
            raise StartError(f"{error}; start it with the newer release") from error
        except StoreDamaged as error:
            raise StartError(
                f"the store is damaged: {error}; 'mqbridge store check {folder}' tells of all damage, 'mqbridge store "
                f"repair {folder}' what can be done"
            ) from error
        except StoreError as error:
            raise StartError(f"the store cannot be opened: {error}") from error
        except OSError as error:
            raise StartError(f"{folder} cannot be used: {error.strerror or error}") from error

    def with_room(self, action: Callable[[], T]) -> T:
        """Return the result of an action; on a full disk, repeat it in the reserved space."""
        while True:
            try:
                return action()
            except (StoreFull, StartError, OSError) as error:
                cause = error if isinstance(error, OSError) else error.__cause__
                is_full = isinstance(error, StoreFull) or getattr(cause, "errno", None) in FULL_ERRORS
                if not is_full or not self._kept.release():
                    raise

    def keep_free(self) -> bool:
        """Reserve space for the next start; return whether there was any."""
        try:
            return self._kept.take()
        except OSError:
            return False

    def close(self) -> None:
        """Release the folder. Raises `StoreFailed` if its files were replaced."""
        try:
            self.store.require_place()
            self.keep_free()
        finally:
            self.store.close()
            if self._lock is not None:
                self._lock.unlock()


def channel_limits(configuration: Configuration) -> ChannelLimits:
    """Limits and settings of channels. Raises `StartError` for a bus that cannot be."""
    channels = configuration.channels
    return ChannelLimits(
        adopt=channels.adopt,
        max=channels.max,
        max_per_address=channels.max_per_address,
        handshake_timeout=channels.handshake_timeout,
        stalled_timeout=channels.stalled_timeout,
        unsent=configuration.limits.unsent,
        outbound_sni=configuration.tls.outbound_sni,
        buses=channel_rules(configuration),
    )


def load_plug_ins() -> Formats:
    """Return the formats of installed plug-ins. Raises `StartError` if one of them cannot be used."""
    try:
        return load_formats()
    except PlugInError as error:
        raise StartError(f"{error}; correct or uninstall it", WRONG_CONFIGURATION) from error


def load_objects(store: Store, name: str, now: float) -> tuple[Objects, list[Operation]]:
    """Return the definitions in a store, and operations to commit: all default objects if the store is empty.

    A store with definitions gets none: objects that were deleted stay deleted. One from before channels had a user of
    their own gets that user's records, once. Raises `StartError` for the store of another queue manager, or one that
    cannot be read.
    """
    objects = Objects(name, now)
    try:
        loaded = objects.load(store.records(TABLE))
    except StoreDamaged as error:
        raise StartError(f"the store is damaged: {error}") from error
    if loaded and objects.name != name:
        raise StartError(
            f"the data folder belongs to queue manager {objects.name}, not {name}; "
            f"start it with that name (--qmgr {objects.name}), or give another folder (--data)",
            WRONG_CONFIGURATION,
        )
    knows_channel_user = PutRecord(MANAGER_TABLE, _CHANNEL_USER, b"1")
    if loaded:
        if store.record(MANAGER_TABLE, _CHANNEL_USER) is not None:
            return objects, []
        changes = define_channel_user(objects, now)
        return objects, [*(each for change in changes for each in change.operations), knows_channel_user]
    define_supplied(objects, now)
    return objects, [*objects.operations(), knows_channel_user]


def load_everyplace(configuration: Configuration) -> Everyplace | None:
    """Return the gateway of a configuration, whose code is loaded for it alone. Raises `StartError`."""
    if configuration.everyplace is None:
        return None
    from .everyplace import Everyplace

    return Everyplace(configuration, configuration.everyplace)


def load_myopenq(configuration: Configuration) -> MyOpenQ | None:
    """Return the doors of a configuration, whose code is loaded for them alone. Raises `StartError`."""
    if not configuration.myopenq:
        return None
    from .myopenq import MyOpenQ

    return MyOpenQ(configuration)
