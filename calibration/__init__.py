"""Fit a simulated tower to observations of a real one, with uncertainty; test recorded drops against a profile."""
