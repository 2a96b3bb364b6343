"""The events of a conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import DocentError
from .types import Answer


@dataclass(frozen=True)
class Entry:
    """A message or a step of a conversation.

    The actions `user_message`, `user_file`, and `user_voice` are messages of users.
    Actions that begin with `agent_reply_` are replies and steps. The action `error`
    is the stored error of a turn.
    """

    action: str
    message: Any
    """None in the own message of `regenerate`, which repeats an earlier one."""
    seq: int
    """Its number among the stored entries; 0 if it is not stored yet."""
    turn: int
    """Its turn; the greeting is turn 0."""
    id: str = ""
    """The id that a client chose for its message."""
    replaces: int = 0
    """The first turn that a message replaces; 0 if it replaces nothing."""
    sender: str = ""
    """The other agent that sent a message; empty for users."""
    history: bool = False
    """Whether the entry is older than the connection."""
    n: int = 0
    """The number of a provisional entry in its turn."""

    @property
    def text(self) -> str:
        """The entry as text: an answer or an error without its fields, or JSON."""
        if isinstance(self.message, str):
            return self.message
        if isinstance(self.message, dict):
            said = self.message.get({"agent_reply_rag": "answer", "error": "message"}.get(self.action, ""))
            if isinstance(said, str):
                return said
        return json.dumps(self.message, ensure_ascii=False)

    @property
    def answer(self) -> Answer | None:
        """The answer from documents; None for other entries."""
        if self.action == "agent_reply_rag" and isinstance(self.message, dict):
            return Answer.parse(self.message)
        return None


@dataclass(frozen=True)
class Status:
    """The progress of a turn. Status, Delta, and Snapshot are provisional."""

    turn: int
    n: int
    phase: str


@dataclass(frozen=True)
class Delta:
    """A piece of a growing reply. The next reply of the turn replaces it."""

    turn: int
    n: int
    text: str


@dataclass(frozen=True)
class Snapshot:
    """The unstored output of a turn after a reconnect. It replaces provisional events."""

    turn: int
    n: int
    text: str
    steps: tuple[Entry, ...]


@dataclass(frozen=True)
class TurnFinished:
    """The end of a turn."""

    turn: int
    outcome: str
    """done, failed, stopped, or held."""
    usage: Mapping[str, int] | None = None
    missed: bool = False
    """Whether the turn ended while the client was disconnected."""


@dataclass(frozen=True)
class TurnFailed:
    """The reason of a failed turn, without a stored entry."""

    turn: int
    error: DocentError


@dataclass(frozen=True)
class SessionReset:
    """The entries up to a number no longer exist."""

    seq: int


@dataclass(frozen=True)
class Connected:
    """A new connection. The missed entries follow."""

    welcome: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Synced:
    """All missed entries have arrived, and live events follow."""

    seq: int


@dataclass(frozen=True)
class Disconnected:
    """The connection is lost, and the client tries again."""

    error: DocentError
    retry: float
    """The time until the next attempt, in seconds."""


Event = Entry | Status | Delta | Snapshot | TurnFinished | TurnFailed | SessionReset | Connected | Synced | Disconnected


@dataclass(frozen=True)
class Stored:
    """The position of a stored message."""

    id: str
    seq: int
    turn: int
    duplicate: bool
    """Whether the message was stored before."""


@dataclass(frozen=True)
class Reply:
    """The replies to a message."""

    stored: Stored
    entries: tuple[Entry, ...]
    outcome: str
    usage: Mapping[str, int] | None = None

    @property
    def text(self) -> str:
        """The texts of the replies, joined by blank lines."""
        return "\n\n".join(e.text for e in self.entries)

    @property
    def answer(self) -> Answer | None:
        """The last reply that is an answer from documents."""
        return next((e.answer for e in reversed(self.entries) if e.answer), None)
