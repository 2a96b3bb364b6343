package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// sessionDocument is the prefix of variables with the documents of a session.
const sessionDocument = "session_document_"

// DocumentRAG reads documents of a session and answers from them alone. A RAG implements it if sessions can have
// documents of their own, as the one of docent does. It is safe for concurrent use.
type DocumentRAG interface {
	RAG
	// ReadDocument reads a file. session identifies the session, because clients take turns.
	ReadDocument(ctx context.Context, session string, file payload.File) (SessionDocument, error)
	// OverDocuments returns a RAG that searches only these documents.
	OverDocuments(ctx context.Context, documents []SessionDocument) (RAG, error)
}

// SessionDocument is a document that only one session has.
type SessionDocument struct {
	// Title is the title in the document, or its file name.
	Title string `json:"title"`
	// Source is the file name.
	Source string `json:"source"`
	// Media is the media type.
	Media string `json:"media,omitempty"`
	// Language is an ISO 639-1 code, or "" if unknown.
	Language string `json:"language,omitempty"`
	// Chunks are the passages in order.
	Chunks []corpus.Chunk `json:"chunks"`
}

// SessionDocuments are the documents of one session, as BAF's session_rag. Nobody else finds them. They are variables of the
// session: they count to MaxVariableBytes, and a reset or the end of the session forgets them.
type SessionDocuments struct{ session *Session }

// DocumentsOf returns the documents of a session.
func DocumentsOf(s *Session) SessionDocuments { return SessionDocuments{s} }

// AddText adds a text under a title. It corresponds to BAF's add_text.
func (d SessionDocuments) AddText(ctx context.Context, title, text string) error {
	return d.AddFile(ctx, payload.NewFile(title, "text/plain", []byte(text)))
}

// AddFile adds the text of a file in any format that docent reads. It corresponds to BAF's add_file. It fails with
// fault.Invalid if the file cannot be read, or if the session has no room for its text.
func (d SessionDocuments) AddFile(ctx context.Context, file payload.File) error {
	reader, err := d.reader()
	if err != nil {
		return err
	}
	doc, err := reader.ReadDocument(ctx, d.session.ID(), file)
	if err != nil {
		return errlog.Withhold(err)
	}
	names := d.names()
	next := 0
	if len(names) > 0 {
		next = names[len(names)-1] + 1
	}
	if err := d.session.Set(sessionDocument+strconv.Itoa(next), doc); err != nil {
		return fault.New(fault.KindOf(err), "session_document_too_large", "there is no room for %s in this conversation: %w", doc.Source, err)
	}
	return nil
}

// List returns the documents in the order in which they were added.
func (d SessionDocuments) List() ([]SessionDocument, error) {
	names := d.names()
	out := make([]SessionDocument, len(names))
	for i, name := range names {
		if _, err := d.session.Get(sessionDocument+strconv.Itoa(name), &out[i]); err != nil {
			return nil, fmt.Errorf("documents of the session: %w", err)
		}
	}
	return out, nil
}

// Clear forgets all documents of the session. It corresponds to BAF's clear.
func (d SessionDocuments) Clear() {
	for _, name := range d.names() {
		d.session.Delete(sessionDocument + strconv.Itoa(name))
	}
}

// RunRAG answers like Session.RunRAG, from the documents of the session alone. Collections have no effect. It corresponds to
// BAF's run_session_rag. It fails with fault.NotFound if the session has no documents.
func (d SessionDocuments) RunRAG(ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
	reader, err := d.reader()
	if err != nil {
		return payload.RAGMessage{}, err
	}
	documents, err := d.List()
	if err != nil {
		return payload.RAGMessage{}, err
	}
	if len(documents) == 0 {
		return payload.RAGMessage{}, fault.New(fault.NotFound, "session_without_documents",
			"this conversation has no documents of its own yet: add a file")
	}
	answers, err := reader.OverDocuments(ctx, documents)
	if err != nil {
		return payload.RAGMessage{}, errlog.Withhold(err)
	}
	return runRAG(ctx, d.session, answers, req)
}

// AnsweringFromSession returns a body like Answering that answers from the documents of the session.
func AnsweringFromSession(req rag.Request) Body {
	return answering(req, func(s *Session, ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
		return DocumentsOf(s).RunRAG(ctx, req)
	})
}

// reader returns the runtime's RAG if it can read documents of sessions.
func (d SessionDocuments) reader() (DocumentRAG, error) {
	reader, ok := d.session.turn.env.RAG.(DocumentRAG)
	if !ok {
		return nil, fault.New(fault.Unavailable, "agent_without_session_documents", "this agent cannot read documents of a conversation")
	}
	return reader, nil
}

// names returns the numbers of the documents in ascending order.
func (d SessionDocuments) names() []int {
	var out []int
	for name, value := range allVariables(d.session) {
		number, found := strings.CutPrefix(name, sessionDocument)
		if n, err := strconv.Atoi(number); found && err == nil && json.Valid(value) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}
