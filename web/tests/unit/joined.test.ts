import { expect, test } from 'vitest';
import { joined } from '../../src/evidence/joined';

test.each([
  ['lines of a page', 'The\noperator checks the\ngauge.\n\nNext\nday.', 'The operator checks the gauge.\n\nNext day.'],
  ['headings', '# Pumps\nThe pump\nruns.', '# Pumps\nThe pump runs.'],
  ['items', 'Three of\nthem:\n- one\n  goes on\n- two\n2. three', 'Three of them:\n- one goes on\n- two\n2. three'],
  ['tables', 'So:\n| a | b |\n| - | - |\n| c | d |\nPart     Torque\nBolt     85 Nm', 'So:\n| a | b |\n| - | - |\n| c | d |\nPart     Torque\nBolt     85 Nm'],
  ['code', 'Run\nthis:\n```sh\ncd x\nls\n```\nand\nwait.', 'Run this:\n```sh\ncd x\nls\n```\nand wait.'],
  ['code that is indented', 'Run:\n\n    cd x\n    ls', 'Run:\n\n    cd x\n    ls'],
  ['words without spaces', '日本\n語です。', '日本語です。'],
  ['nothing', '', ''],
])('%s', (_, text, want) => expect(joined(text)).toBe(want));
