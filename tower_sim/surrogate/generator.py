"""The random words of the surrogate, compiled in advance: xoshiro128**, seeded from four words of 32 bits.

Sources: Blackman and Vigna, Scrambled linear pseudorandom number generators, ACM Trans. Math. Softw. 47(4), 2021; the
finaliser of MurmurHash3 (Appleby, public domain) for seeding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tower_sim.compiled.marks import aside

Array = npt.NDArray[Any]

_MASK = 0xFFFFFFFF
_GOLDEN = 0x9E3779B9
_5, _7, _9, _11, _21, _25 = (np.uint32(i) for i in (5, 7, 9, 11, 21, 25))  # plain numbers would make words of 64 bits


@aside
def mixed(x: int) -> int:
    """Return the finaliser of MurmurHash3 for a word."""
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & _MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & _MASK
    return x ^ (x >> 16)


@aside
def seeded(state: Array, seed: Array, stream: int) -> None:
    """Begin stream number `stream` of a `seed` of four words; the last is made odd, so that not all of them are 0."""
    for i in range(4):
        state[i] = mixed((seed[i] + mixed((stream + _GOLDEN * (i + 1)) & _MASK)) & _MASK)
    state[3] |= 1


@aside
def step(a: Any, b: Any, c: Any, d: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Return the next word and the state after it, each an np.uint32."""
    x = np.uint32(b * _5)
    drawn = np.uint32(np.uint32((x << _7) | (x >> _25)) * _9)
    shifted = np.uint32(b << _9)
    c ^= a
    d ^= b
    return drawn, np.uint32(a ^ d), np.uint32(b ^ c), np.uint32(c ^ shifted), np.uint32((d << _11) | (d >> _21))


@aside
def draw(state: Array, words: Array, first: int, end: int) -> None:
    """Write the next words into `words`, from `first` to before `end`; the `state` of four moves on."""
    a, b, c, d = np.uint32(state[0]), np.uint32(state[1]), np.uint32(state[2]), np.uint32(state[3])
    for i in range(first, end):
        words[i], a, b, c, d = step(a, b, c, d)
    state[0], state[1], state[2], state[3] = a, b, c, d


@aside
def word(state: Array) -> Any:
    """Return the next word of a `state` of four, which moves on."""
    drawn, a, b, c, d = step(np.uint32(state[0]), np.uint32(state[1]), np.uint32(state[2]), np.uint32(state[3]))
    state[0], state[1], state[2], state[3] = a, b, c, d
    return drawn
