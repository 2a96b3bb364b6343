// The view Work of the console, in French.
import type { Work } from '../en/work';
import { agree, count, number } from './count';

const documents = (n: number) => count(n, 'document', 'documents');

export const work: Work = {
  lead: 'Tout ce qui lit des documents : les envois, les sources, docent ingest et les documents relus.',
  now: 'Maintenant',
  idle: 'docent ne lit rien en ce moment.',
  waiting: (n) => `${count(n, 'document attend', 'documents attendent')} d’être ${agree(n, 'lu', 'lus')}.`,
  moreWaiting: (n) => `${number(n)} de plus en attente.`,
  failures: 'Documents en échec',
  noFailures: 'Aucun document n’est en échec.',
  ended: 'Récemment',
  noEnded: 'Les travaux des 30 derniers jours apparaîtront ici.',
  kinds: { upload: 'Envoi', sync: 'Source', ingest: 'docent ingest', retry: 'Nouvel essai', read_again: 'Relecture' },
  stages: { waiting: 'En attente', receiving: 'Réception du fichier', reading: 'Lecture' },
  stopping: 'Arrêt…',
  states: { queued: 'En attente', running: 'En cours', done: 'Terminé', failed: 'En échec', canceled: 'Annulé' },
  progress: (done, total) => `${done} sur ${total} documents`,
  failed: (n) => `${documents(n)} en échec`,
  by: (name) => `par ${name}`,
  cancel: 'Annuler',
  cancelOf: (name) => `Annuler ${name}`,
  notCanceled: 'Le travail n’a pas été annulé.',
  group: documents,
  andLatest: 'Les derniers :',
  retry: 'Réessayer',
  retryOf: (reason) => `Réessayer : ${reason}`,
  retryAll: 'Tout réessayer',
  show: 'Les afficher',
  advice: {
    damaged: 'Ajoutez une copie intacte.',
    large: 'Divisez le fichier, ou relevez la limite dans les paramètres.',
    empty: 'Ces fichiers n’ont pas de texte. Supprimez-les, ou ajoutez-les avec du texte.',
    again: 'Réessayez. En cas de nouvel échec, le journal du serveur donne les détails.',
    left: (n) => `docent n’a pas gardé ${n === 1 ? 'un des fichiers' : `${number(n)} des fichiers`}. ${n === 1 ? 'Ajoutez-le' : 'Ajoutez-les'} à nouveau, ou exécutez docent ingest avec --retry sur le serveur.`,
  },
};
