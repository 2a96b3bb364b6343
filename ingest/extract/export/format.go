package export

import "docent/ingest/format"

// Format describes exports of wikis and notebooks. The pages in them are documents.
var Format = format.Format{Info: format.Info{
	Name: "Export of a wiki or notebook", Short: "exports of wikis",
	Group:   format.Archives,
	Endings: []string{".enex"},
	Media:   "application/enex+xml",
	Version: 2,
	Reads:   "each page as a document, with its comments and date: spaces of Confluence in XML, also in their ZIP, notes of Evernote, and sites of WordPress",
	Leaves:  "drafts, deleted pages, earlier versions, attachments",
	Limits:  "100,000 pages",
}}
