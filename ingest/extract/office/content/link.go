package content

import (
	"path"
	"strings"
)

// maxAddress is the longest address that a text shows, in bytes.
const maxAddress = 300

// Linked returns the text of a link, followed by its address. It returns the text alone
// if it shows the address already, or if the address means nothing outside of the
// document.
func Linked(text, address string) string {
	address = strings.TrimSpace(address)
	shown := strings.TrimPrefix(address, "mailto:")
	if mail, _, ok := strings.Cut(shown, "?"); ok && shown != address {
		shown = mail
	}
	switch lower := strings.ToLower(address); {
	case address == "" || len(address) > maxAddress || strings.ContainsAny(shown, " \t\n"):
		return text
	case !hasScheme(lower) && !IsFileAddress(lower):
		return text
	}
	bare := func(s string) string {
		s = strings.ToLower(strings.TrimSpace(s))
		s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	if strings.TrimSpace(text) == "" || strings.Contains(bare(text), bare(shown)) {
		return text
	}
	trimmed := strings.TrimRight(text, " \t\n")
	return trimmed + " (" + shown + ")" + text[len(trimmed):]
}

// hasScheme reports whether an address, in lower case, leads to a page or mailbox.
func hasScheme(address string) bool {
	return strings.HasPrefix(address, "http://") || strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "mailto:")
}

// IsFileAddress reports whether an address leads to a file for people, such as a form.
func IsFileAddress(address string) bool {
	address, _, _ = strings.Cut(strings.ToLower(address), "#")
	address, _, _ = strings.Cut(address, "?")
	switch path.Ext(address) {
	case ".pdf", ".doc", ".docx", ".docm", ".dotx", ".xls", ".xlsx", ".xlsm", ".ppt", ".pptx",
		".odt", ".ods", ".odp", ".rtf", ".csv", ".zip", ".ics", ".epub":
		return !strings.HasPrefix(address, "javascript:")
	}
	return false
}
