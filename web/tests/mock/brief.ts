// The outlines of briefs.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

export class MockBriefs {
  /** The tasks of outlines. */
  outlined: unknown[] = [];
  /** Outlines fail. */
  failing = false;

  async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    this.outlined.push(await json(req));
    const [status, answer] = this.failing ? [503, { code: 'busy', message: 'docent is busy', retryable: true }] : [200, { headings: ['Germany', 'France'], by_model: false }];
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }
}
