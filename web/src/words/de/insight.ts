// What the server says about questions of others, in German.
import type { Sentences } from '../sentences';

export const insight = {
  approved_incomplete: (a, b) => `Eine geprüfte Antwort braucht 1 bis ${a} Fragen und einen Text von höchstens ${b} Bytes`,
  approved_not_managed: 'Sie verwalten diese Sammlung nicht; bitten Sie die Administration um das Recht „verwalten“',
  approved_review: 'Der Tag der nächsten Prüfung muss die Form 2026-05-03 haben',
  approved_unreadable: 'docent kann die Antwort nicht als Markdown lesen; ändern Sie ihren Text',
  no_approved_answer: 'Diese geprüfte Antwort gibt es nicht',
  no_gap: 'Diese Lücke gibt es nicht',
  no_question: 'Diese Frage gibt es nicht',
  insights_off: 'Dieser Server hebt keine Angaben zu Fragen auf',
  manager_only: 'Das dürfen nur die Administration und Personen mit dem Recht „verwalten“ an einer Sammlung; bitten Sie die Administration um dieses Recht',
} satisfies Partial<Sentences>;
