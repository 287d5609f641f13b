"""Reads what is published with Stele, from the address of a service or from a folder.

    import stele

    with stele.open("https://data.example.org") as release:
        for found in release.records(stele.SIGNAL):
            print(found.id, found.record["title"], found.standing)

Nothing is handed out that was not verified: a file is read to its end and held to the SHA-256 in
the manifest first. Records that were retracted, or that nothing supports any more, are handed out
only to those who ask for them with ``lost=True``. Numbers keep the digits of their author: whole
ones are int, all others decimal.Decimal. Signatures are checked by verify_record alone. No stability
is promised, of this module or of any schema.
"""

from __future__ import annotations

import builtins
import json
import os
import re
import threading
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, Optional, Tuple, TypeVar, Union, overload

from . import records as _records
from ._files import Folder as _Folder
from ._prove import Proven, verify_record
from ._service import Limits as _Limits
from ._service import Service as _Service
from .errors import Damaged, Lost, NotFound, Refused, SteleError, TooOld, Unavailable
from .records import *  # noqa: F403
from .records import Kind

__all__ = [
    "open", "Release", "Found", "Change", "Standing", "Proven", "verify_record",
    "SteleError", "NotFound", "Lost", "TooOld", "Damaged", "Refused", "Unavailable",
] + _records.__all__  # fmt: skip

R = TypeVar("R")
_FORMAT = 3  # the newest form of release that this module reads
_MOST_MANIFEST = 16 << 20
_MOST_LINE = 64 << 20
_STANDING = "index/standing.json"
_MEMBERS = ("kind", "standing", "since", "cause", "noticed")
_Place = Tuple[int, int, bytes]  # where a line begins, its size and its digest


@dataclass(frozen=True)
class Standing:
    """Why a record does not stand as it is."""

    id: str
    kind: str
    standing: str  # such as "weakened", "unsupported" or "retracted"
    since: str  # when what it comes from happened
    cause: str  # what happened
    path: Tuple[str, ...]  # the records from this one to the one at which it happened, without this one
    noticed: str  # the date of the release that first had it so

    @property
    def lost(self) -> bool:
        """Whether it was retracted, or nothing supports it any more."""
        return self.standing in ("retracted", "unsupported")


@dataclass(frozen=True)
class Found(Generic[R]):
    """A record with its standing."""

    id: str
    record: R
    standing: Optional[Standing]  # why it does not stand as it is; None if it does
    json: str  # the record as it was published, to be passed on


@dataclass(frozen=True)
class Change(Generic[R]):
    """A record that came, changed or went."""

    id: str
    record: Optional[R]  # None if it is gone, or lost and not asked for
    standing: Optional[Standing]  # None if it stands, or is gone
    json: Optional[str]


def open(  # noqa: A001
    where: Union[str, "os.PathLike[str]"],
    *,
    time: float = 3600.0,
    bytes: int = 4 << 30,
    redirects: bool = False,
    patience: float = 30.0,
    pause: float = 0.5,
    headers: Optional[Mapping[str, str]] = None,
    session: Any = None,
) -> "Release":
    """Opens the release at an address or in a folder. It reads the manifest.

    time      seconds that one call waits for an address in all
    bytes     that an address may send for one call
    redirects whether an address may lead to another host
    patience  seconds without 32 KiB, the beginning of an answer or its end, after which to give up
    pause     seconds before a request is repeated, at first
    headers   lines that are sent to the host of the address, and to no other
    session   a requests.Session that asks, with its proxies, certificates and adapters
    """
    where = os.fspath(where)
    if re.match("https?://", where):
        return Release(_Service(where, _Limits(time, bytes, redirects, patience, pause), headers, session))
    other = re.match("([A-Za-z][A-Za-z0-9+.-]+)://", where)
    if other:
        raise Refused(
            f"{re.sub('//[^/]*@', '//', where)}: {other[1]}:// is not read by this module: give the https:// address at which the release is served, "
            "or make a copy with `stele mirror` and give its folder"
        )
    return Release(_Folder(where))


class Release:
    """An open release. Threads may read from it together, but not while it is updated."""

    def __init__(self, files: Union[_Folder, _Service]) -> None:
        self._files = files
        self._lock = threading.Lock()
        with self._named():
            data = files.manifest(_MOST_MANIFEST)
            assert data is not None  # there was none before
            self._use(data)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Lets errors name the address or the folder."""
        try:
            yield
        except SteleError as e:
            if e.where is None:
                e.where = self._files.where
                e.args = (f"{e.where}: {e}",)
            raise

    def _use(self, data: builtins.bytes) -> None:
        self.manifest: Dict[str, Any] = _read_manifest(data)
        self._by_path: Dict[str, Dict[str, Any]] = {f["path"]: f for f in self.manifest["files"]}
        self._files.begin()
        self._places: Dict[str, Dict[str, _Place]] = {}  # of lines, by path and ID
        self._standings: Optional[Dict[str, Standing]] = None

    def __enter__(self) -> "Release":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets everything go."""
        self._files.close()

    @property
    def id(self) -> str:
        """The ID of the release: keep it to ask for changes later."""
        return str(self.manifest["release"])

    @property
    def date(self) -> str:
        """The date of the release."""
        return str(self.manifest["date"])

    def update(self) -> bool:
        """Goes on to the newest release, and returns whether it is another one than before.

        Where it fails, everything is as it was.
        """
        with self._named():
            self._files.renew()
            data, before = self._files.manifest(_MOST_MANIFEST), self.id
            if data is not None:
                self._use(data)
            return self.id != before

    @overload
    def records(self, kind: Kind[R], *, lost: bool = False) -> Iterator[Found[R]]: ...
    @overload
    def records(self, kind: str, *, lost: bool = False) -> Iterator[Found[Dict[str, Any]]]: ...
    def records(self, kind: Any, *, lost: bool = False) -> Any:
        """Reads the records of a kind in their order; without those that are lost, unless asked for.

        The collection is verified before the first record is handed out.
        """
        with self._named():
            self._files.renew()
            of = self._kind(kind)
            if of is None:  # made before there was such a kind
                return
            standings = self.standings()
            for _, line in self._lines(of["collection"]):
                found = _found(line, kind, standings)
                if lost or found.standing is None or not found.standing.lost:
                    yield found

    @overload
    def get(self, kind: Kind[R], id: str, *, lost: bool = False) -> Found[R]: ...
    @overload
    def get(self, kind: str, id: str, *, lost: bool = False) -> Found[Dict[str, Any]]: ...
    def get(self, kind: Any, id: str, *, lost: bool = False) -> Any:
        """Reads the record with an ID. Raises NotFound if there is none, and Lost if it is lost.

        The first call for a kind reads its listing, or its collection where records have no files
        of their own. Later ones read one line, and one small file.
        """
        with self._named():
            self._files.renew()
            of = self._kind(kind)
            line = None
            if of is not None:
                single = of.get("single")
                line = self._find(of["index"] if single else of["collection"], id)
                if line is not None and single:
                    entry = _decode(line, of["index"])
                    path = re.sub(r"\{\w+\}", id, single)
                    line = _listed(self._files.single, path, _MOST_LINE)
                    if sha256(line).hexdigest() != entry.get("sha256"):
                        raise Damaged(f"{path} is not the record that its listing describes")
            if line is None:
                raise NotFound(f"there is no {kind} with the ID {id!r}")
            found = _found(line, kind, self.standings())
            if found.id != id:
                raise Damaged(f"the record {found.id} stands where {id} should")
            if not lost and found.standing is not None and found.standing.lost:
                raise Lost(f"{id} is {found.standing.standing} since {found.standing.since}: lost=True reads it", found)
            return found

    @overload
    def changes(self, kind: Kind[R], since: str, *, lost: bool = False) -> Iterator[Change[R]]: ...
    @overload
    def changes(self, kind: str, since: str, *, lost: bool = False) -> Iterator[Change[Dict[str, Any]]]: ...
    def changes(self, kind: Any, since: str, *, lost: bool = False) -> Any:
        """Reads what came, changed or went in a kind since an earlier release, in its order.

        A record that changed twice comes twice, and the last one is how it is. Raises TooOld if the
        release does not reach back so far: read all records then. That a record which did not
        change itself has another standing is in standings() alone.
        """
        with self._named():
            self._files.renew()
            standings = self.standings()
            for step in self._chain(kind, since):
                head, lines = self._delta(kind, step)
                for id in head["removed"]:
                    yield Change(id, None, None, None)
                for line in lines:
                    f = _found(line, kind, standings)
                    if lost or f.standing is None or not f.standing.lost:
                        yield Change(f.id, f.record, f.standing, f.json)
                    else:
                        yield Change(f.id, None, f.standing, None)

    def standings(self) -> Dict[str, Standing]:
        """Reads the records that are not valid as they are, by their IDs. All others are valid."""
        with self._named(), self._lock:
            if self._standings is None:
                all: Dict[str, Standing] = {}
                if _STANDING in self._by_path:
                    for _, line in self._lines(_STANDING):
                        s = _decode(line, _STANDING)
                        id = _valid_id(s.get("id"), _STANDING)
                        kind, standing, since, cause, noticed = (str(s.get(m)) for m in _MEMBERS)
                        path = tuple(str(p) for p in s.get("path") or [])
                        all[id] = Standing(id, kind, standing, since, cause, path, noticed)
                self._standings = all
            return self._standings

    def area(self, scheme: str, code: str) -> Dict[str, Any]:
        """Reads the area of a statistic, which has the two arguments as ref_area_scheme and ref_area.

        It has the members code, name, level, parent, valid_from, valid_to and names, where they are
        known, and the lists predecessors and successors. Raises NotFound if the release has no such
        scheme or code: countries have none.
        """
        with self._named():
            self._files.renew()
            path = f"areas/{scheme}.json"
            listed = self._by_path.get(path)
            if listed is None:
                raise NotFound(f"{path} is not in the release")
            with _listed(self._files.opened, listed) as f:
                data = b"".join(f)
            if sha256(data).hexdigest() != listed["sha256"]:
                raise Damaged(f"{path} is not what it was when it was read first")
            table = _decode(data, path)
            all = {c["code"]: c for c in table.get("codes") or []}
            if code not in all:
                raise NotFound(f"the scheme {scheme} has no area {code!r}")

            def across(one: str, other: str) -> List[Dict[str, Any]]:
                codes = [c.get(other) for c in table.get("changes") or [] if c.get(one) == code]
                return [all[c] for c in dict.fromkeys(codes) if c != code and c in all]

            return {**all[code], "predecessors": across("to_code", "from_code"), "successors": across("from_code", "to_code")}

    def verify(self) -> None:
        """Reads every collection, listing and delta, and the standings. Raises Damaged if one is not
        what the manifest says. Pages and downloads are not read."""
        with self._named():
            self._files.renew()
            self.standings()
            for of in self.manifest["kinds"]:
                count = sum(1 for _ in self._lines(of["collection"]))
                if count != of["count"]:
                    raise Damaged(f"{of['collection']} has {count} records, and the manifest counts {of['count']}")
                for _ in self._lines(of["index"]):
                    pass
                for step in of.get("deltas", []):
                    for _ in self._delta(of["kind"], step)[1]:
                        pass

    def _kind(self, name: str) -> Optional[Dict[str, Any]]:
        return next((k for k in self.manifest["kinds"] if k["kind"] == name), None)

    def _lines(self, path: str, head: Optional[Callable[[bytes], None]] = None) -> Iterator[Tuple[int, bytes]]:
        """The lines of a list of records, each with where it begins. The whole is verified first."""
        listed = self._by_path.get(path)
        if listed is None:
            raise Damaged(f"{path} is not in the manifest")
        with _listed(self._files.opened, listed) as f:
            at, rest, sum, begun, ended = 0, b"", sha256(), False, False
            for data in f:
                sum.update(data)
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if ended or len(line) > _MOST_LINE:
                        raise Damaged(f"{path} does not end as a list of records does")
                    if not begun:
                        begun = line.endswith(b":[")
                        if not begun:
                            raise Damaged(f"{path} does not begin as a list of records does")
                        if head is not None:
                            head(line)
                    elif line == b"]}":
                        ended = True
                    else:
                        yield at, line[:-1] if line.endswith(b",") else line
                    at += len(line) + 1
            if sum.hexdigest() != listed["sha256"]:
                raise Damaged(f"{path} is not what it was when it was read first")
            if rest or not ended:
                raise Damaged(f"{path} does not end as a list of records does")

    def _find(self, path: str, id: str) -> Optional[builtins.bytes]:
        """The line with an ID, or None."""
        with self._lock:
            if path not in self._places:
                places: Dict[str, _Place] = {}
                for at, line in self._lines(path):
                    plain = re.match(rb'\{"id":"([A-Za-z0-9._~-]+)"', line)
                    name = plain[1].decode() if plain else str(_decode(line, path).get("id"))
                    places[name] = (at, len(line), sha256(line).digest())
                self._places[path] = places
            place = self._places[path].get(id)
        if place is None:
            return None
        with _listed(self._files.opened, self._by_path[path], True) as f:
            line = f.at(*place[:2])
        if sha256(line).digest() != place[2]:
            raise Damaged(f"{path} is not what it was when it was read first")
        return line

    def _chain(self, kind: str, since: str) -> List[Dict[str, Any]]:
        """The deltas that lead from an earlier release to this one."""
        of = self._kind(kind)
        if of is not None and since == self.id:
            return []
        order = [e["release"] for e in self.manifest.get("earlier", [])]
        if of is None or since not in order or of.get("since") not in order[: order.index(since) + 1]:
            raise TooOld(f"the release does not tell what changed in {kind} since {since}")
        return [d for d in of.get("deltas", []) if order.index(d["from"]) >= order.index(since)]

    def _delta(self, kind: str, step: Dict[str, Any]) -> Tuple[Dict[str, Any], Iterator[bytes]]:
        """The first line of a delta, and its records."""
        path, head = step["path"], {}

        def begin(line: bytes) -> None:
            head.update(_decode(line + b"]}", path))

        places = [at for at, _ in self._lines(path, begin)]
        if any(head.get(a) != b for a, b in (("kind", kind), ("from", step["from"]), ("before", step["before"]))):
            raise Damaged(f"{path} leads from another collection than the manifest says")
        removed = head.setdefault("removed", []) or []
        if not isinstance(removed, list) or head.get("count") != len(places):
            raise Damaged(f"{path} has other records than it counts")
        head["removed"] = [_valid_id(id, path) for id in removed]
        return head, (line for _, line in self._lines(path))


def _listed(read: Callable[..., R], *args: Any) -> R:
    """Reads a file that the release lists: that it is not there does not say that a record is not."""
    try:
        return read(*args)
    except NotFound as e:
        raise Damaged(f"{e}, which lists it") from None


def _decode(line: bytes, path: str) -> Dict[str, Any]:
    """The object that a line has, with the digits of all numbers."""

    def no(word: str) -> None:
        raise ValueError(word + " is no number of JSON")

    try:
        value = json.loads(line.decode("utf-8"), parse_float=Decimal, parse_constant=no)
    except (ValueError, RecursionError) as e:
        raise Damaged(f"{path}: {e}") from None
    if not isinstance(value, dict):
        raise Damaged(f"{path} has something else than an object")
    return value


def _found(line: bytes, kind: str, standings: Dict[str, Standing]) -> Found[Any]:
    record = _decode(line, kind)
    id = _valid_id(record.get("id"), kind)
    if record.get("kind") != kind:
        raise Damaged(f"{id} is not of the kind {kind}")
    return Found(id, record, standings.get(id), line.decode("utf-8"))


def _is_path(text: object) -> bool:
    return (
        isinstance(text, str)
        and len(text) <= 1024
        and all(re.fullmatch(r"[A-Za-z0-9._~-]{1,255}", s) and ".." not in s and s != "." for s in text.split("/"))
        and text.count("/") < 32
    )


def _valid_id(id: object, path: str) -> str:
    if not isinstance(id, str) or "/" in id or not _is_path(id):
        raise Damaged(f"{path}: {str(id)[:80]!r} is not an ID")
    return id


def _read_manifest(data: bytes) -> Dict[str, Any]:
    """Reads a manifest, and refuses what cannot be one."""
    try:
        m = _decode(data, "manifest.json")
        number = re.fullmatch(r"stele-release/([1-9][0-9]{0,8})", str(m.get("format")))
        if number is None:
            raise Damaged("manifest.json does not describe a release of Stele")
        if int(number[1]) > _FORMAT:
            raise Refused("the release was made by a newer version of Stele: update this module")
        _check_manifest(m)
    except Damaged as e:
        raise Refused(str(e)) from None
    except (TypeError, KeyError, AttributeError) as e:
        raise Refused(f"manifest.json does not have the form of a manifest: {e!r}") from None
    return m


def _check_manifest(m: Dict[str, Any]) -> None:
    def must(ok: object, what: str) -> None:
        if not ok:
            raise Damaged("manifest.json " + what)

    def is_date(text: object) -> bool:
        return re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", str(text)) is not None

    def is_size(n: object) -> bool:
        return type(n) is int and 0 <= n <= 1 << 40

    def is_digest(text: object) -> bool:
        return re.fullmatch(r"[0-9a-f]{64}", str(text)) is not None

    _valid_id(m.get("release"), "manifest.json")
    must(is_date(m.get("date")), "has no date")
    order = []
    for e in m.get("earlier", []):
        must(is_date(e["date"]), "has an earlier release without a date")
        order.append(_valid_id(e["release"], "manifest.json"))
    paths, last = set(), ""
    for f in m["files"]:
        must(_is_path(f["path"]), f"lists {str(f['path'])[:80]!r}, which is no path")
        must(last < f["path"] != "manifest.json", f"lists {f['path']} twice or not in order")
        must(is_size(f["size"]) and is_digest(f["sha256"]), f"has no size and digest of {f['path']}")
        for v in f.get("variants", []):
            must(is_size(v["size"]) and is_digest(v["sha256"]), f"has no size and digest of a variant of {f['path']}")
        paths.add(f["path"])
        last = f["path"]
    names = set()
    for k in m["kinds"]:
        name = k["kind"]
        must(re.fullmatch("[a-z0-9_]{1,64}", str(name)) and name not in names, f"has the kind {str(name)[:80]!r}")
        names.add(name)
        must(k["collection"] in paths and k["index"] in paths, f"does not list the files of {name}")
        must(is_size(k["count"]), f"does not count {name}")
        single = k.get("single", "")
        cut = re.fullmatch(r"([^{}]*)\{[a-z0-9_]{1,64}\}([^{}]*)", single)
        must(single == "" or cut and _is_path(cut[1] + "x" + cut[2]), f"has no path of single records of {name}")
        steps = [order.index(d["from"]) if d["from"] in order else -1 for d in k.get("deltas", [])]
        since = order.index(k["since"]) if k.get("since") in order else -1
        must(not k.get("since") or since >= 0, f"has deltas of {name} since no earlier release")
        ordered = steps == sorted(set(steps)) and (not steps or 0 <= since <= steps[0])
        must(ordered, f"has deltas of {name} out of order")
        must(all(d["path"] in paths for d in k.get("deltas", [])), f"does not list the deltas of {name}")
