// The way of a conversation through the graph of its agent, turn by turn.
import type { AgentPicture, SessionTrace } from '../api/shapes';

/** Turn is the part of the way in one turn. */
export interface Turn {
  turn: number;
  /** The intent that was recognized last; undefined without one. */
  intent?: SessionTrace['intents'][number];
  moves: SessionTrace['moves'];
  /** The state after the turn. */
  state: string;
}

/** The name of the classifier in states without intents, and of no intent, as the server has them. */
const noClassifier = 'None';
export const noIntent = 'fallback_intent';

/** turnsOf returns the turns of a trace, oldest first. */
export function turnsOf({ moves, intents }: SessionTrace): Turn[] {
  const turns = new Map<number, Turn>();
  const of = (turn: number) => turns.get(turn) ?? turns.set(turn, { turn, moves: [], state: '' }).get(turn)!;
  for (const intent of intents) if (intent.classifier !== noClassifier) of(intent.turn).intent = intent;
  for (const move of moves) {
    const turn = of(move.turn);
    turn.moves.push(move);
    turn.state = move.to;
  }
  const list = [...turns.values()].sort((a, b) => a.turn - b.turn);
  for (const [i, turn] of list.entries()) turn.state ||= list[i - 1]?.state ?? '';
  return list;
}

/** Marked are the positions of the states and arrows on a way. */
export interface Marked {
  states: Set<number>;
  arrows: Set<number>;
}

/** mark finds the states and arrows of moves. A move to a global state uses the arrow from any state. */
export function mark(picture: AgentPicture, moves: SessionTrace['moves']): Marked {
  const any = picture.states.findIndex((s) => s.name === '');
  const place = new Map(picture.states.map((s, i) => [s.name, i]));
  const arrow = (from: number, to: number) => picture.arrows.findIndex((a) => a.from === from && a.to === to);
  const out: Marked = { states: new Set(), arrows: new Set() };
  for (const move of moves) {
    const [from, to] = [place.get(move.from), place.get(move.to)];
    for (const state of [from, to]) if (state !== undefined) out.states.add(state);
    if (from === undefined || to === undefined) continue; // the agent has changed
    const found = [arrow(from, to), arrow(any, to), arrow(from, any)].find((at) => at >= 0);
    if (found !== undefined) out.arrows.add(found);
  }
  return out;
}
