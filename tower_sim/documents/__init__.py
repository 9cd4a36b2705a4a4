"""Documents: typed values that are read and written as TOML and JSON, and the answers that programs get."""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.documents import answers, typed
    from tower_sim.documents.answers import (
        Answer,
        ApparatusName,
        ChancesAnswer,
        Counts,
        EstimateAnswer,
        Here,
        LandingAnswer,
        Mean,
        ModelName,
        ProblemAnswer,
        Refusal,
        Seed,
        Share,
        ThrowAnswer,
        ThrowChances,
        make_type,
    )
    from tower_sim.documents.typed import (
        Document,
        describe_allowed,
        mistake,
        number,
        raise_usage_errors,
        read,
        refuse_unknown,
    )

__getattr__ = face(__name__)
