package extract

import "strings"

// versions are the versions of formats, by Info.Media. A format without an
// entry has version 1. Raise the version of a format when its reader improves.
// The next ingestion then reads the documents of this format again, and no
// others.
var versions = map[string]int{}

// Version returns the version of the reader for a media type, or 0 for an unknown
// type. The media type may have parameters, as in the result of Extract.
func Version(media string) int {
	media, _, _ = strings.Cut(media, ";")
	row := formatOf(strings.TrimSpace(media))
	switch v, ok := versions[row]; {
	case row == "":
		return 0
	case ok:
		return v
	default:
		return 1
	}
}

// Raised reports whether any format has a version above 1.
func Raised() bool { return len(versions) > 0 }

// code is the Info.Media of source code. Its documents have many different
// media types.
const code = "text/x-…"

// formatOf returns the Info.Media of the format of a media type, or "".
func formatOf(media string) string {
	wild := ""
	for _, f := range formats {
		if f.Media == media {
			return media
		}
		if prefix, ok := strings.CutSuffix(f.Media, "…"); ok && prefix != "" && strings.HasPrefix(media, prefix) {
			wild = f.Media
		}
	}
	if wild == "" && strings.HasPrefix(media, "text/") {
		return code
	}
	return wild
}
