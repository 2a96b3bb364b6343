// An OpenID Connect provider with one user, behind a real HTTP server: the page on which the user
// agrees or refuses, the code, the token, and the keys. It checks the requests of docent.
import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Claims {
  sub: string;
  preferred_username?: string;
  groups?: string[];
}

const base64 = (data: string) => Buffer.from(data).toString('base64url');

export class Provider {
  /** What the provider says about its user. */
  claims: Claims = { sub: '1' };
  /** What was wrong with requests. */
  wrong: string[] = [];
  private readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  private readonly codes = new Map<string, URLSearchParams>();
  private readonly server: Server;

  private constructor(
    private readonly client: string,
    private readonly secret: string,
  ) {
    this.server = createServer((req, res) => void this.serve(req, res).catch((err: unknown) => this.wrong.push(String(err))));
  }

  /** start starts a provider that knows one client. */
  static async start(client: string, secret: string): Promise<Provider> {
    const p = new Provider(client, secret);
    await new Promise<void>((ok) => p.server.listen(0, 'localhost', ok));
    return p;
  }

  /** The issuer. Its host is another site than 127.0.0.1, as that of a real provider. */
  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((ok) => this.server.close(ok));
  }

  private async serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url!, this.url);
    const json = (body: unknown, status = 200) => res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return void json({
          issuer: this.url, jwks_uri: `${this.url}/keys`, authorization_endpoint: `${this.url}/authorize`, token_endpoint: `${this.url}/token`,
          scopes_supported: ['openid', 'profile', 'groups'],
        });
      case '/keys':
        return void json({ keys: [{ ...this.keys.publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' }] });
      case '/authorize':
        return this.authorize(url.searchParams, res);
      case '/token': {
        let body = '';
        for await (const piece of req) body += String(piece);
        const tokens = this.redeem(new URLSearchParams(body), req.headers.authorization);
        return void (tokens ? json(tokens) : json({ error: 'invalid_grant' }, 400));
      }
    }
    res.writeHead(404).end();
  }

  /** authorize shows the page with the two ways back to docent. */
  private authorize(q: URLSearchParams, res: ServerResponse): void {
    const back = new URL(q.get('redirect_uri') ?? '');
    const state = q.get('state') ?? '';
    if (q.get('client_id') !== this.client || q.get('response_type') !== 'code' || q.get('code_challenge_method') !== 'S256' || !q.get('nonce') || !state || !q.get('scope')?.includes('openid')) {
      this.wrong.push(`the request is ${q}`);
    }
    const code = randomUUID();
    this.codes.set(code, q);
    const to = (more: Record<string, string>) => `${back}?${new URLSearchParams({ state, iss: this.url, ...more })}`.replaceAll('&', '&amp;');
    res.writeHead(200, { 'Content-Type': 'text/html' }).end(
      `<!doctype html><title>Example</title><h1>${this.claims.preferred_username ?? this.claims.sub}</h1><a href="${to({ code })}">Continue</a> <a href="${to({ error: 'access_denied' })}">Refuse</a>`,
    );
  }

  /** redeem returns the tokens for a code. */
  private redeem(form: URLSearchParams, authorization = ''): object | undefined {
    const q = this.codes.get(form.get('code') ?? '');
    this.codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
    if (!q || authorization !== `Basic ${Buffer.from(`${this.client}:${this.secret}`).toString('base64')}` || challenge !== q.get('code_challenge') || form.get('redirect_uri') !== q.get('redirect_uri')) {
      this.wrong.push(`the code is redeemed with ${form} by ${authorization}`);
      return undefined;
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: this.url, aud: this.client, iat: now, exp: now + 3600, nonce: q.get('nonce'), ...this.claims };
    const input = `${base64(JSON.stringify({ alg: 'RS256', kid: 'k' }))}.${base64(JSON.stringify(claims))}`;
    const signature = createSign('RSA-SHA256').update(input).sign(this.keys.privateKey).toString('base64url');
    return { access_token: 't', token_type: 'Bearer', id_token: `${input}.${signature}` };
  }
}
