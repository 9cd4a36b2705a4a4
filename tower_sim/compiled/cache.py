"""Files in the user's cache, each with a digest of its content: a damaged one counts as missing."""

from __future__ import annotations

import contextlib
import hashlib
import os
import secrets
import sys
from pathlib import Path

_HASH = 32  # bytes of SHA-256


def user_cache() -> Path:
    """Return the folder of tower_sim in the user's cache on this system."""
    homes = {"darwin": "~/Library/Caches", "win32": os.environ.get("LOCALAPPDATA", "~")}
    home = homes.get(sys.platform, os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    return Path(home).expanduser() / "tower_sim"


def keep(name: str, content: bytes) -> None:
    """Write `content` to a file of the cache, which is replaced as a whole; without a cache do nothing."""
    path = user_cache() / name
    begun = path.with_name(f"{name}.{secrets.token_hex(8)}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            begun.write_bytes(hashlib.sha256(content).digest() + content)
            begun.replace(path)
        finally:
            begun.unlink(missing_ok=True)


def kept(name: str) -> bytes | None:
    """Return what `keep` wrote under `name`; None if it is missing or damaged."""
    try:
        sealed = (user_cache() / name).read_bytes()
    except OSError:
        return None
    return sealed[_HASH:] if hashlib.sha256(sealed[_HASH:]).digest() == sealed[:_HASH] else None
