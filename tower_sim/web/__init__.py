"""The web app in TypeScript under src/, and the pages that it shows: live, lab, replay and record; and <cube-tower>.

Read src/live/main.tsx for the app; page.py for what a page is. live.py, lab.py, replay.py and, for record,
calibration/recording.py fill one. `python -m tests.measure.web` builds built/: who installs tower_sim needs no node.
"""
