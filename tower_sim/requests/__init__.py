"""What may be asked for, each typed and checked once: a throw, a game, odds, a comparison's variant."""
