// Checks docent with the Node clients of OpenAI's API. Run .ci/openai-clients.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenAI } from '@ai-sdk/openai';
import { embed, generateText, streamText } from 'ai';
import OpenAI from 'openai';

const { BASE: baseURL, TOKEN: apiKey } = process.env;
const prompt = 'When does the pump stop?';
const messages = [{ role: 'user', content: prompt }];

function check(name, ok, got) {
  console.log(ok ? 'ok  ' : 'FAIL', name);
  if (!ok) throw new Error(`${name}: ${JSON.stringify(got)}`);
}

async function checkOpenAI() {
  const client = new OpenAI({ baseURL, apiKey });
  const names = [];
  for await (const model of client.models.list()) names.push(model.id);
  check('openai (Node): models', names.join() === 'docent,docent/default', names);
  check('openai (Node): one model', (await client.models.retrieve('docent/default')).id === 'docent/default');
  const reply = await client.chat.completions.create({ model: 'docent', messages });
  const { content, annotations } = reply.choices[0].message;
  check('openai (Node): chat', content.includes('noon') && annotations[0].url_citation.title === 'Pump', reply);
  let text = '';
  for await (const chunk of await client.chat.completions.create({ model: 'docent', messages, stream: true })) {
    text += chunk.choices[0].delta.content ?? '';
  }
  check('openai (Node): stream', text === content, text);
  const final = await client.chat.completions.stream({ model: 'docent', messages }).finalContent();
  check('openai (Node): stream helper', final === content, final);
  const response = await client.responses.create({ model: 'docent', input: prompt });
  check('openai (Node): responses', response.output_text === content, response);
  const streamed = await client.responses.stream({ model: 'docent', input: prompt }).finalResponse();
  check('openai (Node): responses stream', streamed.output_text === content && streamed.output[0].content[0].annotations.length === 1, streamed);
  const vectors = await client.embeddings.create({ model: 'docent', input: 'pump' });
  check('openai (Node): embeddings', vectors.data[0].embedding.length > 100);
  const refused = await client.chat.completions.create({ model: 'docent', messages, n: 2 }).catch((e) => e);
  check('openai (Node): refused', refused instanceof OpenAI.BadRequestError && refused.param === 'n', refused);
}

async function checkSDK() {
  const docent = createOpenAICompatible({ name: 'docent', baseURL, apiKey });
  const { text } = await generateText({ model: docent('docent'), prompt });
  check('ai: generateText', text.includes('noon'), text);
  let streamed = '';
  for await (const part of streamText({ model: docent('docent/default'), system: 'Be brief.', prompt }).textStream) streamed += part;
  check('ai: streamText', streamed === text, streamed);
  const { embedding } = await embed({ model: docent.embeddingModel('docent'), value: 'pump' });
  check('ai: embed', embedding.length > 100);
  const openai = createOpenAI({ baseURL, apiKey });
  for (const [name, model] of [['responses', openai('docent')], ['chat', openai.chat('docent')]]) {
    const result = await generateText({ model, prompt });
    check(`ai: @ai-sdk/openai, ${name}`, result.text === text && result.sources.length === 1 && result.sources[0].title === 'Pump', result.sources);
    const all = streamText({ model, prompt });
    check(`ai: @ai-sdk/openai, ${name} stream`, (await all.text) === text && (await all.sources).length === 1, await all.sources);
  }
}

await checkOpenAI();
await checkSDK();
