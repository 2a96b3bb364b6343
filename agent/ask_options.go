package agent

import (
	"context"
	"slices"

	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// AskOptions returns the user's options for an answer from documents. They come with the message that [Session.Event]
// returns. RunRAG and reasoning apply them; other bodies can read them here. The named models and collections existed when
// the message arrived. Names from BAF clients are dropped if they do not exist.
func (s *Session) AskOptions() payload.AskOptions {
	o := s.Event().Options
	o.Collections, o.Documents = slices.Clone(o.Collections), slices.Clone(o.Documents)
	o.Folders, o.Tags = slices.Clone(o.Folders), slices.Clone(o.Tags)
	return o
}

// ChosenOptions returns the AskOptions without the names of collections and
// models that do not exist.
func (s *Session) ChosenOptions(ctx context.Context) payload.AskOptions {
	o, env := s.AskOptions(), s.turn.env
	if o.Model == "" && len(o.Collections) == 0 || env.Choices == nil {
		return o
	}
	ctx, cancel := context.WithTimeout(ctx, env.LookUp)
	defer cancel()
	there, err := env.Choices(ctx)
	if err != nil { // they were checked when the message arrived
		s.Log(ctx, "what a message may name is not known", err)
		return o
	}
	if !slices.Contains(there.Models, o.Model) {
		o.Model = ""
	}
	o.Collections = slices.DeleteFunc(o.Collections, func(name string) bool { return !slices.Contains(there.Collections, name) })
	return o
}

// withOptions applies the user's options to a request: the number of passages, and the model, the collections, and the
// documents unless the request names them. If both name collections, only the common ones remain, if there are any.
func withOptions(req rag.Request, o payload.AskOptions) rag.Request {
	if o.K != 0 {
		req.K = o.K
	}
	if req.Model == "" {
		req.Model = o.Model
	}
	if len(req.Documents) == 0 && req.Place.IsZero() {
		req.Documents, req.Place = o.Documents, corpus.Place{Folders: o.Folders, Tags: o.Tags}
	}
	if len(req.Collections) == 0 {
		req.Collections = o.Collections
		return req
	}
	both := slices.DeleteFunc(slices.Clone(o.Collections), func(name string) bool { return !slices.Contains(req.Collections, name) })
	if len(both) > 0 {
		req.Collections = both
	}
	return req
}
