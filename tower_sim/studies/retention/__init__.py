"""Statistics of a campaign and their plots."""
