// Checks docent with the official TypeScript SDK for MCP, over both transports.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const { DOCENT, BASE, TOKEN } = process.env;

async function check(name, transport) {
  const client = new Client({ name: 'check', version: '1' });
  await client.connect(transport);
  const { tools } = await client.listTools(); // the client then checks results against the output schemas
  assert.deepEqual(tools.map((t) => t.name).sort(), ['ask', 'fetch', 'list_documents', 'read_document', 'search']);
  const call = async (tool, args, options) => (await client.callTool({ name: tool, arguments: args }, undefined, options)).structuredContent;
  const [first] = (await call('search', { query: 'When does the pump stop?' })).results;
  assert.ok(first.id && first.title && first.url);
  assert.match((await call('fetch', { id: first.id })).text, /noon/);
  const phases = [];
  const answer = await call('ask', { question: 'When does the pump stop?' }, { onprogress: (p) => phases.push(p.message) });
  assert.match(answer.answer, /noon/);
  assert.equal(answer.sources[0].id, first.id);
  assert.equal(phases[0], 'searching');
  assert.equal((await call('read_document', { id: first.id, limit: 6 })).next_offset, 6);
  assert.equal((await call('list_documents', {})).documents[0].id, first.id);
  assert.ok((await client.callTool({ name: 'fetch', arguments: { id: 'docent://vault/1' } })).isError);
  assert.equal((await client.listResources()).resources[0].uri, first.id);
  assert.match((await client.readResource({ uri: first.id })).contents[0].text, /noon/);
  await assert.rejects(client.readResource({ uri: 'docent://vault/1' }));
  assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 1);
  assert.match((await client.getPrompt({ name: 'answer_from_documents', arguments: { question: 'Why?' } })).messages[0].content.text, /Why\?$/);
  const stop = new AbortController();
  const canceled = client.callTool({ name: 'ask', arguments: { question: 'x' } }, undefined, { signal: stop.signal });
  stop.abort();
  await assert.rejects(canceled);
  if (transport.terminateSession) await transport.terminateSession();
  await client.close();
  console.log(`typescript ${name} ok`);
}

await check('stdio', new StdioClientTransport({ command: DOCENT, args: ['mcp'], env: process.env }));
const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
await check('http', new StreamableHTTPClientTransport(new URL(`${BASE}/mcp`), { requestInit }));
const refused = new Client({ name: 'check', version: '1' });
await assert.rejects(refused.connect(new StreamableHTTPClientTransport(new URL(`${BASE}/mcp`))), /401|sign in/i);
console.log('typescript without a token: refused');
