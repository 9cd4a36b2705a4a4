"""Impulses: what one does to a row, whose velocity and spin are held as six numbers while a pair is being solved."""

from __future__ import annotations

from tower_sim.physics.core.arrays import LIGHT, MOBILE, SWIFT, T
from tower_sim.physics.core.compiled import inner
from tower_sim.physics.core.cuboids import answer

Six = tuple[float, float, float, float, float, float]
"""Velocity (m/s) and spin (rad/s)."""
Three = tuple[float, float, float]


@inner
def taken(bodies: T, i: int, line: int, spin: int) -> Six:
    """Take a row's velocity from its columns from `line` on, and its spin from those from `spin` on."""
    return (
        bodies[i, line],
        bodies[i, line + 1],
        bodies[i, line + 2],
        bodies[i, spin],
        bodies[i, spin + 1],
        bodies[i, spin + 2],
    )


@inner
def put(bodies: T, i: int, line: int, spin: int, v: Six) -> None:
    """Put a row's velocity and spin back."""
    bodies[i, line], bodies[i, line + 1], bodies[i, line + 2] = v[0], v[1], v[2]
    bodies[i, spin], bodies[i, spin + 1], bodies[i, spin + 2] = v[3], v[4], v[5]


@inner
def arm(contacts: T, row: int, c: int) -> Three:
    """Return the arm (m) of a contact point that stands in the columns from `c` on."""
    return contacts[row, c], contacts[row, c + 1], contacts[row, c + 2]


@inner
def apart(v: Six, r: Three, w: Six, s: Three) -> Three:
    """Return the velocity of a row's point at `r` from its centre, against another's at `s` from its own."""
    return (
        v[0] + (v[4] * r[2] - v[5] * r[1]) - (w[0] + (w[4] * s[2] - w[5] * s[1])),
        v[1] + (v[5] * r[0] - v[3] * r[2]) - (w[1] + (w[5] * s[0] - w[3] * s[2])),
        v[2] + (v[3] * r[1] - v[4] * r[0]) - (w[2] + (w[3] * s[1] - w[4] * s[0])),
    )


@inner
def lightness(bodies: T, i: int) -> tuple[float, float]:
    """Return what a row's velocity and spin answer to a unit impulse (1/kg, 1/(kg m2)): 0 unless it is awake."""
    return bodies[i, LIGHT] * bodies[i, MOBILE], bodies[i, SWIFT] * bodies[i, MOBILE]


@inner
def struck(bodies: T, i: int, v: Six, ease: tuple[float, float], r: Three, x: float, y: float, z: float) -> Six:
    """Return velocity and spin of a row after an impulse (N s) at `r` from its centre; `ease` is its lightness."""
    light = ease[0]
    swung = swung_by(bodies, i, v, ease[1], r[1] * z - r[2] * y, r[2] * x - r[0] * z, r[0] * y - r[1] * x)
    return v[0] + light * x, v[1] + light * y, v[2] + light * z, swung[3], swung[4], swung[5]


@inner
def swung_by(bodies: T, i: int, v: Six, swift: float, x: float, y: float, z: float) -> Six:
    """Return velocity and spin of a row after an angular impulse (N m s); `swift` is negative for a cuboid."""
    if swift < 0.0:
        x, y, z = answer(bodies, i, x, y, z)
        swift = 1.0
    return v[0], v[1], v[2], v[3] + swift * x, v[4] + swift * y, v[5] + swift * z
