"""The tower without physics: probability distributions that are fitted to many simulated drops.

    campaign --fitting/--> law --store--> models/NAME.json --store--> law --> model --> outcome
                                                                       |
    of a tower   law: cascade.py --table.py, rounded--> Table          +-> model.py: SurrogateModel
                     one drop: table.moved; whole runs at once: kernel.py
                     other languages: export.py (generator.py, sampler.js)
    of a board   law: board_law.py                                     +-> ship.py: ShipSurrogate

`two_thirds.py` has a rule of thumb, `groups.py` the simpler distributions that the law is compared with. This
package knows no game. Files and towers that do not fit raise UsageError. READ model.py FIRST; docs/surrogate.md says
how close the surrogate is to physics.
"""
