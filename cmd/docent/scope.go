package main

import (
	"net/url"

	"github.com/spf13/cobra"

	"docent/rag/corpus"
)

// scope are the documents, folders, and tags that a command searches.
type scope struct {
	documents []int64
	place     corpus.Place
}

// flags adds the flags --document, --folder, and --tag.
func (s *scope) flags(cmd *cobra.Command) {
	cmd.Flags().Int64SliceVar(&s.documents, "document", nil, "search only the document with this id; repeatable (docent docs ls)")
	s.placeFlags(cmd, "search")
}

// placeFlags adds the flags --folder and --tag. verb names the work of the command.
func (s *scope) placeFlags(cmd *cobra.Command, verb string) {
	cmd.Flags().StringArrayVar(&s.place.Folders, "folder", nil, verb+" only the documents in this folder and below it; repeatable")
	cmd.Flags().StringArrayVar(&s.place.Tags, "tag", nil, verb+" only the documents with this tag; repeatable")
}

// query adds the folders and the tags to the query of a request.
func (s *scope) query(q url.Values) {
	for _, folder := range s.place.Folders {
		q.Add("folder", folder)
	}
	for _, tag := range s.place.Tags {
		q.Add("tag", tag)
	}
}
