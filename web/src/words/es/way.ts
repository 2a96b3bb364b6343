// The way of a conversation through the graph of an agent, in Spanish.
import type { way as en } from '../en/way';

export const way: typeof en = {
  agent: 'Agente:',
  way: 'El recorrido por el agente',
  wayFailed: 'No se pudo cargar el grafo.',
  graph: 'Grafo del agente',
  graphOf: (name) => `Estados y transiciones de ${name}`,
  anyState: 'cualquier estado',
  stateNow: 'Estado actual:',
  wholeWay: 'Todo el recorrido',
  wayStart: 'Inicio',
  turns: 'Turnos',
  turn: (n) => `Turno ${n}`,
  intent: (name, score) => `Intención ${name}, ${score}`,
  noIntent: 'Sin intención',
  stayed: (state) => `Sin transición; sigue en ${state}`,
  noMoves: 'Aún no hay transiciones.',
};
