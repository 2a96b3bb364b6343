"""Checks docent with the official Python SDK for MCP, over both transports."""

import asyncio
import os

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

QUESTION = {"question": "When does the pump stop?"}


async def check(name, server, mode):
    progress = []

    async def report(done, total, message):
        progress.append(message)

    async with Client(server, mode=mode) as client:
        version = client.session.protocol_version
        tools = (await client.list_tools()).tools
        assert sorted(t.name for t in tools) == ["ask", "fetch", "list_documents", "read_document", "search"], tools
        assert all(t.output_schema for t in tools)
        found = await client.call_tool("search", {"query": "When does the pump stop?"})
        first = found.structured_content["results"][0]
        assert {"id", "title", "url"} <= first.keys(), first
        fetched = await client.call_tool("fetch", {"id": first["id"]})
        assert {"id", "title", "text", "url", "metadata"} == fetched.structured_content.keys(), fetched
        answer = await client.call_tool("ask", QUESTION, progress_callback=report)
        assert "noon" in answer.structured_content["answer"], answer
        assert answer.structured_content["sources"][0]["id"] == first["id"], answer
        assert progress[:1] == ["searching"], progress
        part = await client.call_tool("read_document", {"id": first["id"], "limit": 6})
        assert part.structured_content["next_offset"] == 6, part
        listed = await client.call_tool("list_documents", {})
        assert listed.structured_content["documents"][0]["id"] == first["id"], listed
        wrong = await client.call_tool("fetch", {"id": "docent://vault/1"})
        assert wrong.is_error, wrong
        resources = (await client.list_resources()).resources
        assert str(resources[0].uri) == first["id"], resources
        read_back = await client.read_resource(first["id"])
        assert "noon" in read_back.contents[0].text, read_back
        try:
            await client.read_resource("docent://vault/1")
            raise AssertionError("a missing resource can be read")
        except MCPError:
            pass
        templates = (await client.list_resource_templates()).resource_templates
        assert templates[0].uri_template == "docent://{collection}/{document}", templates
        prompt = await client.get_prompt("answer_from_documents", {"question": "Why?"})
        assert prompt.messages[0].content.text.endswith("Why?"), prompt
    print(f"python {name} with protocol {version}: ok")


async def main():
    for mode in ("auto", "legacy"):
        await check("stdio", StdioServerParameters(command=os.environ["DOCENT"], args=["mcp"], env=dict(os.environ)), mode)
        async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + os.environ["TOKEN"]}) as http:
            await check("http", streamable_http_client(os.environ["BASE"] + "/mcp", http_client=http), mode)


asyncio.run(main())
