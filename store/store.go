// Package store holds what the two databases behind docent share: what they
// accept, how vectors and texts are kept, and how a change is watched for. The
// packages store/postgres and store/sqlite keep the data; store/storetest says
// in tests what both must do.
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

// Limits of what is stored.
const (
	// MaxKey bounds a source, in bytes: Postgres' B-trees take no more than
	// 2,704 per entry.
	MaxKey = 2048
	// MaxName bounds a collection's, agent's, session's or user's name and a
	// client's message id, in bytes.
	MaxName = 512
	// DefaultPage is how many documents a list has that names no limit.
	DefaultPage = 100
	// DefaultChunks is how many chunks a list has that names no limit.
	DefaultChunks = 200
	// MaxPage bounds the documents or chunks of one list.
	MaxPage = 1000
	// DefaultSessions is how many sessions a list has that names no limit.
	DefaultSessions = 200
	// ChangesPage is how many documents are read at a time while changes are
	// streamed: enough that a page costs little, few enough to hold in memory.
	ChangesPage = 256
	// ChangesChunks is about how many chunks are held at a time meanwhile; a
	// document with more is still held whole.
	ChangesChunks = 4096
)

// CheckPut fails with fault.Invalid if a document cannot be stored.
func CheckPut(p intake.Put) error {
	d := p.Document
	switch {
	case d.Source == "" || len(d.Source) > MaxKey:
		return fault.New(fault.Invalid, "source_length", "a source has to have 1 to %d bytes, this has %d", MaxKey, len(d.Source))
	case d.Collection == "" || len(d.Collection) > MaxName:
		return fault.New(fault.Invalid,
			"collection_name_length", "a collection's name has to have 1 to %d bytes, this has %d", MaxName, len(d.Collection))
	case d.Status != corpus.Ready && d.Status != corpus.Failed:
		return fault.New(fault.Invalid, "document_status_invalid", "a document is ready or failed, not %q", d.Status)
	case d.Status == corpus.Failed && len(p.Chunks) > 0:
		return fault.New(fault.Invalid, "failed_document_with_chunks", "a failed document has no chunks, this has %d", len(p.Chunks))
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
				"stored_field_length", "the %s has to have at most %d bytes, this has %d", f.what, MaxName, len(f.value))
		}
	}
	if r.Key.Agent == "" || r.Key.ID == "" {
		return fault.New(fault.Invalid, "session_without_id", "a session has to have an agent and an id")
	}
	return nil
}

// CheckClientID fails with fault.Invalid if a client's message id is too long.
func CheckClientID(id string) error {
	if len(id) > MaxName {
		return fault.New(fault.Invalid, "message_id_length", "a message's id has to have at most %d bytes, this has %d", MaxName, len(id))
	}
	return nil
}

// Page is how many documents a list has for the limit asked.
func Page(limit int) int {
	if limit <= 0 {
		return DefaultPage
	}
	return min(limit, MaxPage)
}

// ChunkPage is the limit of a list of chunks.
func ChunkPage(limit int) int {
	if limit <= 0 {
		return DefaultChunks
	}
	return min(limit, MaxPage)
}

// Folded is what a document is matched by in lists.
func Folded(d corpus.Document) string { return Fold(d.Source + "\n" + d.Title) }

// TitleLetters is how much of a title documents are ordered by; more would make
// cursors long.
const TitleLetters = 200

// TitleKey is what a title is ordered by. The databases take it out of Folded:
// folding keeps the number of characters.
func TitleKey(title string) string {
	letters := []rune(Fold(title))
	return string(letters[:min(len(letters), TitleLetters)])
}

// BlobKey names the bytes of a source; "" for none. It is computed here: a
// document's SHA256 may be that of a file which holds several documents.
func BlobKey(original []byte) string {
	if original == nil {
		return ""
	}
	sum := sha256.Sum256(original)
	return hex.EncodeToString(sum[:])
}

// Time is t as both databases keep it: microseconds, UTC; now if t is zero.
func Time(t, now time.Time) time.Time {
	if t.IsZero() {
		t = now
	}
	return t.UTC().Truncate(time.Microsecond)
}

// ModifiedNano is a document's modification time as stored: Unix nanoseconds,
// 0 if unknown.
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

// NoDocument is the fault for a document that is not there.
func NoDocument(id int64) error {
	return fault.New(fault.NotFound, "no_document", "there is no document %d", id)
}

// NoOriginal is the fault for a document whose bytes were not kept.
func NoOriginal(id int64) error {
	return fault.New(fault.NotFound, "no_original", "the original of document %d was not kept", id)
}

// NoSession is the fault for a session that is not there.
func NoSession() error { return fault.New(fault.NotFound, "no_session", "there is no such session") }
