"""STEP: each part as a solid of plane faces, for a modeller (ISO 10303-21, application protocol 214).

Triangles of one plane are one face, with its holes. OpenCascade would write it too, but takes 1.3 GB when installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tower_sim.printing.mesh import Array, Mesh, across, normals, owners

_FLAT = 1e-6  # 1 - cosine of the angle between two triangles of one plane
_NEAR = 1e-3  # mm off that plane
Loop = list[int]


def to_step(mesh: Mesh, title: str) -> bytes:
    """Return a mesh as a STEP file with one solid, lengths in mm."""
    lines: list[str] = []

    def add(text: str) -> str:
        lines.append(f"#{len(lines) + 1}={text};")
        return f"#{len(lines)}"

    name = "".join(letter for letter in title.encode("ascii", "replace").decode() if letter not in "'\\\n")
    context = _context(add, name)
    points = [add(f"CARTESIAN_POINT('',({_numbers(v)}))") for v in mesh.vertices]
    vertices = [add(f"VERTEX_POINT('',{point})") for point in points]
    edges: dict[tuple[int, int], str] = {}

    def edge(start: int, end: int) -> str:
        low, high = min(start, end), max(start, end)
        if (low, high) not in edges:
            way = mesh.vertices[high] - mesh.vertices[low]
            length = float(np.linalg.norm(way))
            direction = add(f"DIRECTION('',({_numbers(way / length)}))")
            vector = add(f"VECTOR('',{direction},{length:.9f})")
            line = add(f"LINE('',{points[low]},{vector})")
            edges[low, high] = add(f"EDGE_CURVE('',{vertices[low]},{vertices[high]},{line},.T.)")
        return add(f"ORIENTED_EDGE('',*,*,{edges[low, high]},.{'T' if start == low else 'F'}.)")

    faces: list[str] = []
    for normal, loops in plane_faces(mesh):
        bounds: list[str] = []
        for k, loop in enumerate(loops):
            ring = ",".join(edge(loop[i], loop[(i + 1) % len(loop)]) for i in range(len(loop)))
            kind = "FACE_BOUND" if k else "FACE_OUTER_BOUND"
            outline = add(f"EDGE_LOOP('',({ring}))")
            bounds.append(add(f"{kind}('',{outline},.T.)"))
        along = across(normal)
        along /= np.linalg.norm(along)
        axis, reference = add(f"DIRECTION('',({_numbers(normal)}))"), add(f"DIRECTION('',({_numbers(along)}))")
        placed = add(f"AXIS2_PLACEMENT_3D('',{points[loops[0][0]]},{axis},{reference})")
        plane = add(f"PLANE('',{placed})")
        faces.append(add(f"ADVANCED_FACE('',({','.join(bounds)}),{plane},.T.)"))
    shell = add(f"CLOSED_SHELL('',({','.join(faces)}))")
    solid = add(f"MANIFOLD_SOLID_BREP('{name}',{shell})")
    shape = add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('{name}',({solid}),{context[0]})")
    add(f"SHAPE_DEFINITION_REPRESENTATION({context[1]},{shape})")
    head = (
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION((''),'2;1');\n"
        f"FILE_NAME('{name}','1970-01-01T00:00:00',(''),(''),'tower_sim','tower_sim','');\n"
        "FILE_SCHEMA(('AUTOMOTIVE_DESIGN { 1 0 10303 214 1 1 1 1 }'));\nENDSEC;\nDATA;\n"
    )
    return (head + "\n".join(lines) + "\nENDSEC;\nEND-ISO-10303-21;\n").encode("ascii")


def _context(add: Callable[[str], str], name: str) -> tuple[str, str]:
    """Add what every STEP file says of its product and its units; return the context and the product's definition."""
    application = add("APPLICATION_CONTEXT('automotive design')")
    add(f"APPLICATION_PROTOCOL_DEFINITION('international standard','automotive_design',2000,{application})")
    mechanical = add(f"PRODUCT_CONTEXT('',{application},'mechanical')")
    product = add(f"PRODUCT('{name}','{name}','',({mechanical}))")
    formation = add(f"PRODUCT_DEFINITION_FORMATION('','',{product})")
    design = add(f"PRODUCT_DEFINITION_CONTEXT('part definition',{application},'design')")
    definition = add(f"PRODUCT_DEFINITION('','',{formation},{design})")
    shape = add(f"PRODUCT_DEFINITION_SHAPE('','',{definition})")
    length = add("(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT(.MILLI.,.METRE.))")
    angle = add("(NAMED_UNIT(*)PLANE_ANGLE_UNIT()SI_UNIT($,.RADIAN.))")
    solid = add("(NAMED_UNIT(*)SI_UNIT($,.STERADIAN.)SOLID_ANGLE_UNIT())")
    about = add(f"UNCERTAINTY_MEASURE_WITH_UNIT(LENGTH_MEASURE(1.E-03),{length},'distance_accuracy_value','')")
    context = add(
        "(GEOMETRIC_REPRESENTATION_CONTEXT(3)"
        f"GLOBAL_UNCERTAINTY_ASSIGNED_CONTEXT(({about}))"
        f"GLOBAL_UNIT_ASSIGNED_CONTEXT(({length},{angle},{solid}))REPRESENTATION_CONTEXT('',''))"
    )
    return context, shape


def _numbers(values: Iterable[float]) -> str:
    return ",".join(f"{float(value) + 0.0:.9f}" for value in values)


def plane_faces(mesh: Mesh) -> list[tuple[Array, list[Loop]]]:
    """Return the plane faces of a mesh: the normal of each and its outlines as indices, the outer one first."""
    corners, owner = mesh.corners, owners(mesh.faces)
    normal, area = normals(corners)
    done = np.zeros(len(mesh.faces), dtype=bool)
    found: list[tuple[Array, list[Loop]]] = []
    for seed in np.argsort(-area, kind="stable").tolist():
        if done[seed]:
            continue
        done[seed] = True
        own, waiting = {seed}, [seed]
        while waiting:
            face = mesh.faces[waiting.pop()]
            for k in range(3):
                j = owner[int(face[(k + 1) % 3]), int(face[k])]
                if not done[j] and _in_plane(corners[j], corners[seed, 0], normal[seed], normal[j]):
                    done[j] = True
                    own.add(j)
                    waiting.append(j)
        sides = {(int(mesh.faces[i][k]), int(mesh.faces[i][(k + 1) % 3])) for i in own for k in range(3)}
        found.append((normal[seed], _loops({s for s in sides if s[::-1] not in sides}, mesh.vertices, normal[seed])))
    return found


def _in_plane(corners: Array, point: Array, normal: Array, own: Array) -> bool:
    return bool(normal @ own > 1 - _FLAT and np.abs((corners - point) @ normal).max() < _NEAR)


def _loops(sides: set[tuple[int, int]], vertices: Array, normal: Array) -> list[Loop]:
    """Join directed sides into closed loops, that around the largest area first; where two meet, they stay apart."""
    after: dict[int, list[int]] = {}
    for start, end in sorted(sides):
        after.setdefault(start, []).append(end)
    loops: list[Loop] = []
    while after:
        first = min(after)
        loop = [first]
        while True:
            nexts = after[loop[-1]]
            before = vertices[loop[-1]] - vertices[loop[-2]] if len(loop) > 1 else None
            step = (
                nexts[0] if before is None or len(nexts) == 1 else _sharpest(nexts, loop[-1], before, vertices, normal)
            )
            nexts.remove(step)
            if not nexts:
                del after[loop[-1]]
            if step == first:
                break
            loop.append(step)
        loops.append(loop)

    def twice(loop: Loop) -> float:
        ring = vertices[loop]
        return float(normal @ np.cross(ring, np.roll(ring, -1, axis=0)).sum(axis=0))

    return sorted(loops, key=twice, reverse=True)


def _sharpest(nexts: list[int], here: int, before: Array, vertices: Array, normal: Array) -> int:
    """Return which way on turns most to the left, so that a face that touches itself in a corner stays simple."""

    def turn(to: int) -> float:
        way = vertices[to] - vertices[here]
        return float(np.arctan2(normal @ np.cross(before, way), before @ way))

    return max(nexts, key=turn)
