// A slow language model, which streams its answers word by word.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export class MockModel {
  url = '';
  /** The time between two words, in ms. */
  pace = 20;
  /** The number of words in an answer. */
  words = 40;
  /** The text of the next answers; '' for numbered words. */
  text = '';
  calls = 0;
  private http: Server | undefined;
  private going = new Set<() => void>();

  async start(): Promise<this> {
    this.http = createServer(async (req, res) => {
      let asked = '';
      for await (const part of req) asked += String(part);
      if (!req.url?.endsWith('/chat/completions')) return void res.writeHead(404).end();
      const n = ++this.calls;
      res.writeHead(200, { 'Content-Type': 'text/event-stream' });
      let i = 0;
      const { pace } = this;
      // It repeats a question that it should rewrite, without a pause.
      const rewrites = this.text !== '' && asked.includes('Write the new question so that');
      const text = rewrites ? 'When do neap tides occur?' : this.text;
      // Parts of a few letters, so that words and marks break anywhere.
      const parts = text ? text.split(hold).flatMap((t, i) => [...(i > 0 ? [hold] : []), ...(t.match(/[\s\S]{1,6}/gu) ?? [])]) : this.said(n);
      const put = (delta: object, finish: string | null) =>
        res.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'mock', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`);
      let free = 0;
      const go = () => void free++;
      this.going.add(go);
      const timer = setInterval(() => {
        if (parts[i] === hold) {
          if (free === 0) return;
          free--;
          i++;
        }
        if (i < parts.length) return void put({ role: 'assistant', content: parts[i++] }, null);
        clearInterval(timer);
        put({}, 'stop');
        res.end('data: [DONE]\n\n');
      }, pace);
      res.on('close', () => {
        clearInterval(timer);
        this.going.delete(go);
      });
    });
    await new Promise<void>((ok) => this.http!.listen(0, '127.0.0.1', ok));
    this.url = `http://127.0.0.1:${(this.http.address() as AddressInfo).port}/v1`;
    return this;
  }

  private said = (n: number) => Array.from({ length: this.words }, (_, i) => (i === 0 ? `Answer ${n}:` : i === this.words - 1 ? ` end${n} [1].` : ` word${i}`));

  /** go continues the answers that wait at a hold, or that reach one next. */
  go(): void {
    for (const f of this.going) f();
  }

  async stop(): Promise<void> {
    this.http?.closeAllConnections();
    await new Promise((ok) => (this.http ? this.http.close(ok) : ok(0)));
  }
}

/** hold is a mark in a text. The answer waits there for go. */
export const hold = '\u241f';
