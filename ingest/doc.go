// Package ingest synchronizes a store with sources: files, folders, and standard
// input. It extracts the text of a document with its structure, cuts it into
// chunks, embeds them, and stores each document in one step.
//
// A source can be unreadable because of a missing permission, an I/O error, or
// its size. Ingest reports it as failed, and the last readable version stays
// searchable. A source that was never readable is stored as failed, so that lists
// show it. Damaged, encrypted, and empty content is also stored as failed, and
// replaces the earlier version.
package ingest
