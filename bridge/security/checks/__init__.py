"""What ``mqbridge check`` judges: who can reach what, and what is to be done about it. Values in, findings out."""

from .certificate_rules import CERTIFICATE_RULES
from .door_rules import DOOR_RULES
from .entrances import Entrance, entrances
from .facts import AdminDoor, CertificateFact, Estate, InputDoor, ListeningAddress, Record, RevocationFact, WebDoor
from .finding import Finding

__all__ = [
    "AdminDoor",
    "CertificateFact",
    "Entrance",
    "Estate",
    "Finding",
    "InputDoor",
    "ListeningAddress",
    "Record",
    "RevocationFact",
    "WebDoor",
    "entrances",
    "findings",
]


def findings(estate: Estate) -> list[Finding]:
    """Return everything that an operator should do: about certificates, then users, then doors."""
    return [each for rule in (*CERTIFICATE_RULES, *DOOR_RULES) for each in rule(estate)]
