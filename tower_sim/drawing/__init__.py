"""Pictures of an apparatus with its dimensions. Only matplotlib's object interface is used."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.drawing.files import FONT, GREY, INK, check_path, cube_colours, picture_bytes, save
    from tower_sim.drawing.paint import Paint, paints
    from tower_sim.drawing.picture import (
        COLUMN,
        ROW,
        WIDEST,
        apparatus_figure,
        draw_apparatus,
        draw_rows,
        draw_squares,
        draw_stacks,
        dress,
        find_colours,
        find_mark,
        measure_margin,
        stack_height,
    )
    from tower_sim.drawing.plan import describe_cubes, draw_plan, find_near_cubes, project_on_plan
    from tower_sim.drawing.sheet import measure_width
    from tower_sim.drawing.sight import Look, View, render
    from tower_sim.drawing.solids import Faces, make_faces
    from tower_sim.drawing.surfaces import cut_section

__getattr__ = face(__name__)
