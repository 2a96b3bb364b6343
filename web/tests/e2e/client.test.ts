// docent-client on the real program, which is killed while it answers and whose
// connections are cut: DOCENT_BIN=…/docent npm run e2e.
import WebSocket from 'ws';
import { DocentClient, emptyTranscript, reduce, type LoadedMessage, type LoadedStep, type Transcript } from 'docent-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MockModel } from '../mock/model';
import { startProgram, type Program } from './program';

/** Connections that are cut; more with DOCENT_CUTS. */
const cuts = Number(process.env.DOCENT_CUTS ?? 60);
/** Cuts to one kill of the program. */
const toKill = 20;

describe('the client on the real program', () => {
  let model: MockModel;
  let program: Program;

  beforeAll(async () => {
    model = await new MockModel().start();
    model.pace = 3;
    model.words = 30;
    program = await startProgram({ model: model.url });
  });
  afterAll(async () => {
    await program?.stop();
    await model?.stop();
  });

  test('lost connections and kills lose, duplicate, and reorder nothing', { timeout: 180_000 + cuts * 1000 }, async () => {
    const sockets = new Set<WebSocket>();
    class Cuttable extends WebSocket {
      constructor(url: string, protocols: string[]) {
        super(url, protocols);
        sockets.add(this);
        this.on('close', () => sockets.delete(this));
        this.on('error', () => undefined);
      }
    }
    const transcripts: Transcript[] = [];
    const seen: number[][] = [];
    const tab = (i: number) => {
      const client = new DocentClient({ url: program.url, sessionId: 'cut', lastSeq: 0, WebSocket: Cuttable as never, backoff: [5, 50] });
      transcripts[i] = emptyTranscript;
      seen[i] = [];
      client.on('any', (e) => {
        transcripts[i] = reduce(transcripts[i]!, e);
        if (e.type !== 'frame') return;
        const { frame } = e;
        const seq = frame.action !== 'ack' ? frame.seq : frame.message.duplicate ? 0 : frame.message.seq;
        if (seq) seen[i]!.push(seq);
      });
      client.connect();
      return client;
    };
    const tabs = [0, 1, 2].map(tab);
    await expect.poll(() => transcripts.every((t) => t.synced)).toBe(true);
    const sent: Promise<{ id: string }>[] = [];
    const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)]!;
    for (let i = 1; i <= cuts; i++) {
      if (i % 3 === 1) sent.push(pick(tabs).send(`When do neap tides occur? ${i}`));
      await new Promise((ok) => setTimeout(ok, Math.random() * 150));
      if (i % toKill === 0) await program.restart();
      else if (sockets.size > 0) pick([...sockets]).terminate();
    }
    const ids = (await Promise.all(sent)).map((s) => s.id);
    const stored = async () => {
      const res = await fetch(`${program.url}/api/sessions/cut/messages?replaced=true`);
      return (await res.json()) as { messages: LoadedMessage[]; steps: LoadedStep[]; seq: number };
    };
    const open = (t: Transcript) => !t.synced || t.pending.length > 0 || [...t.turns.values()].some(({ state }) => state === 'stored' || state === 'running' || state === 'waiting');
    await expect.poll(() => transcripts.map(open), { timeout: 60_000 }).toEqual([false, false, false]);
    await tabs[0]!.setVariables({ language: 'French' });
    await tabs[0]!.stop(1); // which has ended
    await expect(tabs[0]!.setVariables({ prev_state: 'x' })).rejects.toMatchObject({ code: 'invalid' });
    const { messages, steps, seq } = await stored();
    const truth = [...messages, ...steps].map((m) => [m.seq, m.turn]).sort(([a], [b]) => a! - b!);
    for (const [i, t] of transcripts.entries()) {
      expect(t.lastSeq).toBe(seq);
      expect(t.entries.map((e) => [e.seq, e.turn])).toEqual(truth);
      expect(seen[i]).toEqual(Array.from({ length: seq }, (_, n) => n + 1));
    }
    expect(messages.flatMap((m) => m.client_id ?? []).sort()).toEqual([...ids].sort());
    const answers = messages.filter((m) => m.type === 'rag_answer');
    expect(answers.map((m) => m.turn).sort()).toEqual(messages.filter((m) => m.is_user).map((m) => m.turn).sort());
    for (const { content } of answers) {
      const { answer } = (typeof content === 'string' ? JSON.parse(content) : content) as { answer: string };
      expect(answer.match(/word\d+/g)).toEqual(Array.from({ length: model.words - 2 }, (_, n) => `word${n + 1}`));
    }
    for (const client of tabs) client.close();
  });
});
