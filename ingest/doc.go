// Package ingest synchronizes a store with sources: files, folders, and
// standard input. It extracts the text of a document with its structure, cuts
// it into chunks, embeds them, and stores each document in one step.
//
// A source can be unreadable because of a missing permission, an I/O error, or
// its size. Ingest reports it as failed, and the version that was read last
// stays searchable. A source that was never read is stored as failed, so that
// lists show it. Content can also be damaged, encrypted, or empty. Such a
// source is stored as failed and replaces the earlier version.
package ingest
