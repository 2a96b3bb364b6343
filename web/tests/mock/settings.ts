// The settings and chat models of the mock server.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChatModel, LocalServer, ModelChange, ModelTest, Setting } from '../../src/api/settings';

const setting = (key: string, value: string, more: Partial<Setting> = {}): Setting => ({ key, value, default: value, type: 'int', help: key, origin: { kind: 'default' }, locked: false, live: true, pending: false, ...more });
const model = (name: string, more: Partial<ChatModel> = {}): ChatModel => ({ name, has_key: false, default: false, origin: { kind: 'database' }, locked: false, state: 'ok', ...more });

export class MockSettings {
  settings: Setting[] = [
    setting('k', '4'),
    setting('history', '2', { default: '4', origin: { kind: 'environment', name: 'DOCENT_HISTORY' }, locked: true }),
    setting('llm.on-failure', 'quotes', { type: 'choice', values: ['quotes', 'error'] }),
    setting('llm.show-thinking', 'true', { type: 'bool' }),
    setting('backup.every', '0', { type: 'string' }),
    setting('backup.at', '02:00', { type: 'string' }),
    setting('backup.keep', '7'),
    setting('digest.day', 'off', { type: 'choice', values: ['off', 'monday', 'friday'] }),
    setting('digest.recipients', '', { type: 'string' }),
    setting('page.name', '', { type: 'string' }),
    setting('page.color', '', { type: 'color' }),
    setting('page.logo', '', { type: 'picture' }),
    setting('keep-questions', '30', { default: '90', live: false, pending: true, origin: { kind: 'database' } }),
  ];
  models: ChatModel[] = [];
  local: LocalServer[] = [{ provider: 'ollama', url: 'http://127.0.0.1:11434/v1', models: ['llama3.2'] }];
  tested: ModelTest = { ok: true, first_token_ms: 420, streams: true, reasons: false, tools: true };
  defaultLocked = false;
  /** The calls that change something. */
  calls: string[] = [];

  fill() {
    this.models = [
      model('fast', { provider: 'mistral', model: 'mistral-small-latest', has_key: true, default: true, uses: ['answers'], choose: true }),
      model('lost', { provider: 'groq', state: 'unknown', problem: { id: 'model_key_lost', params: ['lost'], message: 'the key of the model "lost" cannot be decrypted' } }),
    ];
  }

  async serve(req: IncomingMessage, res: ServerResponse, url: URL): Promise<void> {
    const json = (value: unknown, status = 200) => void res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    const done = () => void res.writeHead(204).end();
    let text = '';
    for await (const part of req) text += String(part);
    const [, , noun, name = ''] = url.pathname.split('/').map(decodeURIComponent);
    if (req.method !== 'GET') this.calls.push([req.method, url.pathname, text].filter(Boolean).join(' '));
    if (noun === 'settings') {
      if (!name) return json(this.settings);
      const s = this.settings.find((x) => x.key === name)!;
      if (req.method === 'DELETE') {
        Object.assign(s, { value: s.default, origin: { kind: 'default' }, pending: false });
        return done();
      }
      const { value } = JSON.parse(text) as { value: string };
      if (value === '0') return json({ code: 'invalid', message: 'setting k: 0 is not between 1 and 50', retryable: false }, 400);
      return json(Object.assign(s, { value, origin: { kind: 'database' } }));
    }
    if (name === 'local') return json(this.local);
    if (name === 'test') return json(this.tested);
    if (!name && req.method === 'GET') {
      const providers = [{ name: 'openai', url: 'https://api.openai.com/v1', needs_key: true }, { name: 'mistral', url: 'https://api.mistral.ai/v1', needs_key: true }, { name: 'groq', url: 'https://api.groq.com/openai/v1', needs_key: true }, { name: 'ollama', url: 'http://127.0.0.1:11434/v1', needs_key: false }];
      return json({ models: this.models, default: this.models.find((m) => m.default)?.name ?? 'extractive', default_locked: this.defaultLocked, providers });
    }
    if (!name) {
      const { names } = JSON.parse(text) as { names: string[] };
      this.models = names.map((n) => this.models.find((m) => m.name === n)!);
      return done();
    }
    const others = this.models.filter((m) => m.name !== name);
    if (req.method === 'DELETE') this.models = others;
    else {
      const { key, ...settings } = JSON.parse(text) as ModelChange;
      this.models = [...others, model(name, { ...settings, has_key: !!key, default: others.length === 0 })];
    }
    done();
  }
}
