package talk

import (
	"embed"
	"path"
	"regexp"
	"strings"

	"docent/internal/lazyregexp"
)

// patternFiles are the patterns of messages, a file for each kind and language, such as library.en.txt. A line "[name]" begins
// a section, and each line below it is a pattern of messages in the form of normal. A line "name = …" defines a part, which
// patterns include as {name}. Groups capture nothing unless they have a name. NAME and ABOUT match the name of a document and
// a subject.
//
//go:embed patterns
var patternFiles embed.FS

// section are the patterns of a section in one language.
type section struct {
	name, language string
	patterns       []string
}

var (
	// part matches a part in a pattern.
	part = lazyregexp.New(`\{[a-z]+\}`)
	// slots are the groups of NAME and ABOUT.
	slots = strings.NewReplacer("NAME", `(?P<name>(?:[^ ]+ ){0,5}?[^ ]+?)`, "ABOUT", `(?P<about>.+?)`)
)

// sections returns the patterns of a kind in all languages, in the order of the files. The patterns of a kind are compiled when
// the first message needs them: most processes read no message.
func sections(kind string) []section {
	var out []section
	files, _ := patternFiles.ReadDir("patterns") // embedded files can be read
	for _, f := range files {
		ofKind, language, _ := strings.Cut(strings.TrimSuffix(f.Name(), path.Ext(f.Name())), ".")
		if ofKind != kind {
			continue
		}
		data, _ := patternFiles.ReadFile("patterns/" + f.Name())
		parts := map[string]string{}
		for line := range strings.Lines(string(data)) {
			line = strings.TrimRight(line, "\n")
			name, value, isPart := strings.Cut(line, " = ")
			switch {
			case line == "":
			case isPart:
				parts["{"+name+"}"] = value
			case strings.HasPrefix(line, "["):
				out = append(out, section{name: strings.Trim(line, "[]"), language: language})
			default:
				last := &out[len(out)-1]
				for part.MatchString(line) {
					line = part.ReplaceAllStringFunc(line, func(p string) string { return parts[p] })
				}
				last.patterns = append(last.patterns, slots.Replace(strings.ReplaceAll(strings.ReplaceAll(line, "(", "(?:"), "(?:?", "(?")))
			}
		}
	}
	return out
}

// polite matches the beginning of a polite message.
const polite = `(?:(?:can|could|would|will) you |(?:kannst|könntest|würdest) du |(?:können|könnten) sie |and |so |und |ok )?`

// whole compiles a pattern of whole messages.
func whole(pattern string) *regexp.Regexp {
	return regexp.MustCompile(`^` + polite + `(?:` + pattern + `)$`)
}

// starts compiles patterns of beginnings of messages. It matches as much as it can.
func starts(patterns []string) *regexp.Regexp {
	p := regexp.MustCompile(`^(?:` + strings.Join(patterns, "|") + `)(?: |$)`)
	p.Longest()
	return p
}
