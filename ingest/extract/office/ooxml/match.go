package ooxml

import (
	"context"
	"strings"

	"docent/ingest/format"
)

// Kind is a kind of Office Open XML package.
type Kind struct {
	// Words are parts of the content type of the main part.
	Words []string
	// Folder is the folder of the main part in a package that names no content types.
	Folder string
	// Usual is the name of the main part in a package without relations.
	Usual string
}

// Match reports whether a file is a package of a kind. It looks at the content type of its main part.
func (k Kind) Match(ctx context.Context, f *format.File) format.Match {
	main, kind, err := MainType(ctx, f)
	if err != nil {
		return format.Match{Score: format.Sure, Err: err}
	}
	if main == "" {
		return format.If(usual(f, k.Usual), format.Sure)
	}
	ok := kind == "" && strings.HasPrefix(main, k.Folder)
	for _, word := range k.Words {
		ok = ok || strings.Contains(kind, word)
	}
	return format.If(ok, format.Sure)
}

// usual reports whether a file is a package with a part.
func usual(f *format.File, part string) bool {
	if f.IsText() || !f.IsZip() {
		return false
	}
	a, err := f.Zip()
	return err == nil && a.Has(part)
}

// MainType returns the name of the main part of a package and its content type in lower case. Both are "" for other
// files.
func MainType(ctx context.Context, f *format.File) (main, kind string, err error) {
	if f.IsText() || !f.IsZip() {
		return "", "", nil
	}
	a, err := f.Zip()
	if err != nil {
		return "", "", err
	}
	main, err = MainPart(ctx, a, "")
	if err != nil || main == "" {
		return "", "", err
	}
	return main, strings.ToLower(a.ContentType(ctx, main)), nil
}
