"""Drops of any model: repeated until one lands, recorded, thrown by hand, and thrown many times for the odds."""
