package extract

import "docent/ingest/outline"

func readMarkdown(name, text string) *outline.Document { return readPlain(name, text) }
