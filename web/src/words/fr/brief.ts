// Briefs, in French.
import type { brief as en } from '../en/brief';
import { count } from './count';

export const brief: typeof en = {
  title: 'Rédiger un rapport',
  about: 'docent fait une recherche par intertitre et réunit les réponses en un rapport. Chaque phrase montre sa source ou est marquée.',
  quotes: 'Sans modèle de chat, le rapport contient des extraits sous les intertitres.',
  task: 'Tâche',
  example: 'Que promettons-nous pour les retours, dans tous les pays ?',
  everywhere: 'Cherche dans tous vos documents.',
  within: 'Cherche seulement dans :',
  plan: 'Proposer un plan',
  planning: 'Préparation du plan…',
  notPlanned: 'Le plan n’a pas pu être préparé.',
  outline: 'Plan',
  change: (most) => `Modifiez, déplacez ou retirez des intertitres. ${count(most, 'intertitre', 'intertitres')} au plus.`,
  heading: (n) => `Intertitre ${n}`,
  up: (n) => `Monter l’intertitre ${n}`,
  down: (n) => `Descendre l’intertitre ${n}`,
  remove: (n) => `Retirer l’intertitre ${n}`,
  add: 'Ajouter un intertitre',
  start: 'Rédiger le rapport',
  back: 'Modifier la tâche',
  cancel: 'Annuler',
  again: 'Modifier le plan…',
};
