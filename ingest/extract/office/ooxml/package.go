// Package ooxml reads the parts that Word, PowerPoint, and Excel documents share:
// drawings, charts, diagrams, equations, and the document's title.
package ooxml

import (
	"context"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// MainPart returns the name of the part that a package's relations call its
// document, or the usual name.
func MainPart(ctx context.Context, a *zipxml.Archive, usual string) (string, error) {
	relations, err := a.Relations(ctx, "")
	if err != nil {
		return "", err
	}
	for _, r := range relations {
		if r.Type == "officeDocument" && a.Has(r.Target) {
			return r.Target, nil
		}
	}
	return usual, nil
}

// Title is the title in a package's own data. Titles that programs give
// to every new document are left out.
func Title(ctx context.Context, a *zipxml.Archive) string {
	name := "docProps/core.xml"
	// Without the relations the usual name is good enough.
	relations, _ := a.Relations(ctx, "")
	for _, r := range relations {
		if r.Type == "core-properties" && a.Has(r.Target) {
			name = r.Target
		}
	}
	data, err := a.Part(name)
	if err != nil {
		return ""
	}
	return content.OwnTitle(content.CoreTitle(ctx, data))
}
