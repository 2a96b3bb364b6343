// Package store holds the rules that both databases of docent share: limits, the
// form of stored values, and the watch for changes. The packages store/postgres
// and store/sqlite store the data.
package store

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"docent/rag/corpus"

	"docent/agent/session/journal"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// Limits of stored values and lists.
const (
	// MaxKey bounds a document's source, in bytes. A B-tree entry in Postgres
	// has at most 2,704 bytes.
	MaxKey = 2048
	// MaxName bounds other names and the message ids of clients, in bytes.
	MaxName = 512
	// DefaultPage is the default limit of a list of documents.
	DefaultPage = 100
	// DefaultChunks is the default limit of a list of chunks.
	DefaultChunks = 200
	// MaxPage bounds the limit of any list.
	MaxPage = 1000
	// DefaultSessions is the default limit of a list of sessions.
	DefaultSessions = 200
	// KeptSnapshots is the number of names of snapshots that a store keeps.
	KeptSnapshots = 200
	// ChangesPage is the number of documents that Changes reads at a time.
	ChangesPage = 256
	// ChangesChunks is the approximate number of chunks that Changes holds at a
	// time. It still holds all chunks of one larger document.
	ChangesChunks = 4096
)

// CheckPut fails with fault.Invalid if a document cannot be stored.
func CheckPut(p intake.Put) error {
	d := p.Document
	switch {
	case d.Source == "" || len(d.Source) > MaxKey:
		return fault.New(fault.Invalid, "source_length", "a source must have 1 to %d bytes; this one has %d", MaxKey, len(d.Source))
	case d.Collection == "" || len(d.Collection) > MaxName:
		return fault.New(fault.Invalid,
			"collection_name_length", "a collection's name must have 1 to %d bytes; this one has %d", MaxName, len(d.Collection))
	case d.Status != corpus.Ready && d.Status != corpus.Failed && d.Status != corpus.Skipped:
		return fault.New(fault.Invalid, "document_status_invalid", "a document is ready or failed, not %q", d.Status)
	case d.Status != corpus.Ready && len(p.Chunks) > 0:
		return fault.New(fault.Invalid, "failed_document_with_chunks", "a failed document cannot have chunks; this one has %d", len(p.Chunks))
	case len(p.Vectors) > 0 && len(p.Vectors) != len(p.Chunks):
		return fault.New(fault.Invalid, "vectors_missing", "%d chunks have %d vectors", len(p.Chunks), len(p.Vectors))
	}
	return checkVectors(p.Embedder, p.Vectors)
}

// CheckEmbeddings fails with fault.Invalid if embeddings cannot be stored.
func CheckEmbeddings(embedder string, all []intake.Embedding) error {
	vectors := make([][]float32, len(all))
	for i, e := range all {
		vectors[i] = e.Vector
	}
	return checkVectors(embedder, vectors)
}

// CheckEncodings fails with fault.Invalid if encodings cannot be stored.
func CheckEncodings(model string, all []corpus.Encoding) error {
	vectors := make([][]float32, len(all))
	for i, e := range all {
		vectors[i] = e.Vector
	}
	return checkVectors(model, vectors)
}

func checkVectors(embedder string, vectors [][]float32) error {
	if len(vectors) == 0 {
		return nil
	}
	if embedder == "" || len(embedder) > MaxName {
		return fault.New(fault.Invalid,
			"embedder_name_length", "an embedder's name has to have 1 to %d bytes, this has %d", MaxName, len(embedder))
	}
	for _, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return fault.New(fault.Invalid,
				"vector_lengths", "vectors have to be of one length and not empty: %d and %d", len(vectors[0]), len(v))
		}
	}
	return nil
}

// CheckSession fails with fault.Invalid if a session cannot be stored.
func CheckSession(r journal.SessionRecord) error {
	for _, f := range []struct{ what, value string }{
		{"agent's name", r.Key.Agent}, {"session's id", r.Key.ID}, {"user's name", r.Username}, {"owner's name", r.Owner},
	} {
		if len(f.value) > MaxName {
			return fault.New(fault.Invalid,
				"stored_field_length", "the %s may have at most %d bytes; this one has %d", f.what, MaxName, len(f.value))
		}
	}
	if r.Key.Agent == "" || r.Key.ID == "" {
		return fault.New(fault.Invalid, "session_without_id", "a session must have an agent and an id")
	}
	return nil
}

// CheckClientID fails with fault.Invalid if a client's message id is too long.
func CheckClientID(id string) error {
	if len(id) > MaxName {
		return fault.New(fault.Invalid, "message_id_length", "a message's id may have at most %d bytes; this one has %d", MaxName, len(id))
	}
	return nil
}

// Page returns the effective limit of a list of documents.
func Page(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// ChunkPage returns the effective limit of a list of chunks.
func ChunkPage(limit int) int {
	if limit <= 0 {
		return DefaultChunks
	}
	return min(limit, MaxPage)
}

// Folded returns the text that the search in document lists compares.
func Folded(d corpus.Document) string { return Fold(d.Source + "\n" + d.Title) }

// TitleLetters is the number of a title's leading characters that determine its
// place in a list. It limits the length of cursors.
const TitleLetters = 200

// TitleKey returns the sort key of a title. The databases compute the same key
// from Folded, because folding keeps the number of characters.
func TitleKey(title string) string {
	letters := []rune(Fold(title))
	return string(letters[:min(len(letters), TitleLetters)])
}

// BlobKey returns the storage key of a file's bytes; "" for nil. It does not use
// Document.SHA256, because that can be the hash of a container file.
func BlobKey(original []byte) string {
	if original == nil {
		return ""
	}
	sum := sha256.Sum256(original)
	return hex.EncodeToString(sum[:])
}

// Time returns t in the precision of both databases: UTC microseconds. It uses
// now instead of a zero t.
func Time(t, now time.Time) time.Time {
	if t.IsZero() {
		t = now
	}
	return t.UTC().Truncate(time.Microsecond)
}

// ModifiedNano returns a document's modification time as Unix nanoseconds; 0 if
// it is unknown.
func ModifiedNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

// Modified is the reverse of ModifiedNano.
func Modified(nano int64) time.Time {
	if nano == 0 {
		return time.Time{}
	}
	return time.Unix(0, nano).UTC()
}

// Date returns a stored date, which is in Unix seconds. Without a date, these are the seconds of
// the zero time.
func Date(seconds int64) time.Time { return time.Unix(seconds, 0).UTC() }

// DocumentStatus returns the stored status. Skipped documents are stored as failed, and marked.
func DocumentStatus(s corpus.Status) string {
	if s == corpus.Skipped {
		return string(corpus.Failed)
	}
	return string(s)
}

// NoDocument is the error for a document that does not exist.
func NoDocument(id int64) error {
	return fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}

// NoOriginal is the error for a document without a stored original file.
func NoOriginal(id int64) error {
	return fault.New(fault.NotFound, "no_original", "the original of document %d was not kept", id)
}

// NoSession is the error for a session that does not exist.
func NoSession() error { return fault.New(fault.NotFound, "no_session", "there is no such session") }

// NoShare is the error for a missing shared link.
func NoShare() error {
	return fault.New(fault.NotFound, "no_share", "this link does not exist, has expired, or was revoked")
}

// TooManyShares is the error for an owner with too many shared links.
func TooManyShares() error {
	return fault.New(fault.Conflict, "shares_full", "you already have %d shared links; revoke one first", journal.MaxShares)
}

// NoFile is the error for a turn that no file of the user began.
func NoFile() error {
	return fault.Wrap(fault.NotFound, journal.ErrNoTurn, "no_conversation_file", "this conversation has no such file")
}

// FileBeingRead returns the error for a file whose turn is not committed. Its documents could follow after its removal.
func FileBeingRead() error {
	return fault.New(fault.Conflict, "conversation_file_being_read", "docent is still reading this file; remove it after that")
}
