// Performs commands. It is loaded with the first command.
import * as http from '../api/http';
import { mostPassages } from '../conversation/choice';
import { conversation } from '../conversation/conversation.svelte';
import { byUser, type Asked } from '../conversation/turns';
import { copyOf, copyOfMarkdown, copyOfText, toClipboard } from '../evidence/rich';
import { statements } from '../markdown/signs';
import { announcer } from '../shell/announcer.svelte';
import { notices } from '../shell/notices.svelte';
import { router } from '../shell/router.svelte';
import { server } from '../shell/server.svelte';
import { theme, themes } from '../shell/theme.svelte';
import { languages, nameOf } from '../words/languages';
import { words } from '../words/words.svelte';
import { required, type Command, type CommandName } from './commands';
import { usageOf } from './usage';

/** Box is the interface of the composer for commands. */
export interface Box {
  /** Starts editing a question. */
  edit(item: Asked): void;
  help(): void;
}

/** The reason why a command failed, as a sentence; '' after a success. */
type Outcome = string | Promise<string>;

/** run performs a command. It returns the reason of a failure, and the composer then keeps the text. */
export async function run(command: Command, argument: string, box: Box): Promise<string> {
  if (!argument && required(command)) return words.input.missing(usageOf(command));
  return doing[command.name](argument, box);
}

const done = (action: unknown): string => (void action, '');
const last = () => conversation.items.findLast((i): i is Asked => byUser(i) && i.turn !== null);

const doing: Record<CommandName, (argument: string, box: Box) => Outcome> = {
  new: () => done(router.go('#/')),
  reset: async () => {
    if (!conversation.session) return words.input.nothing;
    const { resetTitle, resetText, resetYes } = words.input;
    if (await notices.ask(resetTitle, resetText, resetYes)) await conversation.reset();
    return '';
  },
  stop: () => (conversation.stoppable.length > 0 ? done(conversation.stop()) : words.input.nothing),
  retry: () => {
    const item = last();
    return item ? done(conversation.again(item)) : words.input.nothing;
  },
  edit: (_, box) => {
    const item = conversation.items.findLast((i): i is Asked => byUser(i) && i.plain && i.turn !== null);
    return item ? done(box.edit(item)) : words.input.nothing;
  },
  copy,
  export: (format) => {
    const chosen = ['markdown', 'json'].find((f) => f.startsWith(format.toLowerCase() || 'markdown'));
    if (!chosen) return words.input.noSuch(format);
    if (!conversation.session) return words.input.nothing;
    const link = document.createElement('a');
    link.href = http.exportAddress(conversation.session, chosen as 'markdown' | 'json');
    link.download = '';
    link.click();
    return '';
  },
  search: (text) => done(router.go(`#/documents/search/${encodeURIComponent(text)}`)),
  documents: () => done(router.go('#/documents')),
  settings: () => done(router.go('#/settings')),
  collection: (name) => choose(name, server.info?.collections.map((c) => c.name) ?? [], (found) => ({ collections: found ? [found] : [] })),
  model: (name) => choose(name, server.info?.models ?? [], (found) => ({ model: found })),
  k: (text) => {
    const k = Number(text);
    if (!Number.isSafeInteger(k) || k < 1 || k > mostPassages) return words.input.noSuch(text);
    return done(conversation.choose({ ...conversation.choice, k }));
  },
  theme: (name) => {
    const found = themes.find((t) => t === name.toLowerCase());
    if (name && !found) return words.input.noSuch(name);
    return done(found ? theme.choose(found) : theme.next());
  },
  language: async (tag) => {
    const found = languages.find((l) => l === tag.toLowerCase() || nameOf(l).toLowerCase() === tag.toLowerCase());
    if (!found) return words.input.noSuch(tag);
    await words.choose(found);
    return '';
  },
  help: (_, box) => done(box.help()),
};

async function copy(): Promise<string> {
  const reply = conversation.items.findLast((i) => i.kind === 'replied' && ['rag', 'text', 'markdown'].includes(i.reply.type));
  if (reply?.kind !== 'replied') return words.input.nothing;
  const answer = reply.reply;
  const copy = answer.type === 'rag' ? copyOf(answer.rag, statements) : answer.type === 'markdown' ? copyOfMarkdown(answer.text) : copyOfText('text' in answer ? answer.text : '');
  try {
    await toClipboard([copy]);
  } catch {
    return words.input.notCopied;
  }
  announcer.say(words.input.copied);
  return '';
}

// choose finds a name by a unique beginning, and ignores case.
function choose(name: string, names: string[], to: (found: string) => object): Outcome {
  const wanted = name.toLowerCase();
  const begins = names.filter((n) => n.toLowerCase().startsWith(wanted));
  const found = name && (names.find((n) => n === name) ?? names.find((n) => n.toLowerCase() === wanted) ?? (begins.length === 1 ? begins[0] : undefined));
  if (found === undefined) return words.input.noSuch(name);
  return done(conversation.choose({ ...conversation.choice, ...to(found) }));
}
