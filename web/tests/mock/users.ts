// The users of the mock server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OwnPreferences, PromptRow, SignInRow } from '../../src/api/shapes';
import type { Seen, User } from '../../src/api/users';

const user = (name: string, more: Partial<User> = {}): User => ({ name, scopes: ['ask'], groups: [], disabled: false, invited: false, created_at: '2026-03-01T10:00:00Z', last_seen_at: '2026-05-03T09:00:00Z', ...more });

export class MockUsers {
  list: User[] = [user('ada', { scopes: ['admin'] }), user('ben', { groups: ['staff'] }), user('cleo', { invited: true, last_seen_at: null })];
  groups = ['staff', 'sales'];
  access: Seen[] = [
    { collection: 'hr', documents: 3, right: 'read', through: ['group:staff', 'user:ben'] },
    { collection: 'news', documents: 1, right: 'write', through: [] },
  ];
  /** The calls that change something. */
  calls: string[] = [];

  /** The browsers in which the user is signed in. */
  signIns: SignInRow[] = [
    { id: 'a1', client: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', created_at: '2026-05-01T09:00:00Z', last_used_at: '2026-05-03T09:00:00Z', current: true },
    { id: 'b2', client: 'Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36', created_at: '2026-05-01T09:00:00Z', last_used_at: '2026-05-02T09:00:00Z', current: false },
  ];
  password = 'correct horse';

  /** own serves the account of the user. */
  facts: { agent_name: string; key: string; value: unknown; updated_at: string; expires_at: null }[] = [];

  preferences: OwnPreferences = { language: '', instructions: '', instructions_allowed: true };

  async own(req: IncomingMessage, res: ServerResponse, what: string, id?: string): Promise<void> {
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    let text = '';
    for await (const part of req) text += String(part);
    if (what === 'memory' && req.method === 'GET') return json(this.facts);
    if (what === 'memory') {
      const asked = new URL(req.url!, 'http://mock').searchParams;
      this.facts = this.facts.filter((f) => asked.has('key') && (f.key !== asked.get('key') || f.agent_name !== asked.get('agent_name')));
      return json({ erased: 1 });
    }
    if (what === 'preferences' && req.method === 'GET') return json(this.preferences);
    if (what === 'preferences') {
      this.calls.push(text);
      if (text.includes('refused')) return json({ code: 'invalid', message: 'no', retryable: false }, 400);
      Object.assign(this.preferences, JSON.parse(text));
      return void res.writeHead(204).end();
    }
    if (what === 'sign-ins' && req.method === 'GET') return json(this.signIns);
    if (what === 'sign-ins') {
      this.signIns = this.signIns.filter((s) => s.id !== id);
      return void res.writeHead(204).end();
    }
    if (what === 'delete') {
      const sent = JSON.parse(text) as { password: string; conversations: boolean };
      if (sent.password !== this.password) return json({ code: 'forbidden', message: 'the password is wrong', retryable: false }, 403);
      this.calls.push(`deleted ${sent.conversations ? 'with' : 'without'} conversations`);
      return void res.writeHead(204).end();
    }
    const { old, password } = JSON.parse(text) as { old: string; password: string };
    if (old !== this.password) return json({ code: 'forbidden', message: 'the password is wrong', retryable: false }, 403);
    this.password = password;
    this.signIns = this.signIns.filter((s) => s.current);
    json({});
  }

  prompts: PromptRow[] = [];

  /** prompted serves the prompts. */
  async prompted(req: IncomingMessage, res: ServerResponse, id: number): Promise<void> {
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    let text = '';
    for await (const part of req) text += String(part);
    if (req.method === 'GET') return json(this.prompts.toSorted((a, b) => a.name.localeCompare(b.name)));
    this.calls.push([req.method, req.url, text].filter(Boolean).join(' '));
    if (req.method === 'POST') {
      const made: PromptRow = { shared: false, ...(JSON.parse(text) as { name: string; text: string }), id: this.prompts.length + 1, own: true, updated_at: '2026-05-03T09:00:00Z' };
      this.prompts.push(made);
      return json(made, 201);
    }
    if (req.method === 'PUT') Object.assign(this.prompts.find((p) => p.id === id)!, JSON.parse(text));
    else this.prompts = this.prompts.filter((p) => p.id !== id);
    res.writeHead(204).end();
  }

  async serve(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    if (url.pathname.startsWith('/api/prompts')) return this.prompted(req, res, Number(url.pathname.split('/').at(3)));
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    let text = '';
    for await (const part of req) text += String(part);
    const sent = (text ? JSON.parse(text) : {}) as Partial<User> & { member?: string; is?: boolean };
    const [, , noun, name = '', part] = url.pathname.split('/').map(decodeURIComponent);
    if (req.method !== 'GET') this.calls.push([req.method, url.pathname + url.search, text].filter(Boolean).join(' '));
    const expires_at = '2026-05-06T09:00:00Z';
    if (noun === 'groups') {
      if (req.method === 'GET') return json(this.groups.map((g) => ({ name: g, members: this.list.filter((u) => u.groups.includes(g)).map((u) => `user:${u.name}`) })));
      const u = this.list.find((x) => `user:${x.name}` === sent.member)!;
      u.groups = [...u.groups.filter((g) => g !== name), ...(sent.is ? [name] : [])];
      return void res.writeHead(204).end();
    }
    if (!name && req.method === 'GET') return json(this.list);
    if (!name) {
      if (this.list.some((u) => u.name === sent.name)) return json({ code: 'conflict', message: 'there is already a user of this name', retryable: false }, 409);
      this.list.push(user(sent.name!, { scopes: sent.scopes!, invited: true, last_seen_at: null }));
      return json({ link: 'secret1', expires_at }, 201);
    }
    if (part === 'link') return json({ link: 'secret2', expires_at });
    if (part === 'access') return json(this.access);
    const u = this.list.find((x) => x.name === name)!;
    const only = !this.list.some((x) => x !== u && x.scopes.includes('admin'));
    const falls = req.method === 'DELETE' ? !part : sent.disabled === true || (sent.scopes && !sent.scopes.includes('admin'));
    if (u.scopes.includes('admin') && only && falls) return json({ code: 'conflict', message: `${name} is the only administrator; make somebody else an administrator first`, retryable: false }, 409);
    if (req.method === 'PATCH') Object.assign(u, sent);
    else if (!part) this.list = this.list.filter((x) => x !== u);
    res.writeHead(204).end();
  }
}
