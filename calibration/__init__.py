"""Fit a simulated tower to observations of a real one, with uncertainty; test recorded drops against a profile.

What cannot be used (a file, a tower, a number) raises UsageError.
"""
