package agenttest

import (
	"context"
	"slices"

	"docent/agent/chat"
	"docent/agent/session/journal"
)

// checkDocuments refuses documents that no store accepts.
func checkDocuments(all []journal.Document) error {
	for _, d := range all {
		if err := chat.CheckJSON(d.Content); err != nil {
			return err //nolint:wrapcheck // the error is complete
		}
	}
	return nil
}

// keep removes and adds documents of a session.
func (s *Store) keep(have *stored, turn journal.TurnRecord) {
	have.documents = slices.DeleteFunc(have.documents, func(d journal.Document) bool {
		return turn.Forget || len(turn.Documents) > 0 && d.Turn == turn.Turn && d.Turn > 0
	})
	for _, d := range turn.Documents {
		s.ids++
		d.ID, d.Turn, d.Content = s.ids, turn.Turn, slices.Clone(d.Content)
		have.documents = append(have.documents, d)
	}
}

// SessionDocuments implements journal.Documents.
func (s *Store) SessionDocuments(ctx context.Context, id int64) ([]journal.Document, error) {
	if err := s.enter(ctx, Documents); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	have, err := s.find(id)
	if err != nil {
		return nil, nil //nolint:nilerr // a missing session has none
	}
	var out []journal.Document
	for _, d := range have.documents {
		if !have.replaced(d.Turn) {
			out = append(out, d)
		}
	}
	return out, nil
}
