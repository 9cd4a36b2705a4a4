"""Names and addresses: by which the service is asked, from which pages, and who a caller is."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from tower_sim.errors import UsageError, fault
from tower_sim.service.http.problems import Problem

_NAME = re.compile("[A-Za-z0-9_-]+([.][A-Za-z0-9_-]+)*[.]?")


class Hosts:
    """The names by which the service may be asked: addresses, `localhost`, where it listens, and those it was given.

    The page of a stranger can have its own name lead to this machine, and then asks as if the service were where it
    comes from; its browser sends that name. Nobody can have an address, or `localhost`, lead anywhere else.
    """

    def __init__(self, host: str = "", names: Iterable[str] = ()) -> None:
        self._names = {"localhost", host.lower().rstrip("."), *map(check_name, names)}
        self._is_known = lru_cache(1000)(self._looked_at)

    def check(self, scope: Mapping[str, Any]) -> None:
        """Raise Problem for a request by another name, and for one that has none or several."""
        sent = [value for name, value in scope["headers"] if name == b"host"]
        if not sent and scope["http_version"] == "1.0":  # which has no names, and no browser speaks it
            return
        if len(sent) != 1 or not self._is_known(sent[0]):
            name = sent[0][:80].decode("latin-1") if sent else "missing"
            detail = f"Host is {name!r}; allowed are addresses, localhost and what --host and --name said; use one."
            raise Problem("host", detail)

    def _looked_at(self, sent: bytes) -> bool:
        try:
            name = urlsplit(f"//{sent.decode('ascii')}").hostname or ""
        except ValueError:
            return False
        return name.rstrip(".") in self._names or _address(name) is not None


def check_name(name: str) -> str:
    """Return the name of a machine in small letters. Raises UsageError for anything else."""
    if not _NAME.fullmatch(name):
        raise fault("--name", name, "the name of a machine, as in towers.example", "leave out http:// and the port")
    return name.lower().rstrip(".")


def check_origin(text: str) -> str:
    """Return the origin of a web page, as browsers send it. Raises UsageError for anything else."""
    advice = "write it as in https://table.example, or http://localhost:8000"
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
        shown = f"[{host}]" if ":" in host else host
        usual = {"http": 80, "https": 443}.get(parts.scheme)
        origin = f"{parts.scheme}://{shown}" + ("" if port in (None, usual) else f":{port}")
    except ValueError:
        raise fault("--cors", text, "an origin", advice) from None
    if usual is None or not (_NAME.fullmatch(host) or _address(host)):
        raise fault("--cors", text, "an origin: http:// or https://, a machine, and a port if it has one", advice)
    if text != origin:
        raise UsageError(f"--cors {text!r} is no origin as browsers send it; allowed is {origin!r}; write that")
    return origin


def caller_of(scope: Mapping[str, Any]) -> str:
    """Return who asks, as limits know it."""
    client = scope.get("client")
    return caller(client[0]) if client else ""


@lru_cache(10_000)
def caller(address: str) -> str:
    """Return an address, of IPv6 its first half: whoever has one has all of that."""
    found = _address(address)
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found.packed[:8] + bytes(8), 64)))
    return address


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
