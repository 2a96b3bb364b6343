"""A client of docent: answers with citations from your documents."""

from ._sync import SyncResult, sync
from .aio import AsyncDocent
from .blocking import Conversation
from .client import Docent
from .conversation import AsyncConversation
from .errors import (
    BusyError,
    CanceledError,
    ConflictError,
    DocentError,
    ForbiddenError,
    InternalError,
    InvalidError,
    NotFoundError,
    RateLimitedError,
    UnauthorizedError,
    UnavailableError,
)
from .events import (
    Connected,
    Delta,
    Disconnected,
    Entry,
    Event,
    Reply,
    SessionReset,
    Snapshot,
    Status,
    Stored,
    Synced,
    TurnFailed,
    TurnFinished,
)
from .types import Answer, Collection, Document, Ingested, Passage, Phase, Piece, SearchResults, Sentence, Turn

__all__ = [
    "Answer",
    "AsyncConversation",
    "AsyncDocent",
    "BusyError",
    "CanceledError",
    "Collection",
    "ConflictError",
    "Connected",
    "Conversation",
    "Delta",
    "Disconnected",
    "Docent",
    "DocentError",
    "Document",
    "Entry",
    "Event",
    "ForbiddenError",
    "Ingested",
    "InternalError",
    "InvalidError",
    "NotFoundError",
    "Passage",
    "Phase",
    "Piece",
    "RateLimitedError",
    "Reply",
    "SearchResults",
    "Sentence",
    "SessionReset",
    "Snapshot",
    "Status",
    "Stored",
    "SyncResult",
    "Synced",
    "Turn",
    "TurnFailed",
    "TurnFinished",
    "UnauthorizedError",
    "UnavailableError",
    "sync",
]
