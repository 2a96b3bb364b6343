package content

import "strings"

// AltText returns the description of a picture as one line. It returns "" if the
// description is only a file name or an address.
func AltText(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	lower := strings.ToLower(s)
	for _, ending := range []string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".emf", ".wmf", ".tif", ".tiff", ".svg"} {
		if strings.HasSuffix(lower, ending) {
			return ""
		}
	}
	if strings.HasPrefix(lower, "http://") || strings.HasPrefix(lower, "https://") {
		return ""
	}
	return s
}
