"""Campaigns: thousands of drops, played on processes or a cluster. A crash loses no finished work.

    spec (TOML) -> shards -> run (processes, Dask) -> store -> status, verify

A shard is a part of the runs. Only the client, the process that starts the campaign, writes files.
"""

from tower_sim.campaign.run import campaign_run, campaign_status, campaign_verify, run, status, verify
from tower_sim.campaign.spec import Spec, load, parse
from tower_sim.campaign.tables import Shard, run_shard

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
