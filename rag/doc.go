// Package rag answers questions from documents: it retrieves passages in two
// stages, has them quoted or put into words by a model, and checks every
// statement against the passages it cites. It also holds the domain types that
// ingest, the indexes and the stores share.
package rag
