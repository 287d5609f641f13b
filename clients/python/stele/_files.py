"""The files of a release in a folder."""

from __future__ import annotations

import os
import stat
import threading
from hashlib import sha256
from typing import IO, Any, Dict, Iterator, Optional

from .errors import Damaged, NotFound


class File:
    """A verified file, of which several may read at once."""

    def __init__(self, f: IO[bytes], lock: threading.Lock, keep: bool) -> None:
        self._f, self._lock, self._keep = f, lock, keep

    def __enter__(self) -> "File":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._keep:
            self._f.close()

    def at(self, place: int, size: int) -> bytes:
        with self._lock:
            self._f.seek(place)
            return self._f.read(size)

    def __iter__(self) -> Iterator[bytes]:
        place = 0
        while True:
            data = self.at(place, 256 << 10)
            if not data:
                return
            place += len(data)
            yield data


class Folder:
    """The files of a release in a folder."""

    def __init__(self, path: str) -> None:
        self.where = path

    def manifest(self, most: int) -> Optional[bytes]:
        try:
            return self.single("manifest.json", most)
        except NotFound:
            raise NotFound("there is no release here: manifest.json is missing") from None

    def _open(self, path: str) -> IO[bytes]:
        try:
            f = open(os.path.join(self.where, *path.split("/")), "rb", opener=_without_waiting)
        except FileNotFoundError:
            raise NotFound(f"{path} is not in the release") from None
        if not stat.S_ISREG(os.fstat(f.fileno()).st_mode):
            f.close()
            raise Damaged(f"{path} is no ordinary file")
        return f

    def single(self, path: str, most: int) -> bytes:
        with self._open(path) as f:
            data = f.read(most + 1)
        if len(data) > most:
            raise Damaged(f"{path} is larger than {most} bytes")
        return data

    def opened(self, listed: Dict[str, Any], again: bool = False) -> File:
        f = self._open(listed["path"])
        file, sum, size = File(f, threading.Lock(), False), sha256(), 0
        if again:  # who reads holds each line to its digest
            return file
        for data in file:
            sum.update(data)
            size += len(data)
            if size > listed["size"]:
                break
        if size != listed["size"] or sum.hexdigest() != listed["sha256"]:
            f.close()
            raise Damaged(f"{listed['path']} is not the file that the manifest describes")
        return file

    def renew(self) -> None: ...
    def begin(self) -> None: ...
    def close(self) -> None: ...


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would be waited for
