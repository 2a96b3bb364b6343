"""The retrievers, and RAG of the real BESSER Agentic Framework."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from baf.core.agent import Agent
from baf.core.file import File
from baf.core.message import Message, MessageType
from baf.core.session import Session
from baf.nlp.rag.rag import RAG as BafRAG
from llama_index.core.schema import QueryBundle
from pydantic import SecretStr

from docent_client import ForbiddenError, InvalidError, langchain, llamaindex
from docent_client.baf import RAG

URL, TOKEN = os.environ["ADDRESS"], os.environ["INGEST_TOKEN"]
QUESTION = "When does the pump stop?"


def test_langchain() -> None:
    retriever = langchain.DocentRetriever(url=URL, token=SecretStr(TOKEN), k=2, collections=["default"])
    for found in (retriever.invoke(QUESTION), asyncio.run(retriever.ainvoke(QUESTION))):
        assert "noon" in found[0].page_content
        assert found[0].metadata["source"].endswith("pump.md")
    assert TOKEN not in repr(retriever)


def test_llamaindex() -> None:
    retriever = llamaindex.DocentRetriever(URL, TOKEN, k=2, collections=["default"])
    for found in (retriever.retrieve(QUESTION), asyncio.run(retriever.aretrieve(QueryBundle(QUESTION)))):
        assert "noon" in found[0].get_content()
        assert found[0].metadata["source"].endswith("pump.md")


def test_baf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_URL", URL)
    monkeypatch.setenv("DOCENT_TOKEN", TOKEN)
    agent = Agent("rag_agent")
    rag = RAG(agent=agent, vector_store=None, splitter=None, llm_name="gpt-4o-mini", k=3)
    assert isinstance(rag, BafRAG)
    session = Session("s", agent, SimpleNamespace())
    answer = session.run_rag(QUESTION)
    assert "noon" in answer.answer and answer.docs[0].metadata["source"].endswith("pump.md")
    assert answer.to_dict()["docs"][0]["metadata"]["page"] is None

    own = RAG(agent, llm_name="gpt", collection="baf", session_scoped=True)
    assert agent.nlp_engine._rag is rag
    assert own.is_empty()
    (tmp_path / "fan.md").write_text("# Fan\n\nThe fan turns left.\n")
    (tmp_path / "skipped.csv").write_text("a,b\n")
    assert own.load_documents(str(tmp_path)) == 1
    content = base64.b64encode(b"# Door\n\nThe door opens at nine.").decode()
    assert own.add_file(File(file_name="door.md", file_base64=content, file_type="md")) == 1
    assert own.add_text("The lamp is green.", {"source": "lamp.txt"}) == 1
    with pytest.raises(InvalidError):
        own.add_file(File(file_name="bad.zip", file_base64=base64.b64encode(b"PK\x03\x04").decode(), file_type="zip"))
    assert "left" in own.run_retrieval("Where does the fan turn?", k=1)[0].page_content
    own.clear()
    assert own.is_empty()
    with pytest.raises(InvalidError):
        rag.clear()
    with pytest.raises(ForbiddenError):
        rag.run(QUESTION, llm_prompt="Answer in French.")


def test_baf_history(monkeypatch: pytest.MonkeyPatch) -> None:
    agent = Agent("rag_agent")
    rag = RAG(agent, llm_name="gpt", num_previous_messages=2, url=URL, token=TOKEN)
    session: Any = Session("s", agent, SimpleNamespace())
    said = [
        Message(MessageType.STR, QUESTION, True, None),
        Message(MessageType.RAG_ANSWER, {"answer": "The feed pump stops at noon."}, False, None),
    ]
    monkeypatch.setattr(session, "get_chat_history", lambda n: said[-n:])
    assert "30 litres" in rag.run("And how much water does it move?", session).answer
