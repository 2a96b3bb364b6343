package archive

import "docent/ingest/format"

const limits = "10,000 files; 64 MiB for each file; 256 MiB unpacked, and 200 times the archive's size above 32 MiB"

// ZIPFormat describes ZIP archives. The files in them are documents.
var ZIPFormat = format.Format{Info: format.Info{
	Name:    "ZIP",
	Group:   format.Archives,
	Endings: []string{".zip", ".jar"},
	Media:   "application/zip",
	Reads:   "each file as a document; of JAR files those with source code",
	Leaves:  "hidden files; archives inside archives, beyond one level; encrypted files; programs in JAR files; views of databases in exports of Notion",
	Limits:  limits,
}}

// TARFormat describes TAR archives and compressed files. The files in them are
// documents.
var TARFormat = format.Format{Info: format.Info{
	Name: "TAR and compressed files", Short: "TAR",
	Group:   format.Archives,
	Endings: []string{".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst"},
	Media:   "application/x-tar",
	Reads:   "each file as a document; a compressed file as the document in it",
	Leaves:  "hidden files; archives inside archives, beyond one level",
	Limits:  limits,
}}

// WARCFormat describes archives of web pages. The pages and files in them are documents.
var WARCFormat = format.Format{Info: format.Info{
	Name: "Web archive (WARC)", Short: "WARC",
	Group:   format.Archives,
	Endings: []string{".warc"},
	Media:   "application/warc",
	Reads:   "each answer of a web server as a document: pages, PDF, office documents, and text; also in `.warc.gz`",
	Leaves:  "requests, redirects, errors, pictures, scripts, style sheets",
	Limits:  limits,
}}
