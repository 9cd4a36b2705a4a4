"""Tools that know of no tower: files, text for people, progress, workers, compiled functions."""
