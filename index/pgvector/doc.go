// Package pgvector is a vector index and a keyword index in PostgreSQL with the
// extension pgvector. Its tables are derived from the corpus. All processes of a
// database share them, and take turns to keep them up to date.
//
// The package also keeps the data of the second stage in tables: the tokens of each
// passage, and how common each token is. The vectors of encoders have a table for each
// encoder. A process that uses them keeps nothing for each passage in memory.
//
// A search of few vectors compares them all. A search of many uses an HNSW index,
// which is approximate, and compares its hits exactly. The index has half precision
// where pgvector supports it. If a filter leaves too few hits, the search compares
// all accepted vectors.
//
// A search for words uses a GIN index of terms, and computes BM25 as the index in
// memory does.
package pgvector
