package extract

import "strings"

// Version returns the version of the reader for a media type, or 0 for an unknown
// type. The media type may have parameters, as in the result of Extract.
func Version(media string) int {
	f, ok := Formats.ByMedia(media)
	if !ok && !strings.HasPrefix(media, "text/") { // other text is source code
		return 0
	}
	return max(f.Version, 1)
}
