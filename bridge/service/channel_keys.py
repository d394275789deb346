"""Keys and certificates of channels: the key repository of the queue manager, for the sessions of its endpoints."""

from __future__ import annotations

from pathlib import Path

from mqbridge.bridge.config import Configuration
from mqbridge.bridge.queue_manager import QueueManager
from mqbridge.bridge.queue_manager.control import ControlError
from mqbridge.bridge.tls import KeyRepository, TlsContexts, TlsError
from mqbridge.bridge.tls.labels import default_label

from .errors import WRONG_CONFIGURATION, StartError


class ChannelKeys:
    """The key repository that SSLKEYR of a queue manager names, and its default certificate, that of CERTLABL.

    ``contexts`` make sessions. Files are first read when a channel asks for TLS, and again by `refresh`. A repository
    need not exist before. Raises `StartError` if the file for session keys cannot be written.
    """

    def __init__(self, configuration: Configuration, manager: QueueManager) -> None:
        self._configuration = configuration
        self._manager = manager
        settings = configuration.tls
        try:
            self.contexts = TlsContexts(self.repository, self.label, settings.crl == "required", settings.key_log)
        except TlsError as error:
            raise StartError(f"[tls] key_log: {error}", WRONG_CONFIGURATION) from error
        self.others: list[TlsContexts] = []
        """Those of endpoints with certificates of their own, which are read again with ours."""

    @property
    def folder(self) -> Path:
        """SSLKEYR, in the data folder if it is relative; if it is blank, `Configuration.key_folder`."""
        named = self._manager.objects.manager.text("SSLKEYR").strip()
        configuration = self._configuration
        return configuration.queue_manager.data / named if named else configuration.key_folder

    @property
    def repository(self) -> KeyRepository:
        """The key repository that SSLKEYR names now."""
        return KeyRepository(self.folder)

    @property
    def label(self) -> str:
        """The label of the default certificate."""
        return self._manager.objects.manager.text("CERTLABL") or default_label(self._manager.name)

    def follow(self) -> None:
        """Take what SSLKEYR and CERTLABL now say. Nothing is read before it is needed."""
        self.contexts.use(self.repository, self.label)

    def refresh(self) -> None:
        """REFRESH SECURITY TYPE(SSL): read everything again, from where SSLKEYR now says. Raises `ControlError`; then
        all stays as it was."""
        folder = self.folder
        if not folder.exists() and folder == self._configuration.key_folder:
            self.follow()  # nothing was ever made
            return
        try:
            self.contexts.refresh(KeyRepository(folder), self.label)
            for each in self.others:
                each.refresh()
        except TlsError as error:
            raise ControlError(str(error), amq=error.fault.amq) from error
