// Briefs: a task, its outline, and the report with an answer under each heading.
import { plural } from '../plural';

export const brief = {
  title: 'Write a brief',
  about: 'docent searches once for each heading and joins the answers to a report. Every sentence shows its source or is marked.',
  quotes: 'Without a chat model, the report has quotes under the headings.',
  task: 'Task',
  example: 'What do we promise about returns, in all countries?',
  everywhere: 'Searches all your documents.',
  within: 'Searches only in:',
  plan: 'Make an outline',
  planning: 'Making the outline…',
  notPlanned: 'The outline could not be made.',
  outline: 'Outline',
  change: (most: number) => `Change, move, or remove headings. At most ${plural(most, 'heading', 'headings')}.`,
  heading: (n: number) => `Heading ${n}`,
  up: (n: number) => `Move heading ${n} up`,
  down: (n: number) => `Move heading ${n} down`,
  remove: (n: number) => `Remove heading ${n}`,
  add: 'Add a heading',
  start: 'Write the brief',
  back: 'Change the task',
  cancel: 'Cancel',
  again: 'Change the outline…',
};
