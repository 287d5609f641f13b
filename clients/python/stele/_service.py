"""The files of a release at an address."""

from __future__ import annotations

import base64
import email.utils
import http.client
import ssl
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zlib
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Any, Callable, Dict, Iterator, Mapping, Optional, TypeVar
from urllib.parse import unquote, urljoin, urlsplit, urlunsplit

from ._files import File
from .errors import Damaged, NotFound, Refused, SteleError, Unavailable

R = TypeVar("R")
_REPEATS = 3  # of a request that failed for a reason which may pass; after a stall it is one
_MOST_PAUSE = 20.0  # seconds that a service may ask to wait, so that it is asked again
_PROGRESS = 32 << 10  # bytes that must come while nothing else does


class _Broken(Unavailable):
    """An answer did not come to its end, or none came."""


class _Stalled(_Broken):
    """The service stopped sending."""


class Service:
    """What is fetched waits in files without names, so memory is needed for one record at a time."""

    def __init__(
        self, base: str, limits: "Limits", headers: Optional[Mapping[str, str]] = None, session: Any = None
    ) -> None:
        self.where, user = _split(base)
        self._limits = limits
        self._own = {"User-Agent": "stele-client-python"} if session is None else {}
        self._own.update(headers or {})
        if user:
            self._own["Authorization"] = user
        self._tag: Dict[str, str] = {}  # by which to ask whether the manifest is another
        self._next: Dict[str, str] = {}  # the same of the one that was read last
        self._by_hash = True
        self._kept: Dict[str, IO[bytes]] = {}
        self._lock = threading.Lock()
        self._send = _plain() if session is None else _through(session)
        self.renew()

    def renew(self) -> None:
        """Gives the service all the time and bytes again that the limits allow."""
        self._waited, self._quiet, self._came, self._taken = 0.0, 0.0, 0, 0

    def begin(self) -> None:
        """Takes the manifest that was read last for the one to go by."""
        self.close()
        self._tag, self._by_hash = self._next, True  # there may be others than before

    def close(self) -> None:
        with self._lock:
            for f in self._kept.values():
                f.close()
            self._kept = {}

    def manifest(self, most: int) -> Optional[bytes]:
        """The manifest, or None if it is the one that was read before."""

        def read(answer: Any) -> Optional[bytes]:
            if answer.status == 304:
                return None
            data = b"".join(self._content(answer, "manifest.json", most, most))
            if len(data) > most:
                raise Refused(f"manifest.json is larger than {most >> 20} MiB")
            h = answer.headers
            self._next = {}
            if h.get("ETag"):
                self._next = {"If-None-Match": h["ETag"]}
            elif _settled(h):
                self._next = {"If-Modified-Since": h["Last-Modified"]}
            return data

        headers = {"Accept-Encoding": "gzip", "Cache-Control": "no-cache", **self._tag}
        try:
            return self._again("manifest.json", headers, read)
        except NotFound:
            raise NotFound("there is no release here: manifest.json is missing") from None

    def single(self, path: str, most: int) -> bytes:
        """A small file that the manifest does not list."""

        def read(answer: Any) -> bytes:
            data = b"".join(self._content(answer, path, most, most))
            if len(data) > most:
                raise Damaged(f"{path} is larger than {most} bytes")
            self._take(len(data))
            return data

        return self._again(path, {"Accept-Encoding": "gzip"}, read)

    def opened(self, listed: Dict[str, Any], again: bool = False) -> File:
        """A file that the manifest lists, verified, and kept until there is another release."""
        path = listed["path"]
        with self._lock:
            if path not in self._kept:
                self._kept[path] = self._fetch(listed)
            return File(self._kept[path], self._lock, True)

    def _fetch(self, listed: Dict[str, Any]) -> IO[bytes]:
        self._take(listed["size"])
        if self._by_hash:
            # by its digest first, because a host that is being updated may have another at the path
            small = listed
            for v in listed.get("variants", []):
                if v.get("encoding") == "gzip" and v["size"] < small["size"]:
                    small = v
            try:
                return self._verified("by-hash/" + small["sha256"], small, listed)
            except (NotFound, Damaged):
                self._by_hash = False
        return self._verified(listed["path"], None, listed)

    def _verified(self, name: str, variant: Optional[Dict[str, Any]], listed: Dict[str, Any]) -> IO[bytes]:
        """Fetches a file into one that has no name, by its digest or by its path."""
        size, accepted = listed["size"], "gzip" if variant is None else "identity"

        def read(answer: Any) -> IO[bytes]:
            if variant is None:
                data = self._content(answer, name, size + size // 8 + (64 << 10), size)
            else:
                data = _decoded(self._body(answer, variant["size"]), variant.get("encoding", ""), size)
            f = tempfile.TemporaryFile()
            try:
                sum, n = sha256(), 0
                for part in data:
                    n += len(part)
                    sum.update(part)
                    f.write(part)
                if n == size and sum.hexdigest() == listed["sha256"]:
                    return f
                raise Damaged(
                    f"{listed['path']} is not what the manifest says of it: "
                    "the service is being updated, or it is damaged"
                )
            except BaseException:
                f.close()
                raise

        return self._again(name, {"Accept-Encoding": accepted}, read)

    def _take(self, size: int) -> None:
        self._taken += size
        if self._taken > self._limits.bytes:
            raise Refused(f"the service sends more than is read from one: {self._limits.bytes} bytes")

    def _content(self, answer: Any, name: str, most: int, size: int) -> Iterator[bytes]:
        """What an answer has, decoded, and no more than a byte more than there should be."""
        first = True
        for part in _decoded(self._body(answer, most), answer.headers.get("Content-Encoding", ""), size):
            # a host may answer with a page, and a status of 200, for what it does not have
            if first and part[:14].lower().startswith((b"<!doctype html", b"<html")):
                raise NotFound(f"{name} is not in the release")
            first = False
            yield part

    def _body(self, answer: Any, most: int) -> Iterator[bytes]:
        n, length = 0, answer.headers.get("Content-Length") or ""
        while n <= most:
            began = time.monotonic()
            try:
                data: bytes = answer.read1(64 << 10)
            except (OSError, http.client.HTTPException) as e:
                raise _broken(e) from None
            self._count(time.monotonic() - began, len(data), not data)
            if not data:
                if length.isdigit() and n < int(length[:18]):
                    raise _Broken("the connection broke off")
                return
            n += len(data)
            yield data

    def _count(self, seconds: float, came: int, progressed: bool) -> None:
        """Measures how long the service is waited for."""
        self._waited += seconds
        self._quiet += seconds
        self._came += came
        if progressed or self._came >= _PROGRESS:
            self._quiet, self._came = 0.0, 0
        if self._waited > self._limits.time:
            raise Unavailable(f"the service took longer than {self._limits.time:g} seconds in all")
        if self._quiet > self._limits.patience:
            self._quiet, self._came = 0.0, 0
            raise _Stalled("the service stopped sending, or sends too slowly")

    def _again(self, name: str, headers: Dict[str, str], read: Callable[[Any], R]) -> R:
        """Asks for a file and reads it, and once again if it broke off."""
        again = True
        while True:
            answer = self._get(name, headers)
            try:
                return read(answer)
            except _Broken as e:
                if not again:
                    raise Unavailable(f"{name}: {e}") from None
                again = False
            finally:
                answer.close()

    def _get(self, name: str, headers: Dict[str, str]) -> Any:
        """Asks for a file, and again if that may help."""
        n = 0
        while True:
            pause = self._limits.pause * 2**n
            try:
                answer = self._ask(name, headers)
                code = answer.status
                if code == 200 or code == 304 and ("If-None-Match" in headers or "If-Modified-Since" in headers):
                    return answer
                asked = _retry_after(answer.headers)
                answer.close()
                if code in (404, 410):
                    raise NotFound(f"{name} is not in the release")
                text = f"{name}: the service answered {code} {http.client.responses.get(code, '')}".rstrip()
                if asked > _MOST_PAUSE:
                    text += f", and asks to wait {asked:.0f} seconds: try again then"
                again = (code == 429 or code >= 500) and code != 501 and asked <= _MOST_PAUSE
                if not again or n == _REPEATS:
                    raise Unavailable(text)
                pause = max(pause, asked)
            except _Broken as e:
                if n == _REPEATS or n > 0 and isinstance(e, _Stalled):
                    raise Unavailable(f"{name}: {e}") from None
            n += 1
            self._waited += pause
            if self._waited > self._limits.time:
                raise Unavailable(f"the service took longer than {self._limits.time:g} seconds in all")
            time.sleep(pause)

    def _ask(self, name: str, headers: Dict[str, str]) -> Any:
        """Asks once, and follows redirects within a host. A service could lead to the machine itself,
        or to others that only it can reach."""
        url = self.where + "/" + name
        for _ in range(11):
            answer = self._ask_once(url, {**self._own, **headers} if self._is_own(url) else headers)
            if answer.status not in (301, 302, 303, 307, 308):
                return answer
            url = urljoin(url, answer.headers.get("Location") or "")
            answer.close()
            if urlsplit(url).scheme not in ("http", "https") or not (self._is_own(url) or self._limits.redirects):
                to = urlsplit(url)
                raise Refused(
                    f"the service leads to another host, {to.scheme}://{to.netloc.rpartition('@')[2]}: "
                    "give that address if you trust it, or redirects=True"
                )
        raise Refused(f"{name}: the service leads in a circle, or nowhere")

    def _ask_once(self, url: str, headers: Dict[str, str]) -> Any:
        began = time.monotonic()
        answer = None
        try:
            left = max(min(self._limits.patience, self._limits.time - self._waited), 0.001)
            answer = self._send(url, headers, left)
        except (OSError, http.client.HTTPException, ValueError) as e:
            raise _broken(e) from None
        finally:
            self._count(time.monotonic() - began, 0, answer is not None)
        return answer

    def _is_own(self, url: str) -> bool:
        base, to = urlsplit(self.where), urlsplit(url)
        try:
            upgrade = (base.scheme, to.scheme) == ("http", "https") and base.port is None and to.port is None
            return base.hostname == to.hostname and ((base.scheme, base.port) == (to.scheme, to.port) or upgrade)
        except ValueError:
            return False


@dataclass(frozen=True)
class Limits:
    """What a service may take and send, and how long to wait before a request is repeated."""

    time: float
    bytes: int
    redirects: bool
    patience: float
    pause: float


_Send = Callable[[str, Dict[str, str], float], Any]  # asks an address, and follows no redirects


def _plain() -> _Send:
    """Asks with what comes with Python."""
    opener = urllib.request.build_opener(_NoRedirects)
    opener.addheaders = []

    def send(url: str, headers: Dict[str, str], timeout: float) -> Any:
        try:
            return opener.open(urllib.request.Request(url, headers=headers), timeout=timeout)
        except urllib.error.HTTPError as e:
            return e  # which is an answer, too

    return send


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def _through(session: Any) -> _Send:
    """Asks with a session of requests."""

    def send(url: str, headers: Dict[str, str], timeout: float) -> Any:
        return _Answer(session.get(url, headers=headers, timeout=timeout, stream=True, allow_redirects=False))

    return send


class _Answer:
    """An answer of requests, not decoded."""

    def __init__(self, answer: Any) -> None:
        self.status, self.headers, self.close = answer.status_code, answer.headers, answer.close
        self._read = getattr(answer.raw, "read1", answer.raw.read)  # older ones wait for all that is asked for

    def read1(self, most: int) -> Any:
        try:
            return self._read(min(most, 4 << 10) if self._read.__name__ == "read" else most, decode_content=False)
        except OSError:
            raise
        except Exception as e:  # those of urllib3 are no others
            raise OSError(str(e)) from None


def _split(base: str) -> Any:
    """An address without user and password, and these as a header has them. They are written nowhere."""
    wrong = Refused("this is not the address of a service: write https://host or https://host/path")
    try:
        u = urlsplit(base)
        u.port
    except ValueError:
        raise wrong from None
    if not u.hostname or u.query or u.fragment:
        raise wrong
    user = ""
    if u.username is not None:
        pair = unquote(u.username) + ":" + unquote(u.password or "")
        user = "Basic " + base64.b64encode(pair.encode()).decode()
    return urlunsplit((u.scheme, u.netloc.rpartition("@")[2], u.path.rstrip("/"), "", "")), user


def _broken(e: BaseException) -> SteleError:
    reason = e.reason if isinstance(e, urllib.error.URLError) else e
    if isinstance(reason, ssl.SSLCertVerificationError) or "certificate verify failed" in str(reason):
        return Refused(f"the service does not have a certificate for its name: {reason}")
    if isinstance(reason, TimeoutError) or "timed out" in str(reason):
        return _Stalled("the service stopped sending, or sends too slowly")
    return _Broken(f"the connection broke off: {reason}")


def _decoded(parts: Iterator[bytes], encoding: str, size: int) -> Iterator[bytes]:
    """Decodes parts, up to a byte more than there should be."""
    n = 0
    if encoding in ("", "identity"):
        for part in parts:
            n += len(part)
            yield part
            if n > size:
                return
        return
    if encoding != "gzip":
        raise Unavailable(f"the service sends the encoding {encoding[:40]!r}, which is not known")
    z = zlib.decompressobj(31)
    try:
        for part in parts:
            while part:
                out = z.decompress(part, 256 << 10)
                part = z.unconsumed_tail
                n += len(out)
                if out:
                    yield out
                if n > size:
                    return
        if not z.eof:
            raise Damaged("what the service sends is cut off")
    except zlib.error as e:
        raise Damaged(f"what the service sends cannot be decoded: {e}") from None


def _retry_after(headers: Any) -> float:
    text = headers.get("Retry-After") or ""
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(text).timestamp() - time.time())
    except (TypeError, ValueError, IndexError, OverflowError):
        return 0.0


def _settled(h: Any) -> bool:
    """Whether a file was changed long enough before it was sent: within a second it may change again."""
    try:
        changed, sent = (email.utils.parsedate_to_datetime(h.get(name) or "") for name in ("Last-Modified", "Date"))
        return bool((sent - changed).total_seconds() >= 2)
    except (TypeError, ValueError, IndexError):
        return False
