"""Impulses: what one does to a row, whose velocity and spin are held as six numbers while a pair is being solved."""

from __future__ import annotations

from tower_sim.compiled.marks import inner
from tower_sim.physics.core.arrays import INV_INERTIA, INV_MASS, MOBILE, T
from tower_sim.physics.core.cuboids import inv_inertia_times

Six = tuple[float, float, float, float, float, float]
"""Velocity (m/s) and spin (rad/s)."""
Three = tuple[float, float, float]


@inner
def velocity_of(bodies: T, i: int, line: int, spin: int) -> Six:
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
def set_velocity(bodies: T, i: int, line: int, spin: int, v: Six) -> None:
    """Put a row's velocity and spin back."""
    bodies[i, line], bodies[i, line + 1], bodies[i, line + 2] = v[0], v[1], v[2]
    bodies[i, spin], bodies[i, spin + 1], bodies[i, spin + 2] = v[3], v[4], v[5]


@inner
def arm(contacts: T, row: int, c: int) -> Three:
    """Return the arm (m) of a contact point that stands in the columns from `c` on."""
    return contacts[row, c], contacts[row, c + 1], contacts[row, c + 2]


@inner
def relative_velocity(v: Six, r: Three, w: Six, s: Three) -> Three:
    """Return the velocity of a row's point at `r` from its centre, against another's at `s` from its own."""
    return (
        v[0] + (v[4] * r[2] - v[5] * r[1]) - (w[0] + (w[4] * s[2] - w[5] * s[1])),
        v[1] + (v[5] * r[0] - v[3] * r[2]) - (w[1] + (w[5] * s[0] - w[3] * s[2])),
        v[2] + (v[3] * r[1] - v[4] * r[0]) - (w[2] + (w[3] * s[1] - w[4] * s[0])),
    )


@inner
def velocity_at(v: Six, r: Three) -> Three:
    """Return the velocity of a row's point at `r` from its centre."""
    return v[0] + (v[4] * r[2] - v[5] * r[1]), v[1] + (v[5] * r[0] - v[3] * r[2]), v[2] + (v[3] * r[1] - v[4] * r[0])


@inner
def inv_masses(bodies: T, i: int) -> tuple[float, float]:
    """Return a row's inverse mass (1/kg) and inverse inertia (1/(kg m2)); 0 unless it is awake."""
    return bodies[i, INV_MASS] * bodies[i, MOBILE], bodies[i, INV_INERTIA] * bodies[i, MOBILE]


@inner
def with_impulse(bodies: T, i: int, v: Six, inv: tuple[float, float], r: Three, x: float, y: float, z: float) -> Six:
    """Return velocity and spin of a row after an impulse (N s) at `r` from its centre; `inv`: see `inv_masses`."""
    inv_mass = inv[0]
    swung = with_angular_impulse(bodies, i, v, inv[1], r[1] * z - r[2] * y, r[2] * x - r[0] * z, r[0] * y - r[1] * x)
    return v[0] + inv_mass * x, v[1] + inv_mass * y, v[2] + inv_mass * z, swung[3], swung[4], swung[5]


@inner
def with_angular_impulse(bodies: T, i: int, v: Six, inv_inertia: float, x: float, y: float, z: float) -> Six:
    """Return velocity and spin of a row after an angular impulse (N m s); `inv_inertia` is negative for a cuboid."""
    if inv_inertia < 0.0:
        x, y, z = inv_inertia_times(bodies, i, x, y, z)
        inv_inertia = 1.0
    return v[0], v[1], v[2], v[3] + inv_inertia * x, v[4] + inv_inertia * y, v[5] + inv_inertia * z
