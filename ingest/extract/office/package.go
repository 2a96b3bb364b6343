package office

import (
	"context"
	"strings"

	"docent/ingest/extract/zipxml"
)

// mainPart returns the name of the part that a package's relations call its
// document, or the usual name.
func mainPart(ctx context.Context, a *zipxml.Archive, usual string) (string, error) {
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

// packageTitle is the title in a package's own data. Titles that programs give
// to every new document are left out.
func packageTitle(ctx context.Context, a *zipxml.Archive) string {
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
	return ownTitle(coreTitle(ctx, data))
}

// ownTitle is a title, "" if it is one that programs give to every document.
func ownTitle(s string) string {
	switch strings.ToLower(s) {
	case "word document", "document", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "slide 1", "untitled", "book1", "workbook", "presentation":
		return ""
	}
	return s
}
