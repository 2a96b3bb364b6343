package match

import "testing"

func TestFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		include, exclude string
		path             string
		want             bool
	}{
		{"", "", "a/b.md", true},
		{"", "", "a/.git/b", false},
		{"*.md", "", "a/b.md", true},
		{"*.md", "", "b.md", true},
		{"*.md", "", "b.mdx", false},
		{"docs", "", "docs/a/b.txt", true},
		{"docs/", "", "x/docs/a.txt", true},
		{"/docs", "", "x/docs/a.txt", false},
		{"docs/*.md", "", "docs/a.md", true},
		{"docs/*.md", "", "docs/a/b.md", false},
		{"docs/**/*.md", "", "docs/a/c/b.md", true},
		{"docs/**/*.md", "", "docs/b.md", true},
		{"docs/**", "", "docs/a/b", true},
		{"a?c", "", "abc", true},
		{"a?c", "", "a/c", false},
		{"a+(b", "", "a+(b", true},
		{"", "vendor", "x/vendor/y.go", false},
		{"*.md", "docs/old", "docs/old/a.md", false},
		{"*.md", "docs/old", "docs/older/a.md", true},
		{"日本/*", "", "日本/x", true},
	} {
		list := func(p string) []string {
			if p == "" {
				return nil
			}
			return []string{p}
		}
		f, err := New(list(c.include), list(c.exclude), false)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Allows(c.path); got != c.want {
			t.Errorf("include %q, exclude %q, path %q: %v", c.include, c.exclude, c.path, got)
		}
	}
	for _, p := range []string{"", "/", "//"} {
		if _, err := New([]string{p}, nil, false); err == nil {
			t.Errorf("pattern %q is accepted", p)
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("docs/**/*.m?", "docs/a/b.md")
	f.Fuzz(func(_ *testing.T, pattern, path string) {
		if filter, err := New([]string{pattern}, []string{pattern}, true); err == nil {
			filter.Allows(path)
		}
	})
}
