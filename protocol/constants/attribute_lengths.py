"""Lengths in bytes of character attributes in MQINQ and MQSET (mq-wire.md 9.21, 9.23)."""

from __future__ import annotations

from typing import Final

from .attributes_character import MQCA

NAME_LENGTH: Final = 48
"""Length of names of queues, queue managers, processes, namelists, topics and clusters; also of Q_MGR_IDENTIFIER."""

_LENGTHS: Final[dict[int, int]] = {
    **dict.fromkeys(
        (
            MQCA.Q_DESC, MQCA.Q_MGR_DESC, MQCA.PROCESS_DESC, MQCA.NAMELIST_DESC, MQCA.TOPIC_DESC, MQCA.AUTH_INFO_DESC,
            MQCA.COMM_INFO_DESC, MQCA.SERVICE_DESC, MQCA.INSTALLATION_DESC, MQCA.CHLAUTH_DESC, MQCA.TRIGGER_DATA,
            MQCA.CERT_LABEL, MQCA.QSG_CERT_LABEL,
        ),
        64,
    ),
    **dict.fromkeys(
        (MQCA.CREATION_DATE, MQCA.ALTERATION_DATE, MQCA.CLUSTER_DATE, MQCA.RESUME_DATE, MQCA.CF_STRUC_NAME), 12
    ),
    **dict.fromkeys(
        (MQCA.CREATION_TIME, MQCA.ALTERATION_TIME, MQCA.CLUSTER_TIME, MQCA.RESUME_TIME, MQCA.STORAGE_CLASS), 8
    ),
    **dict.fromkeys((MQCA.ENV_DATA, MQCA.USER_DATA, MQCA.CHANNEL_AUTO_DEF_EXIT, MQCA.CLUSTER_WORKLOAD_EXIT), 128),
    **dict.fromkeys((MQCA.TRIGGER_CHANNEL_NAME, MQCA.CLUS_CHL_NAME), 20),
    **dict.fromkeys((MQCA.SSL_KEY_REPOSITORY, MQCA.SSL_CRYPTO_HARDWARE, MQCA.INSTALLATION_PATH), 256),
    MQCA.APPL_ID: 256,
    MQCA.CUSTOM: 128,
    MQCA.VERSION: 8,
    MQCA.QSG_NAME: 4,
    MQCA.CLUSTER_WORKLOAD_DATA: 32,
    MQCA.INSTALLATION_NAME: 16,
    MQCA.IGQ_USER_ID: 12,
}  # fmt: skip


def character_length(selector: int) -> int:
    """Return the length of a character attribute's value in bytes."""
    return _LENGTHS.get(selector, NAME_LENGTH)
