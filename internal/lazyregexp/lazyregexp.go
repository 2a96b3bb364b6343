// Package lazyregexp has regular expressions that are compiled at their first use. docent has
// hundreds of them. Compiling all of them takes longer than most commands, and longer than a worker
// needs to read a document.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression. Its methods are those of regexp.Regexp. It is safe for concurrent
// use.
type Regexp struct {
	pattern  string
	compiled func() *regexp.Regexp
}

// all are the patterns of this program. Only the initialization of packages appends to it.
var all []string

// New returns a regular expression for a variable of a package. Its first use panics if the pattern
// is invalid.
func New(pattern string) *Regexp {
	all = append(all, pattern)
	return &Regexp{pattern, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })}
}

// All returns the patterns of this program, so that a test can check them.
func All() []string { return all }

// String returns the pattern.
func (r *Regexp) String() string { return r.pattern }

// SubexpNames returns the names of the groups.
func (r *Regexp) SubexpNames() []string { return r.compiled().SubexpNames() }

// MatchString reports whether s contains a match.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// Match reports whether b contains a match.
func (r *Regexp) Match(b []byte) bool { return r.compiled().Match(b) }

// FindString returns the first match in s.
func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

// FindStringIndex returns the place of the first match in s.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch returns the first match in s with its groups.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex returns the places of the first match in s and of its groups.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindSubmatch returns the first match in b with its groups.
func (r *Regexp) FindSubmatch(b []byte) [][]byte { return r.compiled().FindSubmatch(b) }

// FindAllString returns up to n matches in s; -1 is all.
func (r *Regexp) FindAllString(s string, n int) []string { return r.compiled().FindAllString(s, n) }

// FindAllStringIndex returns the places of up to n matches in s.
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

// FindAllStringSubmatch returns up to n matches in s with their groups.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// FindAllStringSubmatchIndex returns the places of up to n matches in s and of their groups.
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringSubmatchIndex(s, n)
}

// FindAllIndex returns the places of up to n matches in b.
func (r *Regexp) FindAllIndex(b []byte, n int) [][]int { return r.compiled().FindAllIndex(b, n) }

// FindAllSubmatch returns up to n matches in b with their groups.
func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.compiled().FindAllSubmatch(b, n)
}

// ReplaceAllString replaces each match in s by a template.
func (r *Regexp) ReplaceAllString(s, template string) string {
	return r.compiled().ReplaceAllString(s, template)
}

// ReplaceAllStringFunc replaces each match in s by the result of a function.
func (r *Regexp) ReplaceAllStringFunc(s string, replace func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, replace)
}

// ReplaceAll replaces each match in b by a template.
func (r *Regexp) ReplaceAll(b, template []byte) []byte { return r.compiled().ReplaceAll(b, template) }

// Split divides s at up to n-1 matches; n of -1 is all.
func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
