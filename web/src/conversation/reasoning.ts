// How an answer was found: steps of reasoning and task lists, as they are in
// frames and stored rows.
import { honest } from '../shell/names';
import { words } from '../words/words.svelte';

export interface Task {
  id: number;
  description: string;
  status: string;
  result: string;
}

export interface Step {
  kind: string;
  step: number;
  summary: string;
  details: Record<string, unknown>;
}

/** Entry is one step, or all tasks as they were at that time. */
export interface Entry {
  /** Null while it is provisional. */
  seq: number | null;
  /** Order among the provisional ones of a turn. */
  n: number;
  /** When it was made, in ms; null if that is not known. */
  at: number | null;
  step: Step | null;
  tasks: Task[] | null;
}

/** Call is a tool call and what it returned. */
export interface Call {
  name: string;
  arguments: unknown;
  /** Null while it runs, or if it was never told. */
  result: string | null;
  failed: boolean;
}

export type Part = { type: 'call'; call: Call } | { type: 'said' | 'note'; text: string };

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : []);

/** entry reads a frame's or a row's content; null if it is none. */
export function entry(kind: string, content: unknown): Entry | null {
  if (kind === 'agent_reply_task_list_update' || kind === 'task_list_update') {
    if (!Array.isArray(content)) return null;
    const tasks = list(content).map((t) => ({
      id: Number(t.id),
      description: text(t.description),
      status: text(t.status),
      result: text(t.result),
    }));
    return { seq: null, n: 0, at: null, step: null, tasks };
  }
  const s = fields(content);
  if (typeof s.kind !== 'string') return null;
  const step = { kind: s.kind, step: Number(s.step) || 0, summary: text(s.summary), details: fields(s.details) };
  return { seq: null, n: 0, at: null, step, tasks: null };
}

/** runs cuts a turn's entries where reasoning began anew. */
export function runs(entries: Entry[]): Entry[][] {
  const out: Entry[][] = [];
  for (const e of entries) {
    if (out.length === 0 || e.step?.kind === 'reasoning_started') out.push([]);
    out.at(-1)!.push(e);
  }
  return out;
}

const taskTools = ['add_tasks', 'complete_task', 'skip_task'];
const hidden = ['reasoning_started', 'reasoning_finished', 'task_added', 'task_completed', 'task_skipped'];

/**
 * steps are a run's visible ones, grouped by model call. The brackets, the task
 * events and the calls of task tools are not: the task list tells of them.
 */
export function steps(entries: Entry[]): Part[][] {
  const out: Part[][] = [];
  let at: number | null = null;
  for (const { step } of entries) {
    if (!step || hidden.includes(step.kind)) continue;
    if (step.kind === 'tool_result' && at === step.step && settle(out.at(-1)!, step)) continue;
    const found = parts(step);
    if (found.length === 0) continue;
    if (at !== step.step) out.push([]);
    at = step.step;
    out.at(-1)!.push(...found);
  }
  return out;
}

/** visible reports whether there is anything of a run to show. */
export const visible = (entries: Entry[]): boolean =>
  entries.some((e) => (e.tasks ? e.tasks.length > 0 : e.step && !hidden.includes(e.step.kind) && parts(e.step).length > 0));

function parts({ kind, summary, details }: Step): Part[] {
  switch (kind) {
    case 'llm_tool_calls':
      return list(details.tool_calls)
        .filter((c) => !taskTools.includes(text(c.name)))
        .map((c) => ({ type: 'call', call: { name: text(c.name), arguments: c.arguments, result: null, failed: false } }));
    case 'tool_result':
      return [{ type: 'call', call: { name: text(details.name), arguments: details.arguments, result: text(details.content), failed: details.is_error === true } }];
    case 'llm_text':
      return text(details.text).trim() ? [{ type: 'said', text: text(details.text).trim() }] : [];
    case 'pushback':
      return [{ type: 'note', text: words.payloads.pushback(list(details.pending).length) }];
    case 'max_steps':
      return [{ type: 'note', text: words.payloads.maxSteps(Number(details.max_steps) || 0) }];
    default:
      return summary ? [{ type: 'note', text: summary }] : [];
  }
}

// Results come in the order of the calls; a call is known by its arguments.
function settle(group: Part[], { details }: Step): boolean {
  const args = JSON.stringify(details.arguments);
  const open = group.flatMap((p) => (p.type === 'call' && p.call.result === null && p.call.name === details.name ? [p.call] : []));
  const call = open.find((c) => JSON.stringify(c.arguments) === args) ?? open[0];
  if (!call) return false;
  call.result = text(details.content);
  call.failed = details.is_error === true;
  return true;
}

/** tasks is a run's list as it was last. */
export const tasks = (entries: Entry[]): Task[] => entries.findLast((e) => e.tasks)?.tasks ?? [];

/** finished reports whether a run has ended. */
export const finished = (entries: Entry[]): boolean => entries.some((e) => e.step?.kind === 'reasoning_finished');

/** took says how long a run took that has ended; '' if its times are not known, or it took no time to speak of. */
export function took(entries: Entry[]): string {
  const [first, last] = [entries[0], entries.findLast((e) => e.step?.kind === 'reasoning_finished')];
  if (first?.at == null || last?.at == null || first.step?.kind !== 'reasoning_started') return '';
  const seconds = (last.at - first.at) / 1000;
  if (seconds < 0.1) return '';
  if (seconds < 9.95) return words.payloads.seconds(words.number(seconds, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));
  const whole = Math.round(seconds);
  return whole < 60 ? words.payloads.seconds(words.number(whole)) : words.payloads.minutes(words.number(Math.floor(whole / 60)), words.number(whole % 60));
}

/** activity says what a turn is at, by the phase it told of last. */
export function activity(phase: string): string {
  const { searching, answering, thinking, calling, planning } = words.payloads;
  if (phase === 'searching') return searching;
  if (phase === 'answering') return answering;
  if (phase === 'thinking' || phase === '') return thinking;
  const names = [...new Set(phase.split(', '))];
  const tools = names.filter((name) => !taskTools.includes(name));
  if (tools.length === 0) return planning;
  const known = tools.map((name) => done(name, undefined, false));
  return known.includes(null) ? calling(tools.join(', ')) : `${known[0]!}…`;
}

/** current says what a run that goes on is at: its open call, or the phase. */
export function current(groups: Part[][], phase: string): string {
  if (phase === 'answering') return activity(phase);
  const open = groups.at(-1)?.find((p) => p.type === 'call' && p.call.result === null);
  if (open?.type === 'call') {
    const text = done(open.call.name, open.call.arguments, false);
    return text ? `${text}…` : words.payloads.calling(open.call.name);
  }
  const found = groups.some((g) => g.some((p) => p.type === 'call' && !p.call.failed));
  return phase === 'thinking' && found ? words.payloads.weighing : activity(phase);
}

// By which of its arguments a call is told from others.
const telling: Record<keyof typeof words.payloads.tools, string> = {
  search_knowledge: 'query', read_document: 'id', list_documents: 'match',
  list_directory: 'relative_path', read_file: 'relative_path', write_file: 'relative_path', create_file: 'relative_path', delete_file: 'relative_path',
};

/** done says what a call does, or did, for people; null of a tool that is not docent's own. */
export function done(name: string, args: unknown, over = true): string | null {
  if (!Object.hasOwn(telling, name)) return null;
  const tool = name as keyof typeof telling;
  const of = fields(args)[telling[tool]];
  const what = typeof of === 'string' ? of.replace(/\s+/g, ' ').trim() : typeof of === 'number' ? String(of) : '';
  return words.payloads.tools[tool](honest(what.length > 80 ? `${what.slice(0, 79)}…` : what === '.' ? '' : what), over);
}

/** beside are a call's arguments that done does not tell of. */
export function beside(name: string, args: unknown): unknown {
  if (!Object.hasOwn(telling, name) || Array.isArray(args) || typeof args !== 'object' || args === null) return args;
  const told = telling[name as keyof typeof telling];
  return Object.fromEntries(Object.entries(args).filter(([key, v]) => key !== told || (typeof v === 'string' && v.length > 80)));
}

/** readable is a tool's result for people: passages by number and place, JSON by lines. */
export function readable(content: string): string {
  if (/^\s*[{[]/.test(content) && content.length <= prettiest) {
    try {
      return JSON.stringify(JSON.parse(content), null, 2);
    } catch {
      // It only looks like it.
    }
  }
  return content
    .replace(/<passage number="(\d+)"(?: from="([^"]*)")?[^>]*>\n?/g, (_, n: string, from?: string) => `[${n}] ${from ?? ''}\n`)
    .replace(/\n?<\/passage>/g, '\n')
    .trim();
}

/** Longest text that is laid out anew as JSON, in characters. */
const prettiest = 1_000_000;

/** argued are a call's arguments, one a line; what is nested goes over several. */
export function argued(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return written(value);
  return Object.entries(value)
    .map(([name, v]) => `${name}: ${typeof v === 'string' ? v : written(v)}`)
    .join('\n');
}

function written(value: unknown): string {
  try {
    const line = JSON.stringify(value) ?? '';
    return line.length <= 80 ? line : JSON.stringify(value, null, 2);
  } catch {
    return '…'; // nested too deeply to be written
  }
}

/** Longest text shown at first, in characters and lines. */
const short = { characters: 320, lines: 10 };

/** shortened is the beginning of a long text, or all of a short one. */
export function shortened(s: string): string {
  const lines = s.split('\n').slice(0, short.lines).join('\n');
  if (lines.length <= short.characters) return lines;
  const cut = lines.slice(0, short.characters).replace(/[\ud800-\udbff]$/, '');
  const space = cut.lastIndexOf(' ');
  return (space > short.characters - 40 ? cut.slice(0, space) : cut).trimEnd();
}
