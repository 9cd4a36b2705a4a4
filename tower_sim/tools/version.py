"""The version of tower_sim in its package, its files and its answers."""

TOWER_SIM = "0.1.0"
