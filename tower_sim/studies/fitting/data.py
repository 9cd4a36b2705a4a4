"""What the data of both kinds of surrogate have in common: the campaigns' apparatus, engine and runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from tower_sim.apparatus import Apparatus, from_tables
from tower_sim.campaign import Campaign
from tower_sim.errors import UsageError, fault
from tower_sim.results import Array
from tower_sim.surrogate import Fitted


def find_apparatus(campaigns: Sequence[Campaign]) -> Apparatus:
    """Return the one apparatus of physics campaigns.

    Raises UsageError for several apparatuses or engines, a varied profile or settings, and the model two_thirds.
    """
    shapes: dict[str, Apparatus] = {}
    for campaign in campaigns:
        fields = {key for values in campaign.points for key in values}
        varied = sorted(key for key in fields if key.startswith(("profile.", "settings.")))
        if varied:
            raise fault("a field of vary.fields", varied[0], "none of profile or settings", "fit one point")
        if campaign.spec.get("model") == "two_thirds":
            raise fault("campaign.model", "two_thirds", "'physics'", "run it with physics")
        shape = from_tables(campaign.spec["profile"], str(campaign.spec["apparatus"]))
        shapes[shape.digest] = shape
    if len(shapes) != 1:
        names = ", ".join(f"{shape.name} ({digest})" for digest, shape in shapes.items())
        raise UsageError(f"campaigns are of {len(shapes)} apparatuses ({names}); allowed is one; fit each by itself")
    find_engine(campaigns)
    return next(iter(shapes.values()))


def find_engine(campaigns: Sequence[Campaign]) -> str:
    """Return the one physics engine of campaigns, or an empty text."""
    physics = (campaign.spec for campaign in campaigns if campaign.spec.get("model") == "physics")
    engines = list(dict.fromkeys(str(spec["settings"]["engine"]) for spec in physics))
    if len(engines) > 1:
        raise UsageError(f"campaigns are of the engines {', '.join(engines)}; allowed is one; fit each by itself")
    return engines[0] if engines else ""


def other_engine(fitted: Fitted, campaigns: Sequence[Campaign]) -> str:
    """Return a sentence if the campaigns' physics engine differs from the model's, else an empty text."""
    engine = find_engine(campaigns)
    if not engine or not fitted.engine or engine == fitted.engine:
        return ""
    return (
        f"The model was fitted to drops of the engine {fitted.engine}, these are of {engine}: what differs "
        "is also what the engines differ by."
    )


def starts(counts: Iterable[int]) -> Array:
    """Return where each of several parts begins when they follow one another, shape (parts,)."""
    return np.cumsum([0, *counts])[:-1]


def run_starts(campaigns: Sequence[Campaign]) -> Array:
    """Return the number of each campaign's first run when runs are numbered over all campaigns."""
    return starts(campaign.runs for campaign in campaigns)
