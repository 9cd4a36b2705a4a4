"""The random generator of the portable sampler: xoshiro128**, seeded by a mixing function of four 32-bit words.

Sources: Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM Trans. Math. Softw. 47(4), 2021; the
finaliser of MurmurHash3 (Appleby, public domain) for seeding.
"""

from __future__ import annotations

from tower_sim.errors import check_whole, fault

_MASK = 0xFFFFFFFF


def mixed(x: int) -> int:
    """Return the finaliser of MurmurHash3 for a 32-bit word."""
    x = (x ^ (x >> 16)) * 0x85EBCA6B & _MASK
    x = (x ^ (x >> 13)) * 0xC2B2AE35 & _MASK
    return x ^ (x >> 16)


class WordStream:
    """A stream of whole numbers from 0 to 2^32 - 1, decided by the four words of `seed` and the number `stream`.

    Word i of the state starts as mixed(seed[i] + mixed(stream + GOLDEN * (i + 1))), modulo 2^32. The last word is made
    odd, so that the state is never all zeros.
    """

    GOLDEN = 0x9E3779B9

    def __init__(self, seed: tuple[int, int, int, int], stream: int = 0) -> None:
        if len(seed) != 4:
            raise fault("seed", seed, "four whole numbers from 0 to 2^32 - 1", "give as many")
        words = [check_whole("a word of the seed", word, 0, _MASK) for word in seed]
        stream = check_whole("stream", stream, 0, _MASK)
        a, b, c, d = (
            mixed(word + mixed((stream + self.GOLDEN * (i + 1)) & _MASK) & _MASK) for i, word in enumerate(words)
        )
        self._state = (a, b, c, d | 1)

    def __call__(self) -> int:
        """Return the next word."""
        a, b, c, d = self._state
        x = b * 5 & _MASK
        drawn = ((x << 7 | x >> 25) & _MASK) * 9 & _MASK
        shifted = b << 9 & _MASK
        c ^= a
        d ^= b
        b ^= c
        a ^= d
        c ^= shifted
        d = (d << 11 | d >> 21) & _MASK
        self._state = (a, b, c, d)
        return drawn
