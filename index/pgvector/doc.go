// Package pgvector is a vector index in PostgreSQL with the extension pgvector. Its
// tables are derived from the corpus. All processes of a database share them, and take
// turns to keep them up to date. The vectors of encoders have a table for each encoder.
//
// A search of few vectors compares them all. A search of many uses an HNSW index,
// which is approximate, and compares its hits exactly. The index has half precision
// where pgvector supports it. If a filter leaves too few hits, the search compares
// all accepted vectors.
package pgvector
