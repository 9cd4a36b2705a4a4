"""Impulses: what one does to a body, whose velocity and spin are held as six numbers while a pair is being solved."""

from __future__ import annotations

from tower_sim.compiled.marks import R, T, inner
from tower_sim.physics.core.cuboids import inv_inertia_times
from tower_sim.physics.core.vectors import Three

Six = tuple[float, float, float, float, float, float]
"""Velocity (m/s) and spin (rad/s)."""


@inner
def velocity_of(line: T, spin: T) -> Six:
    """Return a velocity and a spin as six numbers."""
    return line[0], line[1], line[2], spin[0], spin[1], spin[2]


@inner
def set_velocity(line: T, spin: T, v: Six) -> None:
    """Put a velocity and a spin back."""
    line[0], line[1], line[2] = v[0], v[1], v[2]
    spin[0], spin[1], spin[2] = v[3], v[4], v[5]


@inner
def relative_velocity(v: Six, r: Three, w: Six, s: Three, is_free: bool) -> Three:
    """Return the velocity of a body's point at `r` from its centre, against another's at `s` if that is free."""
    x, y, z = _velocity_at(v, r)
    if is_free:
        u = _velocity_at(w, s)
        x, y, z = x - u[0], y - u[1], z - u[2]
    return x, y, z


@inner
def _velocity_at(v: Six, r: Three) -> Three:
    return v[0] + (v[4] * r[2] - v[5] * r[1]), v[1] + (v[5] * r[0] - v[3] * r[2]), v[2] + (v[3] * r[1] - v[4] * r[0])


@inner
def inv_masses(body: R) -> tuple[float, float]:
    """Return a body's inverse mass (1/kg) and inverse inertia (1/(kg m2)); 0 unless it is awake."""
    return body.inv_mass * body.mobile, body.inv_inertia * body.mobile


@inner
def with_impulse(body: R, v: Six, inv: tuple[float, float], r: Three, x: float, y: float, z: float) -> Six:
    """Return velocity and spin of a body after an impulse (N s) at `r` from its centre; `inv`: see `inv_masses`."""
    inv_mass = inv[0]
    swung = with_angular_impulse(body, v, inv[1], r[1] * z - r[2] * y, r[2] * x - r[0] * z, r[0] * y - r[1] * x)
    return v[0] + inv_mass * x, v[1] + inv_mass * y, v[2] + inv_mass * z, swung[3], swung[4], swung[5]


@inner
def with_angular_impulse(body: R, v: Six, inv_inertia: float, x: float, y: float, z: float) -> Six:
    """Return velocity and spin of a body after an angular impulse (N m s); `inv_inertia` is negative for a cuboid."""
    if inv_inertia < 0.0:
        x, y, z = inv_inertia_times(body, x, y, z)
        inv_inertia = 1.0
    return v[0], v[1], v[2], v[3] + inv_inertia * x, v[4] + inv_inertia * y, v[5] + inv_inertia * z
