"""Which tower_sim this is, as pip, its files and its answers say."""

TOWER_SIM = "0.1.0"
