package extract

import (
	"strings"

	"docent/ingest/extract/plain"
)

// Version returns the version of the reader for a media type, or 0 for an unknown
// type. The media type may have parameters, as in the result of Extract.
func Version(media string) int {
	f, ok := Formats.ByMedia(media)
	switch {
	case ok:
	case strings.HasPrefix(media, "text/"):
		f = plain.CodeFormat.Info
	default:
		return 0
	}
	return max(f.Version, 1)
}
