// Briefs, in Spanish.
import { plural } from '../plural';
import type { brief as en } from '../en/brief';

export const brief: typeof en = {
  title: 'Escribir un informe',
  about: 'docent busca una vez para cada apartado y reúne las respuestas en un informe. Cada frase muestra su fuente o está marcada.',
  quotes: 'Sin un modelo de chat, el informe tiene citas bajo los apartados.',
  task: 'Tarea',
  example: '¿Qué prometemos sobre las devoluciones, en todos los países?',
  everywhere: 'Busca en todos sus documentos.',
  within: 'Busca solo en:',
  plan: 'Hacer un esquema',
  planning: 'Haciendo el esquema…',
  notPlanned: 'No se pudo hacer el esquema.',
  outline: 'Esquema',
  change: (most: number) => `Cambie, mueva o quite apartados. Como máximo ${plural(most, 'apartado', 'apartados')}.`,
  heading: (n: number) => `Título ${n}`,
  up: (n: number) => `Subir el apartado ${n}`,
  down: (n: number) => `Bajar el apartado ${n}`,
  remove: (n: number) => `Quitar el apartado ${n}`,
  add: 'Añadir un apartado',
  start: 'Escribir el informe',
  back: 'Cambiar la tarea',
  cancel: 'Cancelar',
  again: 'Cambiar el esquema…',
};
