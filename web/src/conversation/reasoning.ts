// The steps and task lists of an answer, read from frames and stored rows.
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

/** Entry is one step, or the task list at one time. */
export interface Entry {
  /** Null while provisional. */
  seq: number | null;
  /** The order of provisional entries in a turn. */
  n: number;
  /** The time in ms; null if unknown. */
  at: number | null;
  step: Step | null;
  tasks: Task[] | null;
}

/** Call is a tool call and its result. */
export interface Call {
  name: string;
  arguments: unknown;
  /** Null while the call runs, and if the result is unknown. */
  result: string | null;
  failed: boolean;
}

export type Part = { type: 'call'; call: Call } | { type: 'said' | 'note'; text: string };

type Fields = Record<string, unknown>;

const fields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const list = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fields) : []);

/** entry reads the content of a frame or row, or returns null. */
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

/** runs splits the entries of a turn at each new start of reasoning. */
export function runs(entries: Entry[]): Entry[][] {
  const out: Entry[][] = [];
  for (const e of entries) {
    if (out.length === 0 || e.step?.kind === 'reasoning_started') out.push([]);
    out.at(-1)!.push(e);
  }
  return out;
}

const taskTools = ['add_tasks', 'complete_task', 'skip_task'];
const hidden = ['reasoning_started', 'reasoning_finished', 'task_added', 'task_completed', 'task_skipped', 'section'];

/**
 * steps returns the visible steps of a run, grouped by model call. It omits start and end,
 * task events, and calls of task tools, because the task list shows them.
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

/** visible reports whether a run has anything to show. */
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

// Results come in the order of the calls. The arguments identify a call.
function settle(group: Part[], { details }: Step): boolean {
  const args = JSON.stringify(details.arguments);
  const open = group.flatMap((p) => (p.type === 'call' && p.call.result === null && p.call.name === details.name ? [p.call] : []));
  const call = open.find((c) => JSON.stringify(c.arguments) === args) ?? open[0];
  if (!call) return false;
  call.result = text(details.content);
  call.failed = details.is_error === true;
  return true;
}

/** tasks returns the latest task list of a run. */
export const tasks = (entries: Entry[]): Task[] => entries.findLast((e) => e.tasks)?.tasks ?? [];

/** finished reports whether a run has ended. */
export const finished = (entries: Entry[]): boolean => entries.some((e) => e.step?.kind === 'reasoning_finished');

/** took returns the duration of an ended run; '' if it is unknown or very short. */
export function took(entries: Entry[]): string {
  const [first, last] = [entries[0], entries.findLast((e) => e.step?.kind === 'reasoning_finished')];
  if (first?.at == null || last?.at == null || first.step?.kind !== 'reasoning_started') return '';
  const seconds = (last.at - first.at) / 1000;
  if (seconds < 0.1) return '';
  if (seconds < 9.95) return words.payloads.seconds(words.number(seconds, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));
  const whole = Math.round(seconds);
  return whole < 60 ? words.payloads.seconds(words.number(whole)) : words.payloads.minutes(words.number(Math.floor(whole / 60)), words.number(whole % 60));
}

/** activity describes a turn by its latest phase. */
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

/** current describes a running run by its open call or its phase. */
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

// The argument that identifies a call.
const identifyingArguments: Record<keyof typeof words.payloads.tools, string> = {
  search_knowledge: 'query', read_document: 'id', list_documents: 'match',
  list_directory: 'relative_path', read_file: 'relative_path', write_file: 'relative_path', create_file: 'relative_path', delete_file: 'relative_path',
};

/** done describes a call for users; null for tools that are not part of docent. */
export function done(name: string, args: unknown, over = true): string | null {
  if (!Object.hasOwn(identifyingArguments, name)) return null;
  const tool = name as keyof typeof identifyingArguments;
  const argument = fields(args)[identifyingArguments[tool]];
  const shownArgument = typeof argument === 'string' ? argument.replace(/\s+/g, ' ').trim() : typeof argument === 'number' ? String(argument) : '';
  return words.payloads.tools[tool](honest(shownArgument.length > 80 ? `${shownArgument.slice(0, 79)}…` : shownArgument === '.' ? '' : shownArgument), over);
}

/** beside returns the arguments of a call that done does not show. */
export function beside(name: string, args: unknown): unknown {
  if (!Object.hasOwn(identifyingArguments, name) || Array.isArray(args) || typeof args !== 'object' || args === null) return args;
  const shownKey = identifyingArguments[name as keyof typeof identifyingArguments];
  return Object.fromEntries(Object.entries(args).filter(([key, v]) => key !== shownKey || (typeof v === 'string' && v.length > 80)));
}

/** readable formats the result of a tool: passages with number and place, JSON indented. */
export function readable(content: string): string {
  if (/^\s*[{[]/.test(content) && content.length <= maxFormatted) {
    try {
      return JSON.stringify(JSON.parse(content), null, 2);
    } catch {
      // The text is not JSON.
    }
  }
  return content
    .replace(/<passage number="(\d+)"(?: from="([^"]*)")?[^>]*>\n?/g, (_, n: string, from?: string) => `[${n}] ${from ?? ''}\n`)
    .replace(/\n?<\/passage>/g, '\n')
    .trim();
}

/** The longest text to format as JSON, in characters. */
const maxFormatted = 1_000_000;

/** argued formats the arguments of a call, one per line. Nested values have several lines. */
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
    return '…'; // the nesting is too deep
  }
}

/** The longest text to show unfolded, in characters and lines. */
const short = { characters: 320, lines: 10 };

/** shortened returns the beginning of a long text, and all of a short one. */
export function shortened(s: string): string {
  const lines = s.split('\n').slice(0, short.lines).join('\n');
  if (lines.length <= short.characters) return lines;
  const cut = lines.slice(0, short.characters).replace(/[\ud800-\udbff]$/, '');
  const space = cut.lastIndexOf(' ');
  return (space > short.characters - 40 ? cut.slice(0, space) : cut).trimEnd();
}
