// Package filename makes safe file names from names that clients send.
package filename

import (
	"fmt"
	"path"
	"strings"
	"unicode"
)

const (
	// MaxBytes bounds a file name, as file systems do.
	MaxBytes = 255
	// maxPathBytes bounds a file name with its folders. A longer one loses the
	// folders.
	maxPathBytes = 1024
)

// Distinct returns a name that is not yet taken, and adds it to taken.
func Distinct(taken map[string]bool, name string) string {
	ext := path.Ext(name)
	if strings.Trim(path.Base(name), ".") == strings.TrimPrefix(ext, ".") {
		ext = "" // a name such as .profile
	}
	stem, unique := strings.TrimSuffix(name, ext), name
	for n := 2; taken[unique]; n++ {
		unique = fmt.Sprintf("%s (%d)%s", stem, n, ext)
	}
	taken[unique] = true
	return unique
}

// CleanPath returns a relative path with / between its folders, which does not
// leave its root. It reduces an absolute path to its last name, because the
// folders reveal details of the client's machine.
func CleanPath(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	if strings.HasPrefix(name, "/") || (len(name) > 1 && name[1] == ':') {
		return Clean(name)
	}
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		if part = strings.TrimSpace(part); part != "" && part != "." && part != ".." {
			parts = append(parts, Clean(part))
		}
	}
	clean := strings.Join(parts, "/")
	if clean == "" || len(clean) > maxPathBytes {
		return Clean(name)
	}
	return clean
}

// Clean returns a file name without folders, control characters, and characters
// that change the direction of text. The result has at most MaxBytes bytes.
func Clean(name string) string {
	name = strings.ToValidUTF8(strings.ReplaceAll(name, `\`, "/"), "")
	name = path.Base(name)
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '/' {
			return -1
		}
		return r
	}, name)
	for len(name) > MaxBytes {
		name = strings.ToValidUTF8(name[:MaxBytes], "")
	}
	if name = strings.TrimSpace(name); name == "" || name == "." || name == ".." {
		return "file"
	}
	return name
}
