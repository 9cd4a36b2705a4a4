"""What a draw is drawn from: the server's secret seed, the player's words, the round and the number of the draw.

Sources: HMAC, RFC 2104, with SHA-256, FIPS 180-4; keyed by the secret as a generator is in NIST SP 800-90A (HMAC_DRBG),
of which one block is enough here.
"""

from __future__ import annotations

import hashlib
import hmac

from tower_sim.errors import fault

SEED_BYTES = 32
ID_BYTES = 16
LEAST_WORDS, MOST_WORDS = 8, 256  # characters
_LABEL = b"tower_sim draw 1"


def commitment(seed: bytes) -> str:
    """Return what the server commits to before it knows the player's words: SHA-256 of its `seed`, in hexadecimal."""
    return hashlib.sha256(seed).hexdigest()


def draw_seed(seed: bytes, words: str, round_id: str, index: int) -> int:
    """Return the seed of draw `index` (from 0) of a round: the first 128 bits of an HMAC-SHA256 keyed by `seed`.

    The message is 16 bytes of label, 16 of the round's identity (`round_id`, in hexadecimal), 8 of `index` (the highest
    first), then `words` in UTF-8: all but the last have one length, so no two draws share a message.
    """
    message = _LABEL + bytes.fromhex(round_id) + index.to_bytes(8, "big") + words.encode()
    return int.from_bytes(hmac.digest(seed, message, "sha256")[:16], "big")


def check_words(words: object) -> str:
    """Return the player's words; raises UsageError unless they are a text of 8 to 256 printable characters."""
    allowed = f"a text of {LEAST_WORDS} to {MOST_WORDS} printable characters"
    advice = "write what nobody can guess: some words of your own, or rolled dice"
    if not isinstance(words, str) or not LEAST_WORDS <= len(words) <= MOST_WORDS or not words.isprintable():
        raise fault("words", words, allowed, advice)
    return words
