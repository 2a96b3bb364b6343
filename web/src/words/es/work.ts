// The view Work of the console, in Spanish.
import { digits } from '../digits';
import type { Work } from '../en/work';
import { plural } from '../plural';

const documents = (n: number) => plural(n, 'documento', 'documentos', 'es');

export const work: Work = {
  lead: 'Todo lo que lee documentos: subidas, fuentes, docent ingest y documentos que se leen de nuevo.',
  now: 'Ahora',
  idle: 'docent no está leyendo nada ahora.',
  waiting: (n) => `${plural(n, 'documento espera', 'documentos esperan', 'es')} a ser ${n === 1 ? 'leído' : 'leídos'}.`,
  moreWaiting: (n) => `${digits(n, 'es')} más en espera.`,
  failures: 'Documentos con error',
  noFailures: 'Ningún documento ha fallado.',
  ended: 'Recientes',
  noEnded: 'Aquí aparecerán los trabajos de los últimos 30 días.',
  kinds: { upload: 'Subida', sync: 'Fuente', ingest: 'docent ingest', retry: 'Reintento', read_again: 'Nueva lectura' },
  stages: { waiting: 'En espera', receiving: 'Recibiendo el archivo', reading: 'Leyendo' },
  stopping: 'Deteniendo…',
  states: { queued: 'En espera', running: 'En curso', done: 'Listo', failed: 'Con error', canceled: 'Cancelado' },
  progress: (done, total) => `${done} de ${total} documentos`,
  failed: (n) => `${documents(n)} con error`,
  by: (name) => `por ${name}`,
  cancel: 'Cancelar',
  cancelOf: (name) => `Cancelar ${name}`,
  notCanceled: 'No se canceló el trabajo.',
  group: documents,
  andLatest: 'Último:',
  retry: 'Reintentar',
  retryOf: (reason) => `Reintentar: ${reason}`,
  retryAll: 'Reintentar todo',
  show: 'Mostrarlos',
  advice: {
    damaged: 'Añada una copia sin daños.',
    large: 'Divida el archivo o aumente el límite en la configuración.',
    empty: 'Estos archivos no tienen texto. Elimínelos o añádalos con texto.',
    again: 'Vuelva a intentarlo. Si falla otra vez, los detalles están en el registro del servidor.',
    left: (n) => `docent no ha conservado ${n === 1 ? 'uno de los archivos' : `${digits(n, 'es')} de los archivos`}. ${n === 1 ? 'Añádalo' : 'Añádalos'} de nuevo, o ejecute en el servidor docent ingest con --retry.`,
  },
};
