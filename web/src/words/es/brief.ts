// Briefs, in Spanish.
import { plural } from '../plural';
import type { brief as en } from '../en/brief';

export const brief: typeof en = {
  title: 'Escribir un informe',
  about: 'docent busca una vez para cada título y reúne las respuestas en un informe. Cada frase muestra su fuente o está marcada.',
  quotes: 'Sin un modelo de chat, el informe tiene citas bajo los títulos.',
  task: 'Tarea',
  example: '¿Qué prometemos sobre las devoluciones, en todos los países?',
  everywhere: 'Busca en todos sus documentos.',
  within: 'Busca solo en:',
  plan: 'Hacer un esquema',
  planning: 'Haciendo el esquema…',
  notPlanned: 'No se pudo hacer el esquema.',
  outline: 'Esquema',
  change: (most: number) => `Cambie, mueva o quite títulos. Como máximo ${plural(most, 'título', 'títulos')}.`,
  heading: (n: number) => `Título ${n}`,
  up: (n: number) => `Subir el título ${n}`,
  down: (n: number) => `Bajar el título ${n}`,
  remove: (n: number) => `Quitar el título ${n}`,
  add: 'Añadir un título',
  start: 'Escribir el informe',
  back: 'Cambiar la tarea',
  cancel: 'Cancelar',
  again: 'Cambiar el esquema…',
};
