// Package ooxml reads the parts that Word, PowerPoint, and Excel documents share:
// drawings, charts, diagrams, equations, and the document's title.
package ooxml

import (
	"context"

	"docent/ingest/extract/office/content"
	"docent/ingest/extract/zipxml"
)

// MainPart returns the name of the package's main part. It follows the relations
// of the package. Without a relation it returns usual.
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

// Title returns the title in the metadata of a package. It ignores default
// titles, which programs give to every new document.
func Title(ctx context.Context, a *zipxml.Archive) string {
	name := "docProps/core.xml"
	// An error is ignored because the usual name is good enough.
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
	return content.OwnTitle(zipxml.CoreTitle(ctx, data))
}
