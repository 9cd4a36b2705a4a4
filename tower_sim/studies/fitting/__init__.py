"""Fit a surrogate to campaigns, check it on runs that it was not fitted to, and write reports.

Both kinds of surrogate have the same parts; no game is named here. Campaigns and models that cannot be
used raise UsageError.

    tower   campaigns --data--> Rows --fit (cascade_fit, knocks)--> cascade; ladder scores its rungs
            unseen runs --ladder--> single drops; --whole_games (distances), classifier--> whole games
    board   campaigns --data--> Throws --fit--> law
            unseen runs, and the surrogate's --facts--> tests
"""
