package tool

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"docent/internal/fault"
)

const (
	// MaxSkill limits the text of a skill, in bytes.
	MaxSkill = 64 << 10
	// MaxSkills limits the skills of an agent.
	MaxSkills = 256
	// maxField limits a multi-line value in front matter, in bytes.
	maxField = 4 << 10
	// maxSkillName limits the name of a skill, in characters.
	maxSkillName = 200
)

// Skill is an instruction for a kind of task, written in Markdown.
type Skill struct {
	// Name is the unique name of the skill.
	Name string
	// Description says in one line when to use the skill. It may be "".
	Description string
	// Content is the instruction, without front matter.
	Content string
}

// LoadSkills reads the files *.md at the top of a folder, such as os.DirFS(path) or an embedded one, by name. It skips
// unreadable files. The error gives the reason for each; skills may come with an error.
func LoadSkills(folder fs.FS) ([]Skill, error) {
	files, err := fs.Glob(folder, "*.md")
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "skills_folder_unreadable", "the folder of skills cannot be read")
	}
	if files == nil {
		if _, err := fs.Stat(folder, "."); err != nil { // Glob ignores it
			return nil, fault.Wrap(fault.Invalid, err, "skills_folder_unreadable", "the folder of skills cannot be read")
		}
	}
	var skills []Skill
	var problems []error
	for i, file := range files {
		if i == MaxSkills {
			problems = append(problems, fault.New(fault.Invalid,
				"skills_folder_too_many", "there are %d skills; docent uses only %d", len(files), MaxSkills))
			break
		}
		s, err := loadSkill(folder, file)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		skills = append(skills, s)
	}
	return skills, errors.Join(problems...)
}

func loadSkill(folder fs.FS, file string) (Skill, error) {
	// Check the mode before opening, because opening a pipe would block.
	if info, err := fs.Stat(folder, file); err != nil || !info.Mode().IsRegular() {
		return Skill{}, fault.Wrap(fault.Invalid, errors.Join(err, fs.ErrInvalid),
			"skill_missing", "skill %s: there is no such file", file)
	}
	f, err := folder.Open(file)
	if err != nil {
		return Skill{}, fault.Wrap(fault.Invalid, err, "skill_unopened", "skill %s: it cannot be opened", file)
	}
	defer f.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(f, MaxSkill+1))
	if err != nil {
		return Skill{}, fault.Wrap(fault.Invalid, err, "skill_unreadable", "skill %s: it cannot be read", file)
	}
	s, err := parseSkill(string(text))
	if err == nil {
		if s.Name == "" {
			s.Name = strings.TrimSuffix(file, path.Ext(file))
		}
		s, err = s.checked()
	}
	if err != nil {
		return Skill{}, fault.Wrap(fault.Invalid, err, "named_reason", "%s: %s", file, fault.TextOf(err))
	}
	return s, nil
}

// Prompt renders the skill for the system prompt.
func (s Skill) Prompt() string {
	head := "## Skill: " + s.Name + "\n"
	if s.Description != "" {
		head += s.Description + "\n"
	}
	return head + "\n" + s.Content
}

func (s Skill) checked() (Skill, error) {
	switch {
	case s.Name == "":
		return Skill{}, fault.New(fault.Invalid,
			"skill_without_name", "a skill has no name: give one in its front matter or as a heading in its first line")
	case utf8.RuneCountInString(s.Name) > maxSkillName || strings.ContainsAny(s.Name, "\n\r\x00"):
		return Skill{}, fault.New(fault.Invalid, "skill_name_too_long", "a skill's name is one line of at most %d characters", maxSkillName)
	case s.Content == "":
		return Skill{}, fault.New(fault.Invalid, "skill_empty", "the skill %s has no content", s.Name)
	}
	return s, nil
}

func parseSkill(text string) (Skill, error) {
	if len(text) > MaxSkill {
		return Skill{}, fault.New(fault.Invalid, "skill_too_large", "a skill has at most %d bytes", MaxSkill)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Skill{}, fault.New(fault.Invalid, "skill_not_utf8", "a skill is UTF-8 text")
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	fields, content := frontMatter(text)
	s := Skill{Name: fields["name"], Description: fields["description"], Content: strings.TrimSpace(content)}
	if first, _, _ := strings.Cut(s.Content, "\n"); s.Name == "" && strings.HasPrefix(first, "# ") {
		s.Name = strings.TrimSpace(first[2:])
	}
	return s, nil
}

// fieldLine matches a line of front matter.
var fieldLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9_-]*)\s*:(?:\s+(.*))?$`)

// frontMatter splits text into the fields of its front matter and the rest. Front matter is plain "key: value" and not
// YAML, so that a value may contain a colon. As in YAML, a value may continue in indented lines.
func frontMatter(text string) (map[string]string, string) {
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return nil, text
	}
	fields := map[string]string{}
	key := ""
	for len(rest) > 0 {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if strings.TrimRight(line, " \t") == "---" {
			return fields, rest
		}
		if m := fieldLine.FindStringSubmatch(line); m != nil {
			key = strings.ToLower(m[1])
			fields[key] = unquote(strings.TrimSpace(m[2]))
		} else if key != "" && strings.HasPrefix(line, " ") && len(fields[key]) < maxField {
			fields[key] = continued(fields[key], line)
		}
	}
	return nil, text // it never ended: a rule, not front matter
}

// continued appends a line to a value. The value may be only YAML's sign that lines follow.
func continued(value, line string) string {
	if strings.Trim(value, "+-") == ">" || strings.Trim(value, "+-") == "|" {
		value = ""
	}
	return strings.TrimSpace(value + " " + strings.TrimSpace(line))
}

func unquote(s string) string {
	for _, q := range []string{`"`, `'`} {
		if len(s) >= 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}

// Heading lines of a skill, outside of code blocks.
var (
	headingLine = regexp.MustCompile(`^#{1,6}\s+(.+?)\s*#*$`)
	fenceLine   = regexp.MustCompile("^\\s{0,3}(```|~~~)")
)

// headings returns the headings of a Markdown text.
func headings(text string) []string {
	var out []string
	fence := ""
	for line := range strings.SplitSeq(text, "\n") {
		if m := fenceLine.FindStringSubmatch(line); m != nil {
			switch fence {
			case "":
				fence = m[1]
			case m[1]:
				fence = ""
			}
			continue
		}
		if m := headingLine.FindStringSubmatch(line); fence == "" && m != nil {
			out = append(out, m[1])
		}
	}
	return out
}
