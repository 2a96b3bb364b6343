"""A retriever for LlamaIndex."""

from __future__ import annotations

from collections.abc import Sequence

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from .aio import AsyncDocent
from .client import Docent
from .types import SearchResults


class DocentRetriever(BaseRetriever):
    """Finds passages in docent. The metadata has the source, the page, and the score."""

    def __init__(
        self,
        url: str = "http://127.0.0.1:8765",
        token: str | None = None,
        *,
        collections: Sequence[str] | None = None,
        k: int = 4,
    ) -> None:
        super().__init__()
        self._url = url
        self._token = token
        self._collections = collections
        self._k = k

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        with Docent(self._url, self._token) as docent:
            return _nodes(docent.search(query_bundle.query_str, k=self._k, collections=self._collections))

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        async with AsyncDocent(self._url, self._token) as docent:
            return _nodes(await docent.search(query_bundle.query_str, k=self._k, collections=self._collections))


def _nodes(found: SearchResults) -> list[NodeWithScore]:
    return [
        NodeWithScore(node=TextNode(id_=str(p.chunk_id), text=p.content, metadata=p.metadata()), score=p.score)
        for p in found.passages
    ]
