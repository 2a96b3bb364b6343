package wiring

import (
	"context"
	"fmt"

	"docent/agent/session/journal"
	"docent/agent/tool"
	"docent/auth"
	"docent/auth/rights"
	"docent/auth/rights/enforce"
	"docent/config"
	"docent/internal/quota"
	"docent/rag/corpus"
	"docent/rag/pipeline"
)

// Access searches and reads documents. In a server with authentication, it applies
// the rights of readers.
type Access struct {
	// Searcher finds passages.
	Searcher pipeline.Searcher
	// Library has the documents.
	Library corpus.Library

	conversations journal.Store
	rights        *rights.Rights // nil while authentication is off
}

// openAccess returns access to everything.
func openAccess(s *Store, x *Indexes) Access {
	return Access{Searcher: x.Retriever, Library: s.DB.Library, conversations: s.DB.Sessions}
}

// guardedAccess returns the access in a server.
func guardedAccess(s *Store, x *Indexes, quotas *quota.Quotas) (Access, error) {
	a := openAccess(s, x)
	if s.Config.Auth {
		scopes, err := issuerScopes(s.Config)
		if err != nil {
			return a, err
		}
		a.rights = rights.New(rights.Config{
			Store: s.DB.Rights, IssuerAdmin: auth.Principal{Scopes: scopes}.May(auth.Admin),
		})
		a.Searcher, a.Library = enforce.NewRetriever(a.rights, x.Retriever), enforce.NewLibrary(a.rights, s.DB.Library)
		a.conversations = enforce.NewConversations(a.rights, s.DB.Sessions, s.DB.Feedbacks)
	}
	a.Searcher = shareSearches(a.Searcher, quotas, s.Config)
	return a, nil
}

// Answers answer questions.
type Answers struct {
	*Models
	Access

	// RAG answers questions.
	RAG *pipeline.Pipeline

	store     *Store
	embedders *Embedders
	refresh   func(context.Context) error // finds documents that were added just now
}

// OpenAnswers opens the chat model, if one is configured, and the answering.
func OpenAnswers(s *Store, e *Embedders, x *Indexes) (*Answers, error) {
	return openAnswers(s, e, x, openAccess(s, x), service{})
}

func openAnswers(s *Store, e *Embedders, x *Indexes, access Access, with service) (*Answers, error) {
	models, err := openModels(s.Base, with)
	if err != nil {
		return nil, err
	}
	a := &Answers{Models: models, Access: access, store: s, embedders: e, refresh: x.Retriever.Refresh}
	cfg := pipeline.Config{
		Retriever: a.Searcher, Static: e.static, Shelf: a.Library, Chunks: a.Library, Approved: s.DB.Approved, Documents: a.Library,
		Logger: s.Log, Metrics: s.metrics,
		Answered: answeredNotice(s.Webhooks),
		Prompts:  s.Config.LLM.Prompts, SecondQuery: pipeline.SecondQuery(s.Config.LLM.SecondQuery),
		ShowThinking:    s.Config.LLM.ShowThinking,
		QuotesOnFailure: s.Config.LLM.OnFailure != config.FailureError,
		Wishes:          wishesOf(s.Config, s.DB.Choices),
		MinEvidence:     s.Config.MinEvidence, MinShown: s.Config.MinShown,
	}
	if x.comparer != nil {
		cfg.Comparer = x.comparer
	}
	if cfg.Entailment, err = openEntailment(s.Config); err != nil {
		return nil, err
	}
	cfg.Models = models.choosable()
	if name := s.Config.UsedFor(config.UseRewriting); name != "" {
		cfg.Rewriter = models.Model(name)
	}
	if models.Chat != nil {
		cfg.DefaultModel = models.Chat.Name()
	}
	if a.RAG, err = pipeline.New(cfg); err != nil {
		return nil, fmt.Errorf("answering: %w", err)
	}
	return a, nil
}

// Knowledge returns the documents for the tools of agents.
func (a *Answers) Knowledge() *tool.KnowledgeConfig {
	return &tool.KnowledgeConfig{Searcher: a.Searcher, Library: a.Library, K: a.store.Config.K}
}
