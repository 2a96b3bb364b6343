// Talks with docent over AG-UI as the client of npm does. Arguments: the URL of the
// built-in assistant, and the URL of the FAQ agent.
import { HttpAgent } from '@ag-ui/client';
import assert from 'node:assert/strict';

const [assistant, faq] = process.argv.slice(2);

async function say(agent, content, resume) {
  const types = [];
  agent.addMessage({ id: crypto.randomUUID(), role: 'user', content });
  const { newMessages } = await agent.runAgent(resume ? { resume } : {}, { onEvent: ({ event }) => { types.push(event.type); } });
  return { types: types.join(' '), texts: newMessages.map((m) => m.content) };
}

const thread = () => crypto.randomUUID();

const answered = await say(new HttpAgent({ url: assistant + '/agui', threadId: thread() }), 'How long is the Borealis?');
assert.equal(answered.types, 'RUN_STARTED TEXT_MESSAGE_START TEXT_MESSAGE_CONTENT TEXT_MESSAGE_END CUSTOM RUN_FINISHED');
assert.match(answered.texts[0], /88 metres/);

const agent = new HttpAgent({ url: faq + '/agui', threadId: thread() });
const first = await say(agent, 'shipping');
assert.deepEqual(first.texts, ['Shipping costs 4 € a parcel.', 'What would you like to know?']);
const [options] = agent.pendingInterrupts;
assert.deepEqual(options.responseSchema.enum, ['Opening hours', 'Shipping', 'Returns']);
const chosen = await say(agent, 'Returns', [{ interruptId: options.id, status: 'resolved', payload: 'Returns' }]);
assert.match(chosen.texts[0], /30 days/);
const other = await say(agent, 'shipping', [{ interruptId: agent.pendingInterrupts[0].id, status: 'cancelled' }]);
assert.match(other.texts[0], /Shipping costs/);

// Another client answers the question. The stale answer is refused, and the client goes on without it.
const stale = agent.pendingInterrupts[0].id;
const second = new HttpAgent({ url: faq + '/agui', threadId: agent.threadId });
assert.match((await say(second, 'Returns')).texts[0], /30 days/);
await assert.rejects(say(agent, 'Shipping', [{ interruptId: stale, status: 'resolved', payload: 'Shipping' }]), /options_closed/);
const on = await say(agent, 'shipping', [{ interruptId: stale, status: 'cancelled' }]);
assert.match(on.texts[0], /Shipping costs/);

await assert.rejects(new HttpAgent({ url: faq + '/agui', threadId: thread() }).runAgent({ tools: [{ name: 'x', description: 'y', parameters: {} }] }));
console.log('AG-UI: all checks pass');
