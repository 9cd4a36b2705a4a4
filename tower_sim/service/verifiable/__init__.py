"""Verifiable draws: the server commits to a secret, the player adds words, both make the seeds; a signed log proves it.

    open: SHA-256 of a secret seed -> words of the player -> draws, each from HMAC of both -> reveal of the secret seed
    every step -> a line of the log: numbered, with the hash of the line before, signed -> check -> what holds

READ FIRST: docs/verify.md. Nothing here knows of networks or storage; all that is random is an argument.
"""

from tower_sim.service.verifiable.check import Finding, LogReport, check
from tower_sim.service.verifiable.keys import Keyring
from tower_sim.service.verifiable.ledger import Ledger, opened

__all__ = ["Finding", "Keyring", "Ledger", "LogReport", "check", "opened"]
