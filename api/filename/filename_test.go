package filename

import (
	"path"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"docent/payload"
)

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", ".", "..", "/", "a.md", "../../etc/passwd", `..\..\boot.ini`, "a\x00b", "\xff\xfe", strings.Repeat("ü", 300), " x ", "a\nb", "con", "a/", "a\u202efdp.exe", "\u2067\u200f"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		got := Clean(name)
		if got == "" || got == "." || got == ".." || len(got) > MaxBytes || !utf8.ValidString(got) || strings.ContainsAny(got, `/\`) || strings.ContainsFunc(got, unicode.IsControl) || payload.ReadableName(got) != got {
			t.Errorf("Clean(%q) = %q", name, got)
		}
		if Clean(got) != got {
			t.Errorf("Clean(%q) = %q, not stable", got, Clean(got))
		}
		p := CleanPath(name)
		if p == "" || len(p) > maxPathBytes || !utf8.ValidString(p) || strings.Contains(p, `\`) || strings.ContainsFunc(p, unicode.IsControl) || payload.ReadableName(p) != p || path.Clean("/"+p) != "/"+p {
			t.Errorf("CleanPath(%q) = %q", name, p)
		}
		taken := map[string]bool{p: true}
		if d := Distinct(taken, p); d == p || !taken[d] || path.Dir(d) != path.Dir(p) {
			t.Errorf("Distinct(%q) = %q", p, d)
		}
	})
}
