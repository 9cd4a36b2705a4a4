"""Campaigns: thousands of drops, spread over processes or a cluster, stored so that a kill loses nothing.

    spec (TOML) -> shards -> run (processes, Dask) -> store -> status, verify

The client alone writes; a shard depends on the spec and its number only.
"""

from tower_sim.campaign.run import campaign_run, campaign_status, campaign_verify, run, status, verify
from tower_sim.campaign.spec import Spec, load, parse
from tower_sim.campaign.work import Shard, run_shard

__all__ = [
    "Shard",
    "Spec",
    "campaign_run",
    "campaign_status",
    "campaign_verify",
    "load",
    "parse",
    "run",
    "run_shard",
    "status",
    "verify",
]
