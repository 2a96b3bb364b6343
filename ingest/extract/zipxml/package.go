package zipxml

import (
	"context"
	"encoding/xml"
	"path"
	"strings"
)

// Relation is a link from one part of an Office Open XML package to another.
type Relation struct {
	// ID identifies the relation within its part.
	ID string
	// Type is the last word of the relation's type, such as "slide". It is the same
	// in the transitional and the strict variant of the format.
	Type string
	// Target is the name of the part.
	Target string
}

// maxRelations bounds the relations read of one part.
const maxRelations = 100000

// Relations returns the links from a part to other parts, in order. The part ""
// is the package itself.
func (a *Archive) Relations(ctx context.Context, part string) ([]Relation, error) {
	dir, file := path.Split(part)
	data, err := a.Part(dir + "_rels/" + file + ".rels")
	if data == nil || err != nil {
		return nil, err
	}
	var out []Relation
	err = Tokens(ctx, data, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		if !ok || e.Name.Local != "Relationship" || strings.EqualFold(Attr(e, "TargetMode"), "External") || len(out) >= maxRelations {
			return nil
		}
		target := strings.ReplaceAll(Attr(e, "Target"), `\`, "/")
		if !strings.HasPrefix(target, "/") {
			target = path.Join(dir, target)
		}
		out = append(out, Relation{ID: Attr(e, "Id"), Type: path.Base(Attr(e, "Type")), Target: strings.TrimPrefix(path.Clean(target), "/")})
		return nil
	})
	return out, err
}

// maxLinks bounds the links that are read of one part.
const maxLinks = 100_000

// Links returns the addresses outside of the package to which a part refers, by id.
func (a *Archive) Links(ctx context.Context, part string) (map[string]string, error) {
	dir, file := path.Split(part)
	data, err := a.Part(dir + "_rels/" + file + ".rels")
	if data == nil || err != nil {
		return nil, err
	}
	out := map[string]string{}
	err = Tokens(ctx, data, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		if ok && e.Name.Local == "Relationship" && strings.EqualFold(Attr(e, "TargetMode"), "External") && len(out) < maxLinks {
			out[Attr(e, "Id")] = Attr(e, "Target")
		}
		return nil
	})
	return out, err
}

// ContentType returns the content type of a part, or "".
func (a *Archive) ContentType(ctx context.Context, part string) string {
	data, err := a.Part("[Content_Types].xml")
	if err != nil {
		return ""
	}
	var byName, byEnding string
	ending := strings.TrimPrefix(path.Ext(part), ".")
	// A list that is damaged at the end is still useful.
	_ = Tokens(ctx, data, func(t xml.Token) error {
		e, ok := t.(xml.StartElement)
		if !ok {
			return nil
		}
		switch e.Name.Local {
		case "Override":
			if strings.EqualFold(strings.TrimPrefix(Attr(e, "PartName"), "/"), part) {
				byName = Attr(e, "ContentType")
			}
		case "Default":
			if strings.EqualFold(Attr(e, "Extension"), ending) {
				byEnding = Attr(e, "ContentType")
			}
		}
		return nil
	})
	if byName != "" {
		return byName
	}
	return byEnding
}
