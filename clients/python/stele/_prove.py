"""Makes sure, offline, that a record is part of a signed release."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import dataclass
from hashlib import sha256, sha512
from typing import Any, Dict, List, Optional, Tuple

from .errors import Damaged, Refused

_Point = Tuple[int, int, int, int]
_P = 2**255 - 19
_L = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, _P - 2, _P) % _P


@dataclass(frozen=True)
class Proven:
    """A record that is part of a signed release."""

    id: str
    record: Dict[str, Any]
    release: str  # the ID of the release
    date: str  # of the release
    service: str  # the address of the publisher's service
    entry: int  # the place of the release in the publisher's log, from 0 on


def verify_record(
    record: bytes, index: bytes, manifest: bytes, proof: bytes, checkpoint: bytes, *, key: str
) -> Proven:
    """Makes sure that a record is part of a signed release, from the contents of five files.

    record     the record's own file, or its line in the collection, without the comma at the end
    index      the listing of its kind, such as index/signals.json
    manifest   manifest.json
    proof      manifest.json.tlog-proof
    checkpoint log/checkpoint
    key        the public key of the publisher: NAME+NUMBER+BASE64

    Raises Damaged if they do not fit together, and Refused if the key did not sign. It follows no
    changes of keys, and does not show whether the record still stands.
    """
    name, number, public = _key(key)
    m = _object(manifest, "the manifest")
    try:
        of = _kind_of(m, index)
        previous = (m.get("previous") or {"release": "none"})["release"]
        leaf = (
            f"stele-release/1\nservice {m['base_url']}\nrelease {m['release']}\ndate {m['date']}\n"
            f"previous {previous}\nmanifest {sha256(manifest).hexdigest()} {len(manifest)}\n"
        ).encode()
    except (KeyError, TypeError, AttributeError) as e:
        raise Damaged(f"the manifest does not have the form of a manifest: {e!r}") from None
    r = _object(record, "the record")
    if r.get("kind") != of or not _lists(index, r.get("id"), sha256(record).hexdigest()):
        raise Damaged("the index does not list the record with its digest")
    head, _, rest = proof.partition(b"\n\n")
    signed = _checkpoint(rest, "the proof")
    latest = _checkpoint(checkpoint, "the checkpoint")
    entry, root = _root(head, leaf, signed.size)
    if root != signed.root:
        raise Damaged("the proof does not lead from the manifest to the checkpoint in it")
    if signed.size > latest.size or signed.size == latest.size and signed.root != latest.root:
        raise Damaged("the checkpoint does not continue the log of the proof")
    for c in (signed, latest):
        if c.name != name or not any(_verified(public, c.text, s[4:]) for s in c.signatures if s[:4] == number):
            raise Refused(f"the key of {name} did not sign the log of {c.name}")
    return Proven(str(r["id"]), r, str(m["release"]), str(m["date"]), str(m["base_url"]), entry)


def _object(data: bytes, what: str) -> Dict[str, Any]:
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as e:
        raise Damaged(f"{what}: {e}") from None
    if not isinstance(value, dict):
        raise Damaged(f"{what} has something else than an object")
    return value


def _kind_of(m: Dict[str, Any], index: bytes) -> str:
    """The kind whose listing has these bytes."""
    files = {f["path"]: (f["size"], f["sha256"]) for f in m["files"]}
    for k in m["kinds"]:
        if files.get(k["index"]) == (len(index), sha256(index).hexdigest()):
            return str(k["kind"])
    raise Damaged("the index is not what the manifest says of one")


def _lists(index: bytes, id: object, digest: str) -> bool:
    for line in index.split(b"\n"):
        if digest.encode() in line:
            entry = _object(line[:-1] if line.endswith(b",") else line, "the index")
            if entry.get("id") == id and entry.get("sha256") == digest:
                return True
    return False


def _exact(text: bytes, size: Optional[int] = None) -> bytes:
    """Decodes base64 that is written in the one right way."""
    try:
        data = base64.b64decode(text, validate=True)
    except ValueError:
        data = b""
    if base64.b64encode(data) != text or size is not None and len(data) != size:
        raise Damaged("a line of the proof or of the checkpoint is not the base64 that it should be")
    return data


def _number(text: bytes) -> int:
    if not re.fullmatch(rb"0|[1-9][0-9]{0,15}", text):
        raise Damaged("the proof or the checkpoint has something else than a number")
    return int(text)


@dataclass(frozen=True)
class _Checkpoint:
    name: str
    size: int
    root: bytes
    text: bytes  # that is signed
    signatures: List[bytes]  # that have this name, each behind the number of its key


def _checkpoint(data: bytes, what: str) -> _Checkpoint:
    text, _, rest = data.partition(b"\n\n")
    lines = text.split(b"\n")
    if len(lines) != 3 or not rest.endswith(b"\n"):
        raise Damaged(f"{what} does not have the lines of a checkpoint and a signature")
    begin, signatures = "— ".encode() + lines[0] + b" ", []
    for line in rest[:-1].split(b"\n"):
        if line.startswith(begin):
            signatures.append(_exact(line[len(begin) :]))
    name = lines[0].decode("utf-8", "replace")
    return _Checkpoint(name, _number(lines[1]), _exact(lines[2], 32), text + b"\n", signatures)


def _root(head: bytes, leaf: bytes, size: int) -> Tuple[int, bytes]:
    """The place of a leaf by a proof, and the root to which that leads (RFC 9162, 2.1.3.2)."""
    lines = head.split(b"\n")
    if len(lines) > 1 and lines[1].startswith(b"extra "):
        extra = _exact(lines.pop(1)[6:])
        if not re.fullmatch(rb"(rollback-from|unpublished) [!-~]+\n", extra):
            raise Damaged("the proof has an unknown line")
        leaf += extra
    if lines[0] != b"c2sp.org/tlog-proof@v1" or len(lines) < 2 or not lines[1].startswith(b"index "):
        raise Damaged("the proof does not begin as one does")
    entry = _number(lines[1][6:])
    first, last, node = entry, size - 1, sha256(b"\0" + leaf).digest()
    if first > last:
        raise Damaged("the proof is of an entry that the log does not have")
    for line in lines[2:]:
        beside = _exact(line, 32)
        if last == 0:
            raise Damaged("the proof goes on behind the root")
        if first % 2 == 1 or first == last:
            node = sha256(b"\1" + beside + node).digest()
            while first % 2 == 0 and first:
                first, last = first // 2, last // 2
        else:
            node = sha256(b"\1" + node + beside).digest()
        first, last = first // 2, last // 2
    return entry, node if last == 0 else b""


def _key(text: str) -> Tuple[str, bytes, bytes]:
    """The name of a key, its number, and the public key."""
    parts = text.strip().split("+", 2)
    data = b""
    if len(parts) == 3:
        try:
            data = _exact(parts[2].encode(), 33)
        except Damaged:
            pass
    number = sha256(parts[0].encode() + b"\n" + data).digest()[:4]
    if data[:1] != b"\1" or number.hex() != parts[1]:
        raise Refused("this is not a public key of a log: it is one line, such as data.example.org+4b3c2d1e+AX…")
    return parts[0], number, data[1:]


def _add(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]), (p[1] + p[0]) * (q[1] + q[0])
    c, d = 2 * p[3] * q[3] * _D, 2 * p[2] * q[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _times(n: int, p: _Point) -> _Point:
    sum = (0, 1, 1, 0)
    while n:
        if n & 1:
            sum = _add(sum, p)
        p, n = _add(p, p), n >> 1
    return sum


def _decoded(data: bytes) -> Optional[_Point]:
    y = int.from_bytes(data, "little")
    odd, y = y >> 255, y & (1 << 255) - 1
    square = (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    if y >= _P or x * x % _P != square or x == 0 and odd:
        return None
    if x & 1 != odd:
        x = _P - x
    return x, y, 1, x * y % _P


_BASE = _decoded((4 * pow(5, _P - 2, _P) % _P).to_bytes(32, "little"))


def _verified(public: bytes, text: bytes, signature: bytes) -> bool:
    """Whether an Ed25519 signature of a text holds (RFC 8032, 5.1.7). Nothing of it is secret."""
    key, s = _decoded(public), int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or s >= _L or key is None or _BASE is None:
        return False
    h = int.from_bytes(sha512(signature[:32] + public + text).digest(), "little") % _L
    x, y, z, _ = _add(_times(s, _BASE), _times(_L - h, key))
    inverse = pow(z, _P - 2, _P)
    x, y = x * inverse % _P, y * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little") == signature[:32]
