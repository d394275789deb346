"""Values of every type of JMS, for properties and bodies."""

from __future__ import annotations

from mqbridge.mappings.jms import Typed

UNICODE = "Grüße, 世界, 🙂 \x01\t\r\n <a b='c'>&amp;\"]]></a>"
TYPES = {
    "aBoolean": Typed(True, "boolean"),
    "aByte": Typed(-8, "i1"),
    "aShort": Typed(-300, "i2"),
    "anInt": Typed(1 << 30, "i4"),
    "aLong": Typed(-(1 << 63), "i8"),
    "aFloat": Typed(0.1, "r4"),
    "aDouble": Typed(0.1, "r8"),
    "large": Typed(1.7976931348623157e308, "r8"),
    "tiny": Typed(5e-324, "r8"),
    "tinyFloat": Typed(1e-45, "r4"),
    "infinite": Typed(float("-inf"), "r4"),
    "notANumber": Typed(float("nan"), "r8"),
    "aString": Typed(UNICODE, "string"),
    "empty": Typed("", "string"),
    "blanks": Typed("  a  ", "string"),
    "nil": Typed(None, "null"),
}
IN_BODIES = TYPES | {
    "aChar": Typed("<", "char"),
    "aLetter": Typed("世", "char"),
    "bytes": Typed(b"\0\1\xff", "bin.hex"),
    "noBytes": Typed(b"", "bin.hex"),
}
LARGE = "".join(chr(97 + number % 23) for number in range(1 << 20))
