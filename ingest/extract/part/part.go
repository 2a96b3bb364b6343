// Package part defines documents inside other documents and their names.
package part

import (
	"path"
	"strconv"
	"strings"
	"time"
	"unicode"

	"docent/internal/fault"
	"docent/rag/text"
)

// Part is a document inside another one: a file in an archive, an attachment of
// a mail, or a message in a mailbox.
type Part struct {
	// Name is the path of the part inside the container, with slashes. It is unique
	// in the container. It does not change when other parts of the container
	// change.
	Name string
	// Data is the content.
	Data []byte
	// Modified is the modification time of the part; zero if unknown.
	Modified time.Time
	// Reason says why the part cannot be read; Data is nil then.
	Reason fault.Text
}

const (
	// maxName bounds the bytes of one path element.
	maxName = 200
	// maxDepth bounds the elements of a path.
	maxDepth = 32
)

// Clean converts a name in a container to a relative path with slashes. It
// removes drive letters, empty elements, "." and "..", and control characters.
// The result may be "".
func Clean(name string) string {
	name = strings.ToValidUTF8(name, "_")
	name = strings.ReplaceAll(name, "\\", "/")
	if len(name) > 1 && name[1] == ':' && unicode.IsLetter(rune(name[0])) {
		name = name[2:]
	}
	var elements []string
	for e := range strings.SplitSeq(name, "/") {
		e = strings.Map(func(r rune) rune {
			if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
				return -1
			}
			return r
		}, e)
		e = strings.TrimSpace(e)
		if e == "" || e == "." || e == ".." {
			continue
		}
		elements = append(elements, shorten(e))
	}
	if len(elements) > maxDepth {
		elements = elements[len(elements)-maxDepth:]
	}
	return strings.Join(elements, "/")
}

// shorten truncates a long path element but keeps its ending.
func shorten(e string) string {
	if len(e) <= maxName {
		return e
	}
	ending := path.Ext(e)
	if len(ending) > 16 {
		ending = ""
	}
	return text.Head(e, maxName-len(ending)) + ending
}

// Names makes names unique within one container. Its zero value is ready to
// use.
type Names struct {
	used map[string]int
}

// Unique returns a unique form of name. If it has returned name before, it adds a
// number before the file extension.
func (n *Names) Unique(name string) string {
	if n.used == nil {
		n.used = make(map[string]int)
	}
	count, taken := n.used[name]
	if !taken {
		n.used[name] = 1
		return name
	}
	ending := path.Ext(name)
	stem := strings.TrimSuffix(name, ending)
	for {
		count++
		candidate := stem + "-" + strconv.Itoa(count) + ending
		if _, taken := n.used[candidate]; !taken {
			n.used[name], n.used[candidate] = count, 1
			return candidate
		}
	}
}

// hidden are the names of files and folders of version control and file
// managers, which contain no documents.
var hidden = map[string]bool{
	"__macosx": true, "thumbs.db": true, "desktop.ini": true, "ehthumbs.db": true, "cvs": true,
}

// IsHidden reports whether a path belongs to a hidden file or folder, to
// version control, or to a file manager.
func IsHidden(name string) bool {
	for e := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(e, ".") || hidden[strings.ToLower(e)] {
			return true
		}
	}
	return false
}
