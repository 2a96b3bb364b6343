package text

import "testing"

var handbook = NamesOf("Employee Handbook", "/docs/employee-handbook.md", "employee-handbook.md", "Warranty", "warranty.md", "")

func TestDropSources(t *testing.T) {
	t.Parallel()
	const answer = "It is 27 days [1]. Two more later [2]."
	for _, list := range []string{
		"\n\n**Sources:**\n[1] employee-handbook.md\n[2] warranty.md", "\n\n## References\n\n1. employee-handbook.md\n2. warranty.md\n",
		"\n\nSources:\n- [1] a.md\n- [2] b.md", "\n\n[^1]: employee-handbook.md", "\n\nSources: [1] a.md, [2] b.md", "\n\nQuellen:\n[1] a.md", "\n\n**Sources:**",
		"\n\nSources:\n- employee-handbook.md\n- [Warranty](docent://default/2)", "\n\nSource: employee-handbook.md",
	} {
		if got := DropSources(answer+list, handbook); got != answer {
			t.Errorf("%q becomes %q", answer+list, got)
		}
	}
	for _, s := range []string{
		answer, "Sources:\n[1] a.md", "Do this:\n\n1. Open it [1].\n2. Close it [2].", "There are two sources: one and two.",
		answer + "\n\nSources:\nThe handbook says so.", "```\nx\nSources:\n1. a",
	} {
		if got := DropSources(s, handbook); got != s {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

func TestMarkersInOtherForms(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"27 days [[1]](#1).": "27 days [1].", "27 days [1](employee-handbook.md).": "27 days [1].", "27 days [Source: 1].": "27 days [1].",
		"27 days (passage 1).": "27 days [1].", "27 days (Source 9).": "27 days.", "27 days [id=2].": "27 days [2].",
		"27 days (1).": "27 days (1).", "27 days [1](about 5 days).": "27 days [1](about 5 days).", "see [[wiki]](#1)": "see [[wiki]](#1)",
	} {
		if got := ResolveMarkers(s, 2); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}

// TestDropNames drops citations by the names of documents, and leaves other brackets.
func TestDropNames(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"27 days (Source: employee-handbook.md).":                     "27 days.",
		"27 days [Source: Employee Handbook].":                        "27 days.",
		"27 days【employee-handbook.md】. More.":                        "27 days. More.",
		"27 days [employee-handbook.md](employee-handbook.md).":       "27 days.",
		"27 days [Employee Handbook](docent://default/2).":            "27 days.",
		"27 days (Sources: warranty.md, employee-handbook.md).":       "27 days.",
		"27 days (employee-handbook.md).":                             "27 days.",
		"According to [Employee Handbook](docent://x), it is 27 days": "According to Employee Handbook, it is 27 days",
		"See [the form](https://example.com/form).":                   "See [the form](https://example.com/form).",
		"27 days (warranty), see `[Warranty]`.":                       "27 days (warranty), see `[Warranty]`.",
		"27 days (Source: another.md).":                               "27 days (Source: another.md).",
	} {
		if got := DropNames(s, handbook); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	}
}
