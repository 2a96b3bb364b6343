import type { way as en } from '../en/way';

export const way: typeof en = {
  agent: 'Agent :',
  way: 'Le parcours dans l’agent',
  wayFailed: 'Le graphe n’a pas pu être chargé.',
  graph: 'Graphe de l’agent',
  graphOf: (name) => `États et transitions de ${name}`,
  anyState: 'tout état',
  stateNow: 'État actuel :',
  wholeWay: 'Tout le parcours',
  wayStart: 'Début',
  turns: 'Tours',
  turn: (n) => `Tour ${n}`,
  intent: (name, score) => `Intention ${name}, ${score}`,
  noIntent: 'Aucune intention',
  stayed: (state) => `Aucune transition ; reste dans ${state}`,
  noMoves: 'Il n’y a pas encore de transitions.',
};
