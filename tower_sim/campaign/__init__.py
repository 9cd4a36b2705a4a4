"""Campaigns: thousands of drops, played on processes or a cluster. A crash loses no finished work.

    spec (TOML) -> shards -> run (processes, Dask) -> store -> status, verify

A shard is a part of the runs. Only the client, the process that starts the campaign, writes files.
"""

# pyright: reportUnusedImport=false
from typing import TYPE_CHECKING

from tower_sim.tools import face

if TYPE_CHECKING:
    from tower_sim.campaign.data import INSIDE, SETUP, Campaign
    from tower_sim.campaign.reader import campaign_of, load_whole, read_campaign
    from tower_sim.campaign.running import campaign_run, campaign_status, campaign_verify, run, spans, status, verify
    from tower_sim.campaign.spec import Spec, canonical_json, load, parse
    from tower_sim.campaign.tables import Shard, ShardRows, list_tables, play_run, run_shard
    from tower_sim.campaign.vary import SAMPLED, apply_values, describe

__getattr__ = face(__name__)
