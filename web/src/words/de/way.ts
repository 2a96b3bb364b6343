import type { way as en } from '../en/way';

export const way: typeof en = {
  agent: 'Gewählter Agent:',
  way: 'Der Weg durch den Agenten',
  wayFailed: 'Der Graph konnte nicht geladen werden.',
  graph: 'Graph des Agenten',
  graphOf: (name) => `Zustände und Übergänge von ${name}`,
  anyState: 'jeder Zustand',
  stateNow: 'Zustand jetzt:',
  wholeWay: 'Der ganze Weg',
  wayStart: 'Anfang',
  turns: 'Schritte',
  turn: (n) => `Schritt ${n}`,
  intent: (name, score) => `Absicht ${name}, ${score}`,
  noIntent: 'Keine Absicht erkannt',
  stayed: (state) => `Kein Übergang; bleibt in ${state}`,
  noMoves: 'Es gibt noch keine Übergänge.',
};
