"""The web app in TypeScript under src/, and the pages that it shows: live, lab, replay and record; and <cube-tower>.

Read src/live/main.tsx for the app; page.py for what a page is. live.py, lab.py, replay.py and, for record,
calibration/recording.py fill one. `python -m calibration.validation.web` builds built/, so an
installation needs no node.
"""
