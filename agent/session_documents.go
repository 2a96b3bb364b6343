package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/payload"
	"docent/rag"
	"docent/rag/corpus"
)

// Limits of the documents of a session.
const (
	// MaxDocuments limits their number.
	MaxDocuments = 20
	// MaxDocumentBytes limits the total size of their passages as JSON, in bytes.
	MaxDocumentBytes = 8 << 20
)

// sessionDocument is the prefix of the variables that earlier versions used for the documents of a session.
const sessionDocument = "session_document_"

// DocumentRAG reads documents of a session and answers from them. A RAG implements it if sessions can have
// documents of their own, as the one of docent does. It is safe for concurrent use.
type DocumentRAG interface {
	RAG
	// ReadDocument reads a file. session identifies the session, because clients take turns.
	ReadDocument(ctx context.Context, session string, file payload.File) (SessionDocument, error)
	// OverDocuments returns a RAG that searches only these documents.
	OverDocuments(ctx context.Context, documents []SessionDocument) (RAG, error)
	// DocumentsFirst returns a RAG that searches these documents before the library.
	DocumentsFirst(ctx context.Context, documents []SessionDocument) (RAG, error)
}

// LibraryRAG adds documents to the library. A RAG implements it if agents can, as the one of docent does. It is safe for
// concurrent use.
type LibraryRAG interface {
	// AddDocument reads a file and stores it in a collection. It replaces an earlier file with the name.
	AddDocument(ctx context.Context, collection string, file payload.File) error
}

// AddDocument adds a file to a collection of the library, where the sessions of all users find it. It corresponds to BAF's
// rag.add_file. collection may be "", the default one. A file with the same name is replaced. The rights of the user do not
// count, because the agent adds the file. AddDocument fails with fault.Invalid if the file cannot be read.
func AddDocument(ctx context.Context, s *Session, collection string, file payload.File) error {
	library, ok := s.turn.env.RAG.(LibraryRAG)
	if !ok {
		return fault.New(fault.Unavailable, "agent_without_library", "this agent cannot add documents")
	}
	return errlog.Withhold(library.AddDocument(ctx, collection, file))
}

// SessionDocument is a document that only one session has.
type SessionDocument struct {
	// Turn is the turn that added the document, or 0.
	Turn int64 `json:"-"`
	// Title is the title in the document, or its file name.
	Title string `json:"title"`
	// Source is the file name.
	Source string `json:"source"`
	// Media is the media type.
	Media string `json:"media,omitempty"`
	// Language is an ISO 639-1 code, or "" if unknown.
	Language string `json:"language,omitempty"`
	// Date, DateFrom, and Version are those of corpus.Document.
	Date     time.Time       `json:"date,omitzero"`
	DateFrom corpus.DateFrom `json:"date_from,omitempty"`
	Version  string          `json:"version,omitempty"`
	// Chunks are the passages in order.
	Chunks []corpus.Chunk `json:"chunks"`
}

// SessionDocuments are the documents of one session, as BAF's session_rag. Nobody else finds them, and they are not part of
// the library. A reset or the end of the session forgets them. There are at most MaxDocuments, with MaxDocumentBytes together.
type SessionDocuments struct{ session *Session }

// DocumentsOf returns the documents of a session.
func DocumentsOf(s *Session) SessionDocuments { return SessionDocuments{s} }

// AddText adds a text under a title. It corresponds to BAF's add_text.
func (d SessionDocuments) AddText(ctx context.Context, title, text string) error {
	return d.AddFile(ctx, payload.NewFile(title, "text/plain", []byte(text)))
}

// AddFile adds the text of a file in any format that docent reads. It corresponds to BAF's add_file. The store receives it at
// the end of the turn. AddFile fails with fault.Invalid if the file cannot be read, or if the session has no room for its text.
func (d SessionDocuments) AddFile(ctx context.Context, file payload.File) error {
	reader, err := d.reader()
	if err != nil {
		return err
	}
	have, err := d.List(ctx)
	if err != nil {
		return err
	}
	if len(have) >= MaxDocuments {
		return fault.New(fault.Invalid, "session_documents_full",
			"this conversation already has %d files; remove one, or begin a new conversation", MaxDocuments)
	}
	doc, err := reader.ReadDocument(ctx, d.session.ID(), file)
	if err != nil {
		return errlog.Withhold(err)
	}
	total := 0
	for _, other := range append(have, doc) {
		size, err := other.size()
		if err != nil {
			return err
		}
		total += size
	}
	if total > MaxDocumentBytes {
		return fault.New(fault.Invalid, "session_document_too_large",
			"there is no room for %s in this conversation: all files together may have %d MiB of text", doc.Source, MaxDocumentBytes>>20)
	}
	t := d.session.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return ErrOver
	}
	t.documents = append(t.documents, doc)
	return nil
}

// size returns the size of the passages as JSON.
func (d SessionDocument) size() (int, error) {
	content, err := json.Marshal(d.Chunks)
	if err != nil {
		return 0, fmt.Errorf("document of the session: %w", err)
	}
	return len(content), nil
}

// List returns the documents in the order in which they were added.
func (d SessionDocuments) List(ctx context.Context) ([]SessionDocument, error) {
	t := d.session.turn
	t.mu.Lock()
	added, forget := slices.Clone(t.documents), t.forget
	t.mu.Unlock()
	if forget {
		return added, nil
	}
	backend, ok := t.backend.(DocumentBackend)
	if !ok {
		return added, nil
	}
	stored, err := backend.Documents(ctx)
	if err != nil {
		return nil, fmt.Errorf("documents of the session: %w", err)
	}
	return append(stored, added...), nil
}

// Clear forgets all documents of the session. It corresponds to BAF's clear.
func (d SessionDocuments) Clear() {
	t := d.session.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.over {
		t.documents, t.forget = nil, true
	}
}

// RunRAG answers like Session.RunRAG, from the documents of the session alone. Collections have no effect. It corresponds to
// BAF's run_session_rag. It fails with fault.NotFound if the session has no documents.
func (d SessionDocuments) RunRAG(ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
	documents, err := d.List(ctx)
	if err != nil {
		return payload.RAGMessage{}, err
	}
	reader, err := d.reader()
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

// first returns the RAG that searches the documents of the session before the library. Without such documents, it is the RAG
// of the library.
func (d SessionDocuments) first(ctx context.Context) (RAG, error) {
	library := d.session.turn.env.RAG
	reader, ok := library.(DocumentRAG)
	if !ok {
		return library, nil
	}
	documents, err := d.List(ctx)
	if err != nil || len(documents) == 0 {
		return library, err
	}
	answers, err := reader.DocumentsFirst(ctx, documents)
	return answers, errlog.Withhold(err)
}

// AnsweringFromSession returns a body like Answering that answers from the documents of the session.
func AnsweringFromSession(req rag.Request) Body {
	return answering(req, func(s *Session, ctx context.Context, req rag.Request) (payload.RAGMessage, error) {
		return DocumentsOf(s).RunRAG(ctx, req)
	})
}

// ErrNoFile is the error of bodies that need the file of an event without one.
var ErrNoFile = fault.New(fault.Invalid, "agent_event_without_file", "the event has no file to add to the documents of the conversation")

// ReadingFile returns a body that adds the file of the event to the documents of the session, and says so.
func ReadingFile() Body {
	return func(ctx context.Context, s *Session) error {
		file := s.Event().File
		if file == nil {
			return ErrNoFile
		}
		if err := DocumentsOf(s).AddFile(ctx, *file); err != nil {
			return err
		}
		return s.Say(ctx, fault.NewText("file_read", "I have read %s. Only this conversation can see it. Ask me about it.", file.Name))
	}
}

// reader returns the runtime's RAG if it can read documents of sessions.
func (d SessionDocuments) reader() (DocumentRAG, error) {
	reader, ok := d.session.turn.env.RAG.(DocumentRAG)
	if !ok {
		return nil, fault.New(fault.Unavailable, "agent_without_session_documents", "this agent cannot read documents of a conversation")
	}
	return reader, nil
}
