"""Why something is not handed out."""

from typing import Any, Optional


class SteleError(Exception):
    """What all errors of this module are, but those of disks.

    ``where`` is the address or the folder, without user and password. The message begins with it.
    """

    where: Optional[str] = None


class NotFound(SteleError, LookupError):
    """There is no such record, file or release."""


class Lost(SteleError):
    """The record was retracted, or nothing supports it any more. ``found`` has it."""

    def __init__(self, message: str, found: Any) -> None:
        super().__init__(message)
        self.found = found


class TooOld(SteleError):
    """The release does not tell what changed since then: read all records."""


class Damaged(SteleError):
    """Something is not what the manifest says of it: the service is being updated, or it is damaged.

    Who calls update() and asks again may have more luck.
    """


class Refused(SteleError):
    """The service does or sends something that is not accepted. To ask again does not help."""


class Unavailable(SteleError):
    """The service does not answer, or not with what was asked for. Later it may."""
