"""RAG for agents of the BESSER Agentic Framework, in place of `baf.nlp.rag.rag.RAG`."""

from __future__ import annotations

import base64
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from baf.core.message import MessageType
from baf.nlp.rag.rag import RAG as BafRAG
from baf.nlp.rag.rag import RAGMessage
from langchain_core.documents import Document

from .client import Docent
from .errors import InvalidError
from .langchain import document
from .types import Ingested, Turn

if TYPE_CHECKING:
    from baf.core.agent import Agent
    from baf.core.file import File
    from baf.core.session import Session

__all__ = ["RAG", "RAGMessage"]

_MAX_UPLOAD = 16
"""The number of files in one upload."""


class RAG(BafRAG):  # type: ignore[misc]
    """Answers from the documents of docent.

    The parameters are those of BAF's RAG, with the server in addition. docent stores
    the documents and writes the answers, so `vector_store`, `splitter`, and `llm_name`
    have no effect. The defaults of `url` and `token` are the environment variables
    DOCENT_URL and DOCENT_TOKEN.
    """

    def __init__(
        self,
        agent: Agent,
        vector_store: Any = None,
        splitter: Any = None,
        llm_name: str = "",
        llm_prompt: str | None = None,
        k: int = 4,
        num_previous_messages: int = 0,
        session_scoped: bool = False,
        *,
        url: str | None = None,
        token: str | None = None,
        collection: str | None = None,
    ) -> None:
        """Use a server. `collection` is the collection of the documents; without it, docent searches all."""
        # BAF's constructor would make the vector store.
        self._nlp_engine = agent.nlp_engine
        self.vector_store = None
        self.splitter = None
        self.llm_name = llm_name
        self.llm_prompt = llm_prompt
        self.k = k
        self.num_previous_messages = num_previous_messages
        self.collection = collection
        url = url or os.environ.get("DOCENT_URL") or "http://127.0.0.1:8765"
        self.docent = Docent(url, token or os.environ.get("DOCENT_TOKEN"))
        if not session_scoped:
            self._nlp_engine._rag = self

    @property
    def _collections(self) -> list[str] | None:
        return [self.collection] if self.collection else None

    def load_pdfs(self, path: str) -> int:
        """Add the PDF files of a folder, and return the number of passages."""
        return self.load_documents(path, ["pdf"])

    def load_documents(self, path: str, formats: list[str] | None = None) -> int:
        """Add the files of a folder, and return the number of passages.

        Without `formats`, these are all formats that BAF supports.
        """
        allowed = set(formats or BafRAG.SUPPORTED_FORMATS)
        files = sorted(
            os.path.join(path, name)
            for name in os.listdir(path)
            if os.path.splitext(name)[1].lower().lstrip(".") in allowed
        )
        return self._add(files)

    def add_file(self, file: File) -> int:
        """Add a file of BAF, and return the number of passages."""
        return self._add([(file.name or "file", base64.b64decode(file.base64))])

    def add_text(self, text: str, metadata: dict[str, Any] | None = None) -> int:
        """Add a text, and return the number of passages. Its name is `source` of the metadata."""
        name = str((metadata or {}).get("source") or "text.txt")
        return self._add([(name, text.encode())])

    def _add(self, files: Iterable[str | tuple[str, bytes]]) -> int:
        waiting, results = list(files), list[Ingested]()
        while waiting:
            results += self.docent.ingest(*waiting[:_MAX_UPLOAD], collection=self.collection)
            waiting = waiting[_MAX_UPLOAD:]
        for result in results:
            if result.failed:
                raise InvalidError(f"docent cannot read {result.source}: {result.reason}")
        return sum(r.chunks for r in results)

    def is_empty(self) -> bool:
        """Report whether docent has no documents."""
        return not any(True for _ in self.docent.documents(collection=self.collection))

    def clear(self) -> None:
        """Delete the documents of the collection."""
        if not self.collection:
            raise InvalidError("clear needs a collection: without it, it would delete all documents of docent")
        ids = [d.id for d in self.docent.documents(collection=self.collection)]
        for at in range(0, len(ids), 10_000):
            self.docent.delete(*ids[at : at + 10_000])

    def run_retrieval(self, question: str, k: int | None = None) -> list[Document]:
        """Return the passages for a question."""
        found = self.docent.search(question, k=k or self.k, collections=self._collections)
        return [document(p) for p in found.passages]

    def run(
        self,
        message: str,
        session: Session | None = None,
        llm_prompt: str | None = None,
        llm_name: str | None = None,
        k: int | None = None,
        num_previous_messages: int | None = None,
    ) -> RAGMessage:
        """Answer a question. With previous messages, docent understands follow-up questions."""
        if not message:
            raise ValueError("RAG Run: Must provide a message")
        number = num_previous_messages or self.num_previous_messages
        history = _turns(session.get_chat_history(n=number)) if session is not None and number > 0 else []
        answer = self.docent.ask(
            message,
            collections=self._collections,
            k=k or self.k,
            history=history,
            prompt=llm_prompt or self.llm_prompt,
        )
        return RAGMessage(answer.model, message, answer.text, [document(p) for p in answer.passages])


def _turns(messages: Iterable[Any]) -> list[Turn]:
    turns = []
    for message in messages:
        role: Literal["user", "assistant"] = "user" if message.is_user else "assistant"
        if message.type == MessageType.RAG_ANSWER:
            turns.append(Turn("assistant", message.content["answer"]))
        elif message.type == MessageType.STR and message.content:
            turns.append(Turn(role, message.content))
    return turns
