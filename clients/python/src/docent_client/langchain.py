"""A retriever for LangChain."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import SecretStr

from .aio import AsyncDocent
from .client import Docent
from .types import Passage


class DocentRetriever(BaseRetriever):
    """Finds passages in docent. The metadata has the source, the page, and the score."""

    url: str = "http://127.0.0.1:8765"
    token: SecretStr | None = None
    collections: list[str] | None = None
    k: int = 4

    def _options(self) -> dict[str, Any]:
        return {"url": self.url, "token": self.token.get_secret_value() if self.token else None}

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        with Docent(**self._options()) as docent:
            found = docent.search(query, k=self.k, collections=self.collections)
        return [document(p) for p in found.passages]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        async with AsyncDocent(**self._options()) as docent:
            found = await docent.search(query, k=self.k, collections=self.collections)
        return [document(p) for p in found.passages]


def document(passage: Passage) -> Document:
    """Return a passage as a document of LangChain."""
    return Document(page_content=passage.content, metadata=passage.metadata())
