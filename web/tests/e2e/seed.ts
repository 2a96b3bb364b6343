// Makes a conversation of any length from a short one. It writes to the database, because
// asking so many questions would take an hour.
import type { Program } from './program';

/** The answers, in turn. Together they have all elements of answers. */
const answers = [
  'Neap tides occur at the **quarter moons**, when the pull of the Sun works against that of the Moon [1]. Their range is about twenty percent smaller than average [1].\n\nSpring tides are the opposite: they occur at new moon and at full moon [1].',
  'There are three things to know:\n\n- the Moon pulls [1],\n- the Sun pulls too,\n- the gauge is read every six minutes [1].\n\n1. First look at the moon.\n2. Then at the table.\n\n> It is read every six minutes.',
  'In Go that is:\n\n```go\nfunc neap(day int) bool {\n\t// The quarter moons.\n\treturn day%15 == 7\n}\n```\n\nwhich is `true` on two days of a month [1].',
  '| Tide | When | Range |\n| --- | --- | --- |\n| spring | new and full moon [1] | 120 % |\n| neap | quarter moons [1] | 80 % |\n\nThe range is $r = r_0 (1 \\pm 0.2)$, so that\n\n$$r_{\\max} - r_{\\min} = 0.4\\, r_0$$',
];

const quoted = (s: string) => `'${s.replace(/'/g, "''")}'`;

/**
 * seed extends a conversation to a number of messages. Each new turn is like the last one, with
 * other texts. Restart the program after it.
 */
export function seed(program: Program, session: string, messages: number): void {
  program.sql(`
    WITH s AS (SELECT id, seq, turn FROM session WHERE session_id = ${quoted(session)}),
         q AS (SELECT c.* FROM chat c JOIN s ON c.session_id = s.id WHERE c.is_user ORDER BY c.seq DESC LIMIT 1),
         a AS (SELECT c.* FROM chat c JOIN s ON c.session_id = s.id WHERE NOT c.is_user AND c.type = 'rag_answer' ORDER BY c.seq DESC LIMIT 1),
         n AS (SELECT n FROM generate_series(1, (${messages} - (SELECT count(*) FROM chat c JOIN s ON c.session_id = s.id)) / 2) n)
    INSERT INTO chat (session_id, type, content, is_user, "timestamp", seq, turn, client_id)
    SELECT s.id, q.type, to_jsonb('Question number ' || n || ': when do neap tides occur?'), true, now(), s.seq + 2 * n - 1, s.turn + n, 'seed-' || n FROM s, q, n
    UNION ALL
    SELECT s.id, a.type, jsonb_set(jsonb_set(a.content, '{answer}', to_jsonb((ARRAY[${answers.map(quoted).join(', ')}])[1 + n % ${answers.length}])), '{sentences}', '[]'), false, now(), s.seq + 2 * n, s.turn + n, '' FROM s, a, n;
    UPDATE session s SET
      seq = (SELECT max(seq) FROM chat WHERE session_id = s.id), turn = (SELECT max(turn) FROM chat WHERE session_id = s.id)
    WHERE session_id = ${quoted(session)};`);
}
