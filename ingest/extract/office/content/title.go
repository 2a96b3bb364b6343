package content

import "strings"

// OwnTitle returns a title. It returns "" for default titles, which programs give
// to every document.
func OwnTitle(s string) string {
	switch strings.ToLower(s) {
	case "word document", "document", "powerpoint presentation", "powerpoint-präsentation", "présentation powerpoint", "slide 1", "untitled",
		"book1", "workbook", "presentation":
		return ""
	}
	return s
}
