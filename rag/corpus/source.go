package corpus

import (
	"path"
	"strings"
)

// ShortSource returns the folder and the name of a source that is an absolute path,
// and other sources unchanged. It is for readers who should not learn the folders of
// the server.
func ShortSource(source string) string {
	slashed := strings.ReplaceAll(source, `\`, "/")
	if !strings.HasPrefix(slashed, "/") && !hasDrive(slashed) {
		return source
	}
	file, part, isPart := strings.Cut(slashed, "#") // a part of an archive or a mailbox
	folder, name := path.Split(file)
	short := path.Join(path.Base(folder), name)
	short = strings.TrimPrefix(short, "/")
	if isPart {
		short += "#" + part
	}
	return short
}

// hasDrive reports whether a path begins with a drive of Windows.
func hasDrive(p string) bool {
	return len(p) > 2 && p[1:3] == ":/" && (p[0] >= 'A' && p[0] <= 'Z' || p[0] >= 'a' && p[0] <= 'z')
}
