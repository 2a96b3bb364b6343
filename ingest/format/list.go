package format

import (
	"context"
	"path"
	"slices"
	"strings"
)

// List is a list of formats. If several formats match a file equally well, the first in
// the list reads it.
type List []Format

// Detect returns the format of a file with the match, or false if none matches.
func (l List) Detect(ctx context.Context, f *File) (Format, Match, bool) {
	var best Format
	var match Match
	for _, of := range l {
		if of.Match == nil {
			continue
		}
		if m := of.Match(ctx, f); m.Score > match.Score {
			best, match = of, m
		}
		if match.Score == Sure {
			break
		}
	}
	if match.Media == "" {
		match.Media = best.Media
	}
	return best, match, match.Score > No
}

// Listing is the formats of a group.
type Listing struct {
	Group   Group
	Formats []Info
}

// Groups returns the formats with a name, by group.
func (l List) Groups() []Listing {
	out := make([]Listing, len(groups))
	for i, g := range groups {
		out[i].Group = g
		for _, f := range l {
			if f.Group == g && f.Name != "" {
				out[i].Formats = append(out[i].Formats, f.Info)
			}
		}
	}
	return out
}

// All returns the formats with a name, in the order of Groups.
func (l List) All() []Info {
	var out []Info
	for _, g := range l.Groups() {
		out = append(out, g.Formats...)
	}
	return out
}

// ByMedia returns the format of a media type, which may have parameters.
func (l List) ByMedia(media string) (Info, bool) {
	media = Base(media)
	var prefixed Info
	for _, f := range l {
		if f.Name == "" {
			continue
		}
		if f.Media == media {
			return f.Info, true
		}
		if prefix, ok := strings.CutSuffix(f.Media, "…"); ok && strings.HasPrefix(media, prefix) {
			prefixed = f.Info
		}
	}
	return prefixed, prefixed.Name != ""
}

// ByName returns the format of a file by the ending of its name.
func (l List) ByName(name string) (Info, bool) {
	ending := strings.ToLower(path.Ext(name))
	for _, f := range l {
		if slices.Contains(f.Endings, ending) {
			return f.Info, true
		}
	}
	return Info{}, false
}
