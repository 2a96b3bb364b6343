// Package ingest brings a store in line with sources: files, folders, standard
// input. It extracts their text with its structure, cuts it into chunks, embeds
// them and stores each document in one step.
package ingest
