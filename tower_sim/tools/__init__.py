"""Tools that know of no tower: files, text for people, progress, workers, compiled functions."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools.faces import face

if TYPE_CHECKING:
    from tower_sim.tools import portable, registry, student, writing
    from tower_sim.tools.pool import (
        check_workers,
        extra,
        in_threads,
        need,
        pip_install,
        processes,
        without_interrupts,
        without_main,
    )
    from tower_sim.tools.reading import (
        CAMPAIGN,
        MAX_BYTES,
        MAX_DIGITS,
        MODEL,
        OBSERVATION,
        PROFILE,
        RECORDS,
        RULES,
        STATE,
        Column,
        as_path,
        check_bounds,
        is_kind,
        json_value,
        read_bytes,
        read_text,
        refuse_constant,
        refuse_other,
        toml_key,
        toml_table,
        toml_text,
    )
    from tower_sim.tools.registry import OWN, get, names
    from tower_sim.tools.terminal import Telling, count_noun, nothing, one_line, report_progress, say, terminable, warn
    from tower_sim.tools.token import MOST_BYTES, pack, unpack
    from tower_sim.tools.version import TOWER_SIM
    from tower_sim.tools.writing import (
        CALLERS,
        PART,
        WritingFailed,
        check,
        keeping,
        make_folder,
        replace,
        sync_directory,
        write,
        write_all,
        writing_error,
    )

__getattr__ = face(__name__)
