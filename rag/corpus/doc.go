// Package corpus holds the types that describe ingested documents: documents,
// chunks, passages, collections, and revisions. Ingestion, stores, indexes,
// and retrieval share them.
package corpus
