// The scripts of the mock's agent, by words in the message.
import { answer, documents, hostile } from './corpus';
import type { MockTurn } from './turn';

/** A script returns the outcome of the turn; nothing for done. */
type Script = (t: MockTurn) => Promise<'failed' | 'held' | void>;

const passages = (...found: [number, string, string][]) =>
  found.map(([n, from, text]) => `<passage number="${n}" from="${from}" source="/srv/handbook/backup.md" document="1" bytes="0-54">\n${text}\n</passage>`).join('\n');

const long = 'docent keeps everything in one database. A backup is a copy of that database, made while it serves. '.repeat(12);

const research: Script = async (t) => {
  let step = 0;
  const tasks = ['Find how a backup is made', 'Find how it is restored', 'Compare with other programs'].map((description, i) => ({ id: i + 1, description, status: 'pending', result: '' }));
  const settle = (id: number, status: string, result: string) => {
    const task = tasks[id - 1]!;
    Object.assign(task, { status, result });
    t.step(`task_${status}`, step, `${status} task #${id} — ${result}`, { task_id: id, description: task.description, [status === 'skipped' ? 'reason' : 'result']: result });
    t.tasks(tasks.map((x) => ({ ...x })));
  };
  const calling = (...calls: [string, object][]) => {
    const names = calls.map(([name]) => name).join(', ');
    t.step('llm_tool_calls', step, `calling ${calls.length} tool(s): ${names}`, { tool_calls: calls.map(([name, args], i) => ({ id: `c${step}${i}`, name, arguments: args })) });
    t.status(names);
  };
  const result = (name: string, args: object, content: string, is_error = false) =>
    t.step('tool_result', step, `${name} returned (${content.length} chars)`, { name, arguments: args, content, is_error });

  t.step('reasoning_started', 0, 'reasoning started', { user_message: t.text, task_planning: true, max_steps: 8 });
  t.status('thinking');
  await t.wait(10);
  calling(['add_tasks', { descriptions: tasks.map((x) => x.description) }]);
  t.step('task_added', step, 'planned 3 task(s)', { tasks });
  t.tasks(tasks.map((x) => ({ ...x })));
  step++;
  t.status('thinking');
  await t.wait(10);
  calling(['search_knowledge', { query: 'backup' }], ['search_knowledge', { query: 'restore', k: 3 }]);
  await t.wait(20);
  await t.hold('searching');
  result('search_knowledge', { query: 'backup' }, passages([1, 'Backups', 'A backup is a copy of that database.'], [2, 'Backups › Size', long]));
  result('search_knowledge', { query: 'restore', k: 3 }, passages([3, 'Backups › Restoring', 'To restore, stop the server.']));
  step++;
  t.status('answering');
  t.delta('Let me look closer.');
  await t.wait(5);
  t.step('llm_text', step, '(intermediate) LLM said something before calling tools', { text: 'Let me look closer.', is_final: false });
  calling(['complete_task', { task_id: 1, result: 'with docent backup' }], ['read_document', { id: 99 }]);
  settle(1, 'completed', 'with docent backup');
  await t.wait(10);
  result('read_document', { id: 99 }, 'ERROR: there is no document 99', true);
  step++;
  settle(2, 'completed', 'with docent restore, while it is stopped');
  if (/endless/.test(t.text)) for (;;) await t.wait(10);
  t.step('pushback', step, 'rejected: 1 task(s) still pending', { pending: [{ id: 3, description: tasks[2]!.description, status: 'pending' }] });
  step++;
  settle(3, 'skipped', 'no other program is in the documents');
  const rag = answer('backup', documents());
  t.status('answering');
  for (const part of rag.answer.match(/[\s\S]{1,40}/gu) ?? []) {
    t.delta(part);
    await t.wait();
  }
  t.reply('rag_answer', rag);
  t.step('reasoning_finished', step, 'reasoning finished', { final_task_list: tasks });
};

// A picture of one pixel.
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const kinds: Script = async (t) => {
  t.reply('markdown', 'Some **kinds** of replies.');
  t.reply('file', { name: 'figures.csv', type: 'text/html', base64: Buffer.from('year,revenue\n2026,12\n').toString('base64') });
  t.reply('image', pixel);
  t.reply('location', { latitude: 49.611621, longitude: -6.131935 });
  const rows = Array.from({ length: 250 }, (_, i) => i);
  t.reply('dataframe', JSON.stringify({
    region: Object.fromEntries(rows.map((i) => [i, `Region ${i + 1}`])),
    revenue: Object.fromEntries(rows.map((i) => [i, i === 1 ? null : i * 1000])),
  }));
  t.reply('html', `<h1>Report</h1><p>Revenue <b>grew</b>, see <a href="https://example.org/">the source</a>.</p>${hostile}`);
  t.reply('plotly', '{"data":[],"layout":{}}');
};

const choices: Script = async (t) => {
  t.reply('str', 'What is it about?');
  t.reply('options', '{"0": "Billing", "1": "My account", "2": "Something else, which takes a few more words to say"}');
};

export const scripts: [RegExp, Script][] = [
  [/research/i, research],
  [/kinds/, kinds],
  [/choose|Billing|My account/, choices],
  [/keep this/, async () => 'held'],
  [/ramble/, async (t) => {
    t.status('answering');
    for (let i = 1; ; i++) {
      t.delta(`Thing ${i} is **said**. `);
      await t.wait();
    }
  }],
  [/ask another/, async (t) => t.reply('str', 'I asked Bob.')],
  [/break off/, async (t) => {
    const rag = answer('backup', documents());
    t.status('searching');
    t.status('answering');
    const said = rag.answer.slice(0, rag.answer.indexOf('[1]') + 4);
    t.delta(said);
    await t.hold(said);
    t.reply('rag_answer', { ...rag, answer: said.trim(), sentences: rag.sentences.slice(0, 1), stopped: true });
    return 'failed';
  }],
  [/from nowhere/, async (t) => {
    const said = 'As in [2] of the list, and [9].';
    t.delta(said);
    await t.hold(said);
    t.reply('markdown', said);
  }],
  [/made up/, async (t) => {
    const rag = answer('backup', documents());
    t.status('searching');
    t.status('answering');
    const said = 'So [99], but so [2], and so [1].';
    t.delta(said);
    await t.hold(said);
    t.reply('rag_answer', { ...rag, answer: said.replace(' [99]', ''), sentences: [] });
  }],
  [/fail/, async (t) => {
    t.status('searching');
    await t.wait(10);
    return 'failed';
  }],
  [/slow/, async (t) => {
    t.status('searching');
    await t.wait(1e6);
  }],
];
