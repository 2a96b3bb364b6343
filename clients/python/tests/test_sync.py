"""sync with loaders of LangChain and readers of LlamaIndex, and a real docent."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_community.document_loaders import CSVLoader, DirectoryLoader, TextLoader
from langchain_core.documents import Document
from llama_index.core import Document as LlamaDocument
from llama_index.core import SimpleDirectoryReader

import docent_client
from docent_client import Docent, InvalidError, SyncResult

URL, TOKEN = os.environ["ADDRESS"], os.environ["INGEST_TOKEN"]


@pytest.fixture
def docent() -> Iterator[Docent]:
    with Docent(URL, TOKEN) as opened:
        yield opened


def titles(docent: Docent, source: str) -> list[str]:
    prefix = f"upload:{source}/"
    return sorted(d.title for d in docent.documents(collection="loaded") if d.source.startswith(prefix))


def test_folder(docent: Docent, tmp_path: Path) -> None:
    def sync(source: str = "folder") -> SyncResult:
        loader = DirectoryLoader(str(tmp_path), glob="*.txt", loader_cls=TextLoader)
        return docent_client.sync(loader, source=source, collection="loaded", docent=docent)

    (tmp_path / "fan.txt").write_text("The fan turns left.")
    (tmp_path / "door.txt").write_text("The door opens at nine.")
    assert sync("other").added == 2
    assert sync() == SyncResult(added=2)
    assert sync() == SyncResult(unchanged=2)
    (tmp_path / "fan.txt").write_text("The fan turns right.")
    (tmp_path / "door.txt").unlink()
    assert sync() == SyncResult(changed=1, removed=1)
    assert titles(docent, "folder") == ["fan.txt"]
    (tmp_path / "fan.txt").unlink()
    with pytest.raises(InvalidError, match="nothing was removed"):
        sync()
    assert titles(docent, "folder") == ["fan.txt"]
    assert len(titles(docent, "other")) == 2


def test_loaders(docent: Docent, tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("name,litres\nfeed,40\nmain,90\n")
    assert docent_client.sync(CSVLoader(str(table)), source="rows", collection="loaded", docent=docent).added == 1
    for added in (1, 0):
        reader = SimpleDirectoryReader(str(tmp_path))
        result = docent_client.sync(reader, source="reader", collection="loaded", url=URL, token=TOKEN)
        assert (result.added, result.unchanged) == (added, 1 - added)


def test_documents(docent: Docent) -> None:
    seen = list[int]()
    documents = [
        Document(page_content=f"Text {i}.", metadata={"source": f"https://x/{i}", "title": f"T{i}", "tags": ["a"]})
        for i in range(20)
    ]
    documents.insert(3, Document(page_content="Another page.", metadata={"source": "https://x/2"}))
    result = docent_client.sync(
        documents, source="pages", collection="loaded", docent=docent, progress=lambda r: seen.append(r.added)
    )
    assert result.added == 20 and seen == [16, 20]
    assert titles(docent, "pages")[:3] == ["T0", "T1", "T10"]


def test_refused(docent: Docent) -> None:
    def broken() -> Iterator[Document]:
        yield Document(page_content="Text 0.", metadata={"source": "https://x/0"})
        raise OSError("the network is down")

    with pytest.raises(OSError, match="network"):
        docent_client.sync(broken(), source="pages", collection="loaded", docent=docent)
    assert len(titles(docent, "pages")) == 20
    for loader, why in (
        (7, "is no loader"),
        (["text"], "no document"),
        ([LlamaDocument(text="x")], "pass key="),
    ):
        with pytest.raises(InvalidError, match=why):
            docent_client.sync(loader, source="refused", docent=docent)
    with pytest.raises(InvalidError, match="must be a name"):
        docent_client.sync([], source="../x", docent=docent)
