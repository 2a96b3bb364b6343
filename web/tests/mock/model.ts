// A language model that takes its time: what it says is streamed word by word.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class MockModel {
  url = '';
  /** Time between two words, in ms. */
  pace = 20;
  /** How many words it says. */
  words = 40;
  calls = 0;
  private http: Server | undefined;

  async start(): Promise<this> {
    this.http = createServer((req, res) => {
      req.resume();
      if (!req.url?.endsWith('/chat/completions')) return void res.writeHead(404).end();
      const n = ++this.calls;
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      let i = 0;
      const { pace, words } = this;
      const put = (delta: object, finish: string | null) =>
        res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'mock', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
      const timer = setInterval(() => {
        if (i < words) {
          put({ role: 'assistant', content: i === 0 ? `Answer ${n}:` : i === words - 1 ? ` end${n} [1].` : ` word${i}` }, null);
          i++;
          return;
        }
        clearInterval(timer);
        put({}, 'stop');
        res.end('data: [DONE]\n\n');
      }, pace);
      res.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((ok) => this.http!.listen(0, '127.0.0.1', ok));
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1`;
    return this;
  }

  async stop(): Promise<void> {
    this.http?.closeAllConnections();
    await new Promise((ok) => (this.http ? this.http.close(ok) : ok(0)));
  }
}
