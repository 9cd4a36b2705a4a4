"""The tower without physics: a law fitted to many simulated drops, played by whole numbers.

    campaign --fitting/--> law --store--> models/NAME.json --store--> law --> model --> outcome
                                                                       |
    of a tower   law: cascade.py --table.py, rounded--> Table          +-> model.py: SurrogateModel
                     one drop: table.moved; whole runs at once: kernel.py (numba, or by_wasm.py)
                     other languages: export.py (generator.py, sampler.js)
    of a board   law: board_law.py                                     +-> ship.py: ShipSurrogate

`two_thirds.py` is the rule of thumb to beat, `groups.py` the law of the ladder's lower rungs. No game is known here:
what the drops of a game throw is a `tower_sim.runs.array.Plan`, and what comes of it `Runs`. READ model.py FIRST;
docs/surrogate.md says how close it is to physics.
"""
