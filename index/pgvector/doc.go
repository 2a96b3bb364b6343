// Package pgvector is a vector index in PostgreSQL with the extension pgvector.
// The vectors are in a table of their own, which docent derives from the corpus.
// All processes of a database share it, and they take turns to keep it up to
// date.
//
// The package also keeps the data of the second stage in tables: the tokens of each
// passage, and how common each token is.
//
// A search of few passages compares all vectors. A search of many uses an HNSW
// index, which is approximate, and compares its hits exactly. The index has half
// precision where pgvector supports it. If a filter leaves too few hits, the
// search compares all accepted vectors.
package pgvector
