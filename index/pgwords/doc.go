// Package pgwords is a keyword index in PostgreSQL. It also keeps the data of the
// second stage in tables: the tokens of each passage, and how common each token is. The
// tables are derived from the corpus. All processes of a database share them, and take
// turns to keep them up to date. They do not need extensions, and they can be used with
// any vector index.
//
// A search for words uses a GIN index of terms, and computes BM25 as the index in
// memory does.
package pgwords
