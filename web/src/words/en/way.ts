// The way of a conversation through the graph of an agent.
export const way = {
  agent: 'Agent:',
  way: 'The way through the agent',
  wayFailed: 'The graph could not be loaded.',
  graph: 'Graph of the agent',
  graphOf: (name: string) => `States and transitions of ${name}`,
  anyState: 'any state',
  stateNow: 'State now:',
  wholeWay: 'The whole way',
  wayStart: 'Start',
  turns: 'Turns',
  turn: (n: number) => `Turn ${n}`,
  intent: (name: string, score: string) => `Intent ${name}, ${score}`,
  noIntent: 'No intent',
  stayed: (state: string) => `No transition; stays in ${state}`,
  noMoves: 'There are no transitions yet.',
};
