"""Keys that sign a log, and how one follows another: Ed25519 (RFC 8032), by the package `cryptography`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from tower_sim.errors import fault
from tower_sim.extras import extra

_MODULE = "cryptography.hazmat.primitives.asymmetric.ed25519"
_LABEL = b"tower_sim key succession 1"
Entropy = Callable[[int], bytes]
"""Gives so many random bytes, as `secrets.token_bytes` does."""


@dataclass(frozen=True, slots=True)
class Succession:
    """The key `old` says that `new` follows it: public keys and the old one's `signature`, in hexadecimal."""

    old: str
    new: str
    signature: str

    def holds(self) -> bool:
        """Say whether the old key has signed it."""
        return is_signed(self.old, self.signature, _succession(self.old, self.new))


@dataclass(frozen=True, slots=True)
class Keyring:
    """The server's key: its `secret` half (32 bytes, never shown), and how it followed older ones, the oldest first.

    Raises UsageError when the package `cryptography` is not installed.
    """

    secret: bytes = field(repr=False)
    succession: tuple[Succession, ...] = ()
    public: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "public", self._key().public_key().public_bytes_raw().hex())

    @classmethod
    def made(cls, entropy: Entropy) -> Keyring:
        """Make a first key. Random: 32 bytes of `entropy`."""
        return cls(entropy(32))

    def rotated(self, entropy: Entropy) -> Keyring:
        """Return the ring with a new key, which this one has signed; the old secret is then needed no more.

        Random: 32 bytes of `entropy`.
        """
        new = Keyring(entropy(32))
        signature = self.sign(_succession(self.public, new.public))
        return Keyring(new.secret, (*self.succession, Succession(self.public, new.public, signature)))

    def sign(self, message: bytes) -> str:
        """Return the signature of `message`: 64 bytes in hexadecimal."""
        return self._key().sign(message).hex()

    def since(self, public: str) -> tuple[Succession, ...]:
        """Return how this key followed the key `public`; raises UsageError when it did not."""
        if public == self.public:
            return ()
        for i, link in enumerate(self.succession):
            if link.old == public:
                return self.succession[i:]
        raise fault("key of the log", public, "the server's key or one that it followed", "take the ring that began it")

    def to_plain(self) -> dict[str, Any]:
        """Return it as JSON can hold it, the secret with it: for the server's own storage only."""
        return {"secret": self.secret.hex(), "succession": [asdict(link) for link in self.succession]}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> Keyring:
        """Read what `to_plain` gave."""
        return cls(bytes.fromhex(plain["secret"]), tuple(Succession(**link) for link in plain["succession"]))

    def _key(self) -> Any:
        return extra(_MODULE, "service").Ed25519PrivateKey.from_private_bytes(self.secret)


def is_signed(public: str, signature: str, message: bytes) -> bool:
    """Say whether the key `public` has signed `message`; both in hexadecimal. False for what is no key at all.

    Raises UsageError when the package `cryptography` is not installed.
    """
    ed25519, exceptions = extra(_MODULE, "service"), extra("cryptography.exceptions", "service")
    try:
        ed25519.Ed25519PublicKey.from_public_bytes(bytes.fromhex(public)).verify(bytes.fromhex(signature), message)
    except (ValueError, exceptions.InvalidSignature):
        return False
    return True


def followed(key: str, succession: Sequence[Succession]) -> str | None:
    """Return the key that follows `key` by these links, one after another; None when a link is missing or forged."""
    for link in succession:
        if link.old != key or not link.holds():
            return None
        key = link.new
    return key


def check_key(public: str) -> str:
    """Return a public key, in small letters; raises UsageError unless it is 64 hexadecimal digits."""
    key = public.strip().lower()
    if len(key) != 64 or set(key) - set("0123456789abcdef"):
        raise fault("key", public, "a public key of 64 hexadecimal digits", "copy the one that the server shows")
    return key


def _succession(old: str, new: str) -> bytes:
    return _LABEL + bytes.fromhex(old) + bytes.fromhex(new)
