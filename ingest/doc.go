// Package ingest brings a store in line with sources: files, folders, standard
// input. It extracts their text with its structure, cuts it into chunks, embeds
// them and stores each document in one step.
//
// A source that could not be read (no permission, an I/O error, over the size
// limit) is reported as failed, and the version read last stays searchable; one
// that was never read is stored as failed, so that lists show it. A source
// whose content was read and is of no use (damaged, encrypted, empty) is stored
// as failed in place of the version before.
package ingest
