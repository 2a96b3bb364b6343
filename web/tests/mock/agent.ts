// The graph of the agent of the mock server, and the way of its conversations.
import type { ServerResponse } from 'node:http';
import type { AgentPicture, SessionTrace } from '../../src/api/shapes';

export class MockAgent {
  /** null for a failing server. */
  picture: AgentPicture | null = null;
  trace: SessionTrace | null = null;

  serve(res: ServerResponse, what: AgentPicture | SessionTrace | null): void {
    const [status, answer] = what ? [200, what] : [404, { code: 'not_found', message: 'no such thing', retryable: false }];
    res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
  }
}
