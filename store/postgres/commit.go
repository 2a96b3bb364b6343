package postgres

import (
	"encoding/json"
	"time"

	"docent/agent/chat"
	"docent/agent/session/journal"

	"docent/store"
)

// A commit is one statement. It consists of the parts that the turn needs, so a
// simple turn costs little. It returns a row for the session and one for each
// entry, ordered by sequence number. It returns no row if the turn may not be
// written.
const (
	// writeSession (s) updates the session's row. It does so if no event began
	// the turn, the turn is not committed, or it failed before and now succeeds
	// ($5). b is the event that began the turn.
	writeSession = `WITH b AS (SELECT id, handled FROM event WHERE session_id = $1 AND turn = $3 AND $3 > 0),
	s AS (UPDATE session SET seq = seq + $2, updated_at = $4, commit_key = $6, commit_seq = seq`
	whichSession = ` WHERE id = $1 AND ($6 = '' OR commit_key <> $6) AND ($7::bigint = 0 OR fence = $7) AND ($3 = 0 OR EXISTS (SELECT FROM b WHERE NOT b.handled OR NOT $5::bool AND (
			SELECT c.client_id = '` + chat.FailedID + `' FROM chat c WHERE c.session_id = $1 AND c.turn = $3 AND NOT c.is_user ORDER BY c.seq DESC LIMIT 1)))
		RETURNING id, seq - $2 AS before, $3::bigint AS turn)`

	// writeState is the part of writeSession for a finished turn.
	writeState     = `, current_state = $1, entered_at = $2, wake_at = $3`
	writeLast      = `, last_event = $1`
	writeVariables = `, variables = (variables || $1) - $2::text[]`

	writeMessages = `,
	m AS (INSERT INTO chat (session_id, type, content, is_user, sentence, "timestamp", seq, turn, client_id)
		SELECT s.id, v.type, v.content::jsonb, v.is_user, v.sentence, v.at, s.before + v.n, s.turn, v.client_id
		FROM s, unnest($1::bigint[], $2::text[], $3::text[], $4::bool[], $5::timestamptz[], $6::text[], $8::text[])
			AS v(n, type, content, is_user, at, client_id, sentence)
		ORDER BY v.n RETURNING id, seq),
	d AS (INSERT INTO said (session_id, chat_id, turn, folded)
		SELECT s.id, m.id, s.turn, v.said FROM s, m, unnest($1::bigint[], $7::text[]) AS v(n, said) WHERE m.seq = s.before + v.n AND v.said <> '')`
	// noMessages replaces writeMessages in a turn with steps only.
	noMessages = `,
	m AS (SELECT 0::bigint AS id, 0::bigint AS seq WHERE false)`

	// writeSteps inserts steps with the messages that they belong to. A message
	// is one of the turn or was stored before.
	writeSteps = `,
	r AS (INSERT INTO reasoning_step (session_id, chat_id, kind, step_kind, step, summary, payload, "timestamp", seq, turn)
		SELECT s.id, coalesce(m.id, (SELECT c.id FROM chat c WHERE c.id = v.chat AND c.session_id = s.id)), v.kind, nullif(v.step_kind, ''),
			CASE v.step_kind WHEN '' THEN NULL ELSE v.step END, nullif(v.summary, ''), v.payload::jsonb, v.at, s.before + v.n, s.turn
		FROM s CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[],
				$9::timestamptz[])
			AS v(n, answer, chat, kind, step_kind, step, summary, payload, at) LEFT JOIN m ON v.answer > 0 AND m.seq = s.before + v.answer
		ORDER BY v.n RETURNING id, seq, chat_id)`

	// linkSteps sets the messages that steps of earlier parts belong to. A
	// message is one of the turn or was stored before.
	linkSteps = `,
	l AS (UPDATE reasoning_step e SET chat_id = coalesce(m.id, (SELECT c.id FROM chat c WHERE c.id = v.chat AND c.session_id = s.id))
		FROM s CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS v(step, answer, chat)
			LEFT JOIN m ON v.answer > 0 AND m.seq = s.before + v.answer
		WHERE (e.id = v.step OR v.step = 0) AND e.session_id = s.id AND e.turn = s.turn AND e.chat_id IS NULL)`

	// handleEvents removes events from the queue. If a failed turn runs again
	// in parts, its event is pending again from the first part on.
	handleEvents = `,
	h AS (UPDATE event e SET handled = true FROM s WHERE e.session_id = s.id AND NOT e.handled AND e.id = ANY($1::bigint[]))`
	reopenEvent = `,
	h AS (UPDATE event e SET handled = false FROM s, b WHERE e.id = b.id AND b.handled)`

	writeTransitions = `,
	t AS (INSERT INTO transition (session_id, source_state, dest_state, event, condition, "timestamp", turn)
		SELECT s.id, v.source, v.dest, v.event, v.condition, v.at, s.turn
		FROM s, unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[])
			WITH ORDINALITY AS v(source, dest, event, condition, at, n)
		ORDER BY v.n)`

	writePredictions = `,
	p AS (INSERT INTO intent_prediction (session_id, message, intent_classifier, intent, score, "timestamp", turn)
		SELECT s.id, v.message, v.classifier, v.intent, v.score, v.at, s.turn
		FROM s, unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::timestamptz[])
			WITH ORDINALITY AS v(message, classifier, intent, score, at, n)
		ORDER BY v.n RETURNING id)`
	writeParameters = `,
	q AS (INSERT INTO parameter (intent_prediction_id, name, value, info)
		SELECT p.id, v.name, v.value, nullif(v.info, '')
		FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM p) p
			JOIN unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS v(of, name, value, info, n) ON v.of = p.n
		ORDER BY v.n)`

	// removeDocuments sees the documents from before the statement, so it does not remove new ones.
	removeDocuments = `,
	f AS (DELETE FROM session_document d USING s WHERE d.session_id = s.id AND ($1::bool OR d.turn = s.turn AND d.turn > 0))`
	writeDocuments = `,
	o AS (INSERT INTO session_document (session_id, turn, content)
		SELECT s.id, s.turn, v.content::jsonb FROM s, unnest($1::text[]) WITH ORDINALITY AS v(content, n) ORDER BY v.n)`

	// The returned rows.
	sessionRow  = ` SELECT 0::bigint, before, NULL::bigint FROM s`
	messageRows = ` UNION ALL SELECT id, seq, NULL FROM m`
	stepRows    = ` UNION ALL SELECT id, seq, chat_id FROM r`
	bySeq       = ` ORDER BY 2`
)

// commitStatement returns the statement that writes a turn.
func commitStatement(turn journal.TurnRecord, entries []journal.Entry, set json.RawMessage, documents []string, now time.Time) *statement {
	q := &statement{}
	messages, steps := messageArrays(entries), stepArrays(entries)
	q.add(writeSession, turn.Session, int64(len(entries)), turn.Turn, now, turn.Failed(), turn.Key, turn.Fence)
	if !turn.Partial {
		q.add(writeState, store.Text(turn.State), orNull(turn.EnteredAt), orNull(turn.WakeAt))
		if turn.Last != 0 {
			q.add(writeLast, turn.Last)
		}
		if len(turn.Set)+len(turn.Delete) > 0 {
			q.add(writeVariables, set, store.Texts(turn.Delete))
		}
	}
	q.text.WriteString(whichSession) // it uses the arguments of writeSession
	links := !turn.Partial && len(turn.Links) > 0
	switch {
	case messages != nil:
		q.add(writeMessages, messages...)
	case steps != nil || links:
		q.add(noMessages)
	}
	if steps != nil {
		q.add(writeSteps, steps...)
	}
	if links {
		q.add(linkSteps, linkArrays(turn.Links)...)
	}
	if turn.Partial {
		q.add(reopenEvent)
	} else {
		q.addDocuments(turn, documents)
		q.addOutcome(turn, now)
	}
	q.add(sessionRow)
	if messages != nil {
		q.add(messageRows)
	}
	if steps != nil {
		q.add(stepRows)
	}
	q.add(bySeq)
	return q
}

// addDocuments adds the changes to the documents of the session.
func (s *statement) addDocuments(turn journal.TurnRecord, documents []string) {
	if turn.Forget || len(documents) > 0 {
		s.add(removeDocuments, turn.Forget)
	}
	if len(documents) > 0 {
		s.add(writeDocuments, documents)
	}
}

// addOutcome adds the outcome of a finished turn, except for its entries.
func (s *statement) addOutcome(turn journal.TurnRecord, now time.Time) {
	if len(turn.Handled) > 0 {
		s.add(handleEvents, turn.Handled)
	}
	if len(turn.Transitions) > 0 {
		s.add(writeTransitions, transitionArrays(turn.Transitions, now)...)
	}
	if len(turn.Predictions) == 0 {
		return
	}
	predictions := store.Predictions(turn, now)
	s.add(writePredictions, predictionArrays(predictions)...)
	if parameters := parameterArrays(predictions); parameters != nil {
		s.add(writeParameters, parameters...)
	}
}
