"""The exceptions of this package."""

from __future__ import annotations

from typing import Any


class PuzzleError(ValueError):
    """Something is wrong with a puzzle, a picture or an option.

    ``str(error)`` has the place and the message. ``message``, ``file``, ``line`` and ``column`` have its parts; lines and columns are
    counted from 1, and what is not known is ``None``. ``excerpt`` shows the text at the place.
    """

    def __init__(
        self,
        message: str,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        excerpt: str | None = None,
    ) -> None:
        super().__init__(message, file, line, column, excerpt)
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.excerpt = excerpt

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line, self.column) if part is not None]
        text = ": ".join([":".join(place), self.message] if place else [self.message])
        return f"{text}\n{self.excerpt}" if self.excerpt else text


class Stopped(Exception):
    """A run was stopped by a limit before it had the whole answer.

    ``reason`` names the limit: ``"time"``, ``"nodes"`` or ``"memory"``. ``result`` is what was found until then, or ``None``.
    """

    def __init__(self, reason: str, result: Any = None) -> None:
        super().__init__(reason, result)
        self.reason = reason
        self.result = result

    def __str__(self) -> str:
        return f"stopped by the limit on {self.reason}"
