"""The values that docent returns. `raw` is the JSON of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

JSON = Mapping[str, Any]


@dataclass(frozen=True)
class Passage:
    """A passage of a document."""

    content: str
    source: str
    title: str
    heading: str
    page: int | None
    """The page, counted from 0; None without pages."""
    page_label: str | None
    start: int
    """The byte offset of the passage in the text of the document."""
    end: int
    score: float
    document_id: int
    chunk_id: int
    date: str = ""
    """The day when the document was written or last changed, such as 2026-05-12; empty if it is unknown."""
    date_from: str = ""
    """Where the date comes from, such as front_matter."""
    version: str = ""
    """The version that the document states."""

    @classmethod
    def parse(cls, content: str, of: JSON) -> Passage:
        """Return the passage with a content and the metadata of the server."""
        return cls(
            content=content,
            source=of.get("source", ""),
            title=of.get("title", ""),
            heading=of.get("heading", ""),
            page=of.get("page"),
            page_label=of.get("page_label"),
            start=of.get("start", 0),
            end=of.get("end", 0),
            score=of.get("score") or 0.0,
            document_id=of.get("document_id", 0),
            chunk_id=of.get("chunk_id", 0),
            date=of.get("date", ""),
            date_from=of.get("date_from", ""),
            version=of.get("version", ""),
        )

    def metadata(self) -> dict[str, Any]:
        """Return the fields other than the content."""
        return {name: value for name, value in self.__dict__.items() if name != "content"}


@dataclass(frozen=True)
class Sentence:
    """A sentence of an answer."""

    start: int
    """The byte offset in the answer."""
    end: int
    docs: tuple[int, ...]
    """The positions of its passages, counted from 1."""
    support: str
    """strong, weak, or none."""


@dataclass(frozen=True)
class Answer:
    """An answer with its passages. Markers such as [1] in the text count the passages from 1."""

    question: str
    text: str
    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    model: str
    abstained: bool
    """The documents do not answer the question, or docent replied without them."""
    outcome: str
    """answered; unsure: the closest passages; not_found; replied: without the documents; "" if unknown."""
    stopped: bool
    """The text is the beginning of an answer that was stopped."""
    evidence: float | None
    """How well the passages support an answer, from 0 to 1; None if unknown."""
    raw: JSON = field(repr=False)

    @classmethod
    def parse(cls, raw: JSON) -> Answer:
        """Return the answer of a RAG message."""
        return cls(
            question=raw.get("question", ""),
            text=raw.get("answer", ""),
            passages=tuple(Passage.parse(d["content"], d.get("metadata") or {}) for d in raw.get("docs") or ()),
            sentences=tuple(
                Sentence(s["start"], s["end"], tuple(s.get("docs") or ()), s["support"])
                for s in raw.get("sentences") or ()
            ),
            model=raw.get("llm_name", ""),
            abstained=raw.get("abstained") is True,
            outcome=raw.get("outcome") or "",
            stopped=raw.get("stopped") is True,
            evidence=raw.get("evidence"),
            raw=raw,
        )


@dataclass(frozen=True)
class Phase:
    """The current step of an answer, such as searching."""

    name: str


@dataclass(frozen=True)
class Piece:
    """A piece of a growing answer."""

    text: str


@dataclass(frozen=True)
class Turn:
    """An earlier message, for a question without a conversation."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class SearchResults:
    """The passages for a search text, best first."""

    question: str
    evidence: float
    passages: tuple[Passage, ...]

    @classmethod
    def parse(cls, raw: JSON) -> SearchResults:
        """Return the results of a search."""
        passages = tuple(Passage.parse(r["text"], r) for r in raw.get("results") or ())
        return cls(raw.get("question", ""), raw.get("evidence") or 0.0, passages)


@dataclass(frozen=True)
class Document:
    """A stored document."""

    id: int
    collection: str
    source: str
    title: str
    media_type: str
    language: str
    size: int
    status: str
    """ready or failed."""
    chunks: int
    error: str
    created_at: str
    updated_at: str
    raw: JSON = field(repr=False)

    @classmethod
    def parse(cls, raw: JSON) -> Document:
        """Return a document of a list."""
        return cls(
            id=raw["id"],
            collection=raw["collection"],
            source=raw["source"],
            title=raw["title"],
            media_type=raw.get("media_type", ""),
            language=raw.get("language", ""),
            size=raw.get("size", 0),
            status=raw["status"],
            chunks=raw.get("chunks", 0),
            error=raw.get("error", ""),
            created_at=raw.get("created_at", ""),
            updated_at=raw.get("updated_at", ""),
            raw=raw,
        )


@dataclass(frozen=True)
class Collection:
    """A collection that the caller may read."""

    name: str
    documents: int
    right: str
    """read, write, or manage."""
    restricted: bool


@dataclass(frozen=True)
class Ingested:
    """The result of an uploaded file."""

    source: str
    status: str
    """added, changed, unchanged, removed, or failed."""
    chunks: int
    document_id: int | None
    reason: str
    """Why the file could not be read; empty without a failure."""

    @property
    def failed(self) -> bool:
        """Whether the file could not be read."""
        return self.status == "failed"
