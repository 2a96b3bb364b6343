package ingest

import (
	"bufio"
	"bytes"
	"path"
	"strings"
)

// IgnoreFile is the name of files with patterns in the syntax of .gitignore. Such
// a file excludes matching files in its folder and below.
const IgnoreFile = ".docentignore"

// ignoreRule is one line of an ignore file.
type ignoreRule struct {
	base     string   // folder of the ignore file, relative to the root of the walk; "" is the root
	segments []string // parts of the pattern; "**" matches any number of folders
	negate   bool     // includes files that an earlier rule excluded
	folders  bool     // matches only folders
}

// parseIgnore parses an ignore file. base is its folder.
func parseIgnore(base string, data []byte) []ignoreRule {
	var rules []ignoreRule
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	for scanner := bufio.NewScanner(bytes.NewReader(data)); scanner.Scan(); {
		line := strings.TrimSuffix(scanner.Text(), "\r")
		for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
			line = line[:len(line)-1]
		}
		r := ignoreRule{base: base}
		switch {
		case line == "" || line[0] == '#':
			continue
		case line[0] == '!':
			r.negate, line = true, line[1:]
		case strings.HasPrefix(line, `\#`), strings.HasPrefix(line, `\!`):
			line = line[1:]
		}
		if strings.HasSuffix(line, "/") {
			r.folders, line = true, strings.TrimSuffix(line, "/")
		}
		anchored := strings.Contains(line, "/")
		line = strings.TrimPrefix(line, "/")
		if line == "" {
			continue
		}
		r.segments = strings.Split(line, "/")
		if !anchored {
			r.segments = []string{"**", line}
		}
		rules = append(rules, r)
	}
	return rules
}

// ignored reports whether the rules exclude a file or folder, or name it with ! as wanted. The path
// is relative to the root of the walk, and its folders are not excluded. The last rule that matches
// decides.
func ignored(rules []ignoreRule, rel string, folder bool) (excluded, wanted bool) {
	for i := len(rules) - 1; i >= 0; i-- {
		r := rules[i]
		if r.folders && !folder {
			continue
		}
		name := rel
		if r.base != "" {
			var below bool
			if name, below = strings.CutPrefix(rel, r.base+"/"); !below {
				continue
			}
		}
		if matchSegments(r.segments, strings.Split(name, "/")) {
			return !r.negate, r.negate
		}
	}
	return false, false
}

// matchSegments matches a path against a pattern. Both are split into parts.
func matchSegments(pattern, name []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(name) > 0
			}
			for i := range name {
				if matchSegments(pattern[1:], name[i:]) {
					return true
				}
			}
			return false
		}
		if len(name) == 0 {
			return false
		}
		if ok, err := path.Match(strings.ReplaceAll(pattern[0], "[!", "[^"), name[0]); err != nil || !ok {
			return false
		}
		pattern, name = pattern[1:], name[1:]
	}
	return len(name) == 0
}
