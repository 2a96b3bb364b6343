package tool

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"docent/internal/fault"
)

func TestParseSkill(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		argument, text string
		want           Skill
	}{
		"front matter": {"", "---\nname: \"Refunds\"\ndescription: Use when: money is due\nversion: 2\n---\n# Title\nDo it.\n", Skill{"Refunds", "Use when: money is due", "# Title\nDo it."}},
		"argument":     {"given", "---\nname: other\n---\nText", Skill{"given", "", "Text"}},
		"heading":      {"", "\n# The name \n\nText", Skill{"The name", "", "# The name \n\nText"}},
		"windows":      {"", "\uFEFF---\r\nname: 'x'\r\n---\r\nText\r\nmore", Skill{"x", "", "Text\nmore"}},
		"folded":       {"", "---\nname: x\ndescription: >-\n  one\n  two\n---\nText", Skill{"x", "one two", "Text"}},
		"goes on":      {"", "---\nname: x\ndescription: one\n  two\n---\nText", Skill{"x", "one two", "Text"}},
		"a rule":       {"x", "---\nname: y\nText", Skill{"x", "", "---\nname: y\nText"}},
		"one quote":    {"", "---\nname: \"\n---\nText", Skill{`"`, "", "Text"}},
	} {
		got, err := parseNamed(tc.argument, tc.text)
		if err != nil || got != tc.want {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	for name, text := range map[string]string{
		"no name": "Text", "empty": "", "no content": "---\nname: x\n---\n \n", "binary": "# x\n\x00", "latin": "# x\n\xe9",
		"long": "# x\n" + strings.Repeat("x", MaxSkill), "long name": "# " + strings.Repeat("x", 300) + "\ntext",
	} {
		if _, err := parseNamed("", text); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	s := Skill{"a", "b", "c"}
	if got := s.Prompt(); got != "## Skill: a\nb\n\nc" {
		t.Errorf("prompt %q", got)
	}
	if got := (Skill{Name: "a", Content: "c"}).Prompt(); got != "## Skill: a\n\nc" {
		t.Errorf("prompt %q", got)
	}
}

func TestLoadSkills(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"b.md": "Plain text", "a.md": "# Named\ntext", "bad.md": "---\nname: bad\n---\n", "notes.txt": "no", "sub/c.md": "no",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, "folder.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	skills, err := LoadSkills(os.DirFS(folder))
	if len(skills) != 2 || skills[0].Name != "Named" || skills[1].Name != "b" {
		t.Errorf("skills %+v", skills)
	}
	if text := err.Error(); !strings.Contains(text, "bad.md: the skill bad has no content") || !strings.Contains(text, "folder.md: there is no such file") || strings.Contains(text, folder) {
		t.Errorf("problems: %s", text)
	}
	if _, err := LoadSkills(os.DirFS(filepath.Join(folder, "no"))); fault.KindOf(err) != fault.Invalid {
		t.Errorf("no folder: %v", err)
	}
	if skills, err := LoadSkills(fstest.MapFS{}); err != nil || skills != nil {
		t.Errorf("empty folder: %v, %v", skills, err)
	}
	many := fstest.MapFS{}
	for i := range MaxSkills + 1 {
		many[strings.Repeat("x", i+1)+".md"] = &fstest.MapFile{Data: []byte("text")}
	}
	if skills, err := LoadSkills(many); len(skills) > MaxSkills || err == nil {
		t.Errorf("%d skills, %v", len(skills), err)
	}
}

func someSkills() []Skill {
	return []Skill{
		{"sql-style", "How to write SQL queries for the warehouse", "## Naming tables\n## Joins\n## Indexes"},
		{"invoices", "Use when the user asks about invoices, payments or refunds", "## Finding an invoice\n## Refund rules\n## Taxes"},
		{"release-notes", "Write release notes from a list of commits", "## Format\n## Tone\n```\n# no heading\n```\n## Examples"},
		{"meeting-minutes", "Summarise a meeting transcript into minutes with decisions and action items", "## Steps\n## Output"},
		{"python-debugging", "Debug failing Python tests and stack traces", "## Reproduce\n## Bisect\n## Fix"},
		{"travel-policy", "Rules for booking flights and hotels", "## Flights\n## Hotels\n## Expenses"},
		{"greeting", "", "Be polite and greet people by name."},
	}
}

func TestRelevantSkills(t *testing.T) {
	t.Parallel()
	s, err := NewSkills(t.Context(), SkillsConfig{Skills: someSkills()})
	if err != nil {
		t.Fatal(err)
	}
	for question, want := range map[string][]string{
		"How do I get my money back for order 12?":         {"invoices"},
		"what is the refund policy":                        {"invoices"},
		"please write a query that joins users and orders": {"sql-style"},
		"my pytest run fails with KeyError":                {"python-debugging"},
		"summarize yesterday's meeting":                    {"meeting-minutes"},
		"can I fly business class to Tokyo?":               {"travel-policy"},
		"use the Release Notes skill":                      {"release-notes"},
		"what is the capital of France?":                   nil,
		"and for Spain?":                                   nil,
		"":                                                 nil,
	} {
		got, err := s.Relevant(t.Context(), question, 1)
		if err != nil || !slices.Equal(names(got), want) {
			t.Errorf("%q: %v, %v", question, names(got), err)
		}
	}
	if got, _ := s.Relevant(t.Context(), "", 7); len(got) != 7 {
		t.Errorf("few short skills are not always there: %v", names(got))
	}
	if got, _ := s.Relevant(t.Context(), "travel policy and invoices", 2); !slices.Equal(names(got), []string{"invoices", "travel-policy"}) {
		t.Errorf("two: %v", names(got))
	}
	if got, _ := s.Relevant(t.Context(), "invoices", 0); got != nil {
		t.Errorf("none: %v", names(got))
	}
	long := someSkills()[:2]
	long[0].Content += strings.Repeat("\nx", 5000)
	if s, err = NewSkills(t.Context(), SkillsConfig{Skills: long}); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Relevant(t.Context(), "what is the refund policy", 3); !slices.Equal(names(got), []string{"invoices"}) {
		t.Errorf("a long one: %v", names(got))
	}
	for name, skills := range map[string][]Skill{"twice": {long[1], long[1]}, "no name": {{Content: "x"}}, "many": make([]Skill, MaxSkills+1)} {
		if _, err := NewSkills(t.Context(), SkillsConfig{Skills: skills}); fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func names(skills []Skill) []string {
	var out []string
	for _, s := range skills {
		out = append(out, s.Name)
	}
	return out
}

// parseNamed reads a skill. A name that is not "" replaces that of the text.
func parseNamed(name, text string) (Skill, error) {
	s, err := parseSkill(text)
	if err != nil {
		return Skill{}, err
	}
	s.Name = cmp.Or(name, s.Name)
	return s.checked()
}

func FuzzParseSkill(f *testing.F) {
	for _, seed := range []string{"---\nname: x\n---\ntext", "---\n---\n", "---\nname:\n  >\n---\n# y", "# x", "```\n# x\n~~~\n", "---\nname: |\n a\n---\nb"} {
		f.Add("", seed)
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		s, err := parseNamed(name, text)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%v", err)
			}
			return
		}
		if s.Name == "" || s.Content == "" || strings.ContainsAny(s.Name, "\n\x00") || len(s.about()) == 0 {
			t.Errorf("%+v", s)
		}
	})
}
