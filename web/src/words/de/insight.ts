// What the server says about questions of others, in German.
import type { Sentences } from '../sentences';

export const insight = {
  no_gap: 'Diese Lücke gibt es nicht',
  no_question: 'Diese Frage gibt es nicht',
  insights_off: 'Dieser Server hebt keine Angaben zu Fragen auf',
  manager_only: 'Das dürfen nur die Administration und Personen mit dem Recht „verwalten“ an einer Sammlung; bitten Sie die Administration um dieses Recht',
} satisfies Partial<Sentences>;
