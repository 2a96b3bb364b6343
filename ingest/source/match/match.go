// Package match selects the files of a source by patterns.
package match

import (
	"regexp"
	"strings"

	"docent/ingest/format"
	"docent/internal/fault"
)

// maxPattern bounds the length of one pattern, and maxPatterns their number.
const (
	maxPattern  = 500
	maxPatterns = 200
)

// Filter selects paths. The zero value selects all paths that are not hidden.
type Filter struct {
	include, exclude []*regexp.Regexp
	// named are the include patterns that name files, such as *.css.
	named  []*regexp.Regexp
	hidden bool
}

// New returns a filter. It selects a path that matches an include pattern and no
// exclude pattern. Without include patterns, it includes all paths. It omits
// files and folders whose names begin with a dot, unless hidden is set. It also omits files that
// format.Skip names, unless an include pattern names them, such as *.css.
//
// In a pattern, * matches any characters of one name, ? matches one character,
// and ** matches any number of folders. A pattern without a slash matches names
// at any depth. Other patterns match from the top. A pattern that matches a
// folder also matches everything below it.
func New(include, exclude []string, hidden bool) (Filter, error) {
	f := Filter{hidden: hidden}
	var err error
	if f.include, err = compile("include", include); err != nil {
		return Filter{}, err
	}
	for i, p := range include {
		if strings.Contains(p[strings.LastIndexByte(strings.TrimSuffix(p, "/"), '/')+1:], ".") {
			f.named = append(f.named, f.include[i])
		}
	}
	f.exclude, err = compile("exclude", exclude)
	return f, err
}

func compile(field string, patterns []string) ([]*regexp.Regexp, error) {
	if len(patterns) > maxPatterns {
		return nil, fault.New(fault.Invalid, "patterns_too_many", "%s: there are more than %d patterns", field, maxPatterns)
	}
	var out []*regexp.Regexp
	for _, p := range patterns {
		if strings.Trim(p, "/") == "" || len(p) > maxPattern {
			return nil, fault.New(fault.Invalid, "pattern_invalid", "%s: %q is not a pattern", field, p)
		}
		re, err := regexp.Compile(expression(p))
		if err != nil {
			return nil, fault.Wrap(fault.Invalid, err, "pattern_invalid", "%s: %q is not a pattern", field, p)
		}
		out = append(out, re)
	}
	return out, nil
}

// expression converts a pattern to a regular expression.
func expression(p string) string {
	anchored := strings.Contains(strings.TrimSuffix(p, "/"), "/")
	p = strings.Trim(p, "/")
	var b strings.Builder
	b.WriteString("(?s)^")
	if !anchored {
		b.WriteString("(?:.*/)?")
	}
	for p != "" {
		switch {
		case strings.HasPrefix(p, "**/"):
			b.WriteString("(?:.*/)?")
			p = p[3:]
		case strings.HasPrefix(p, "**"):
			b.WriteString(".*")
			p = p[2:]
		case p[0] == '*':
			b.WriteString("[^/]*")
			p = p[1:]
		case p[0] == '?':
			b.WriteString("[^/]")
			p = p[1:]
		default:
			n := strings.IndexAny(p, "*?")
			if n < 0 {
				n = len(p)
			}
			b.WriteString(regexp.QuoteMeta(p[:n]))
			p = p[n:]
		}
	}
	b.WriteString("(?:/.*)?$")
	return b.String()
}

// Allows reports whether a path with slashes is selected.
func (f Filter) Allows(path string) bool {
	if f.Excludes(path) || !format.Skip(path).IsZero() && !matches(f.named, path) {
		return false
	}
	return len(f.include) == 0 || matches(f.include, path)
}

// matches reports whether one of the patterns matches a path.
func matches(patterns []*regexp.Regexp, path string) bool {
	for _, re := range patterns {
		if re.MatchString(path) {
			return true
		}
	}
	return false
}

// Excludes reports whether a path and everything below it are excluded.
func (f Filter) Excludes(path string) bool {
	if !f.hidden && (strings.HasPrefix(path, ".") || strings.Contains(path, "/.")) {
		return true
	}
	return matches(f.exclude, path)
}
