package rag

import (
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

// The names below moved to other packages. `go fix` replaces their uses.

// Document is a corpus.Document.
//
//go:fix inline
type Document = corpus.Document

// Chunk is a corpus.Chunk.
//
//go:fix inline
type Chunk = corpus.Chunk

// Passage is a corpus.Passage.
//
//go:fix inline
type Passage = corpus.Passage

// Kind is a corpus.Kind.
//
//go:fix inline
type Kind = corpus.Kind

// Status is a corpus.Status.
//
//go:fix inline
type Status = corpus.Status

// Revision is a corpus.Revision.
//
//go:fix inline
type Revision = corpus.Revision

// Change is a corpus.Change.
//
//go:fix inline
type Change = corpus.Change

// Corpus is a corpus.Corpus.
//
//go:fix inline
type Corpus = corpus.Corpus

// Library is a corpus.Library.
//
//go:fix inline
type Library = corpus.Library

// DocumentFilter is a corpus.DocumentFilter.
//
//go:fix inline
type DocumentFilter = corpus.DocumentFilter

// DocumentOrder is a corpus.DocumentOrder.
//
//go:fix inline
type DocumentOrder = corpus.DocumentOrder

// CollectionInfo is a corpus.CollectionInfo.
//
//go:fix inline
type CollectionInfo = corpus.CollectionInfo

// Turn is a talk.Turn.
//
//go:fix inline
type Turn = talk.Turn

// Role is a talk.Role.
//
//go:fix inline
type Role = talk.Role

// Query is a retrieve.Query.
//
//go:fix inline
type Query = retrieve.Query

// Mode is a retrieve.Mode.
//
//go:fix inline
type Mode = retrieve.Mode

// Result is a retrieve.Result.
//
//go:fix inline
type Result = retrieve.Result

// Retrieval is a retrieve.Retrieval.
//
//go:fix inline
type Retrieval = retrieve.Retrieval

// Retriever is a retrieve.Retriever.
//
//go:fix inline
type Retriever = retrieve.Retriever

// RetrieverConfig is a retrieve.Config.
//
//go:fix inline
type RetrieverConfig = retrieve.Config

// Constants that moved.
//
//go:fix inline
const (
	DefaultCollection = corpus.DefaultCollection
	HeadingSeparator  = corpus.HeadingSeparator
	Ready             = corpus.Ready
	Failed            = corpus.Failed
	Prose             = corpus.Prose
	Code              = corpus.Code
	Table             = corpus.Table
	ByID              = corpus.ByID
	ByTitle           = corpus.ByTitle
	BySize            = corpus.BySize
	ByUpdated         = corpus.ByUpdated
	User              = talk.User
	Assistant         = talk.Assistant
	Full              = retrieve.Full
	Hybrid            = retrieve.Hybrid
	Keywords          = retrieve.Keywords
	Vectors           = retrieve.Vectors
	FeatureBM25       = retrieve.FeatureBM25
	FeatureDense      = retrieve.FeatureDense
	FeaturePairs      = retrieve.FeaturePairs
	FeatureDocument   = retrieve.FeatureDocument
	MaxK              = retrieve.MaxK
)

// NewRetriever calls retrieve.New.
//
//go:fix inline
func NewRetriever(cfg retrieve.Config) (*retrieve.Retriever, error) { return retrieve.New(cfg) }

// DefaultWeights calls retrieve.DefaultWeights.
//
//go:fix inline
func DefaultWeights(embedder string) retrieve.Weights { return retrieve.DefaultWeights(embedder) }

// FeatureNames calls retrieve.FeatureNames.
//
//go:fix inline
func FeatureNames() []string { return retrieve.FeatureNames() }

// IndexText calls corpus.IndexText.
//
//go:fix inline
func IndexText(title string, c corpus.Chunk) string { return corpus.IndexText(title, c) }

// HeadingLine calls corpus.HeadingLine.
//
//go:fix inline
func HeadingLine(title string, headings []string) string { return corpus.HeadingLine(title, headings) }

// Talks calls talk.Talks.
//
//go:fix inline
func Talks() []talk.Talk { return talk.Talks() }
