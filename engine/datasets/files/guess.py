"""Which encodings bytes could be written in: suggested to the user, never taken unasked."""

from __future__ import annotations

USUAL = ("cp1254", "cp1252", "utf-16-le", "utf-16-be")
"""What is suggested where nothing points anywhere: spreadsheets in Turkish and in English write these."""

MOST = 3


def guessed(data: bytes) -> str:
    """The likeliest encodings in words, such as “cp1254 or cp1252”."""
    found = [name for name in (*_by_letters(data), *USUAL) if _fits(data, name)]
    return " or ".join(list(dict.fromkeys(found))[:MOST]) or USUAL[0]


def _by_letters(data: bytes) -> list[str]:
    """Turkish letters stand where other languages have rare ones, which is what a library's statistics miss."""
    if data.count(b"\0") > len(data) // 4:
        even = data[::2].count(b"\0") > data[1::2].count(b"\0")
        return ["utf-16-be" if even else "utf-16-le"]
    turkish = sum(data.count(byte) for byte in (b"\xfd", b"\xfe", b"\xf0", b"\xdd", b"\xde", b"\xd0"))
    other = sum(data.count(bytes([byte])) for byte in range(0x80, 0x100)) - turkish
    if turkish and 4 * turkish >= other:
        return ["cp1254"]
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return []
    best = from_bytes(data).best()
    return [best.encoding] if best else []


def _fits(data: bytes, name: str) -> bool:
    if name.startswith("utf-16") and b"\0" not in data:
        return False
    try:
        data.decode(name)
    except (UnicodeDecodeError, LookupError):
        return False
    return True
