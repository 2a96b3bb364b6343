package agent

import (
	"context"
	"slices"

	"docent/payload"
	"docent/rag"
)

// Choices are what the options of a message may name.
type Choices struct {
	// Models are the names of models that answer from documents.
	Models []string
	// Collections are the names of collections.
	Collections []string
}

// AskOptions are how the user wants the event answered from documents: the
// options of the message that [Session.Event] is. RunRAG keeps to them, and so
// does reasoning; a body that answers in another way may ask for them. What they
// name is there, unless it was removed meanwhile or a BAF client named it, of
// whose messages only what can be meant so is taken.
func (s *Session) AskOptions() payload.AskOptions {
	o := s.Event().Options
	o.Collections = slices.Clone(o.Collections)
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
	if err != nil { // they were looked at when the message came
		s.Log(ctx, "what a message may name is not known", err)
		return o
	}
	if !slices.Contains(there.Models, o.Model) {
		o.Model = ""
	}
	o.Collections = slices.DeleteFunc(o.Collections, func(name string) bool { return !slices.Contains(there.Collections, name) })
	return o
}

// withOptions is a request as the user wants it: from as many passages, by the
// model and from the collections that they name, as far as the request names none
// itself. Of collections that it names those are left that the user names too, if
// there are any.
func withOptions(req rag.Request, o payload.AskOptions) rag.Request {
	if o.K != 0 {
		req.K = o.K
	}
	if req.Model == "" {
		req.Model = o.Model
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
