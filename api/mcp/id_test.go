package mcp

import (
	"testing"

	"docent/internal/fault"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]struct {
		collection string
		document   int64
	}{
		"docent://default/1":                 {"default", 1},
		"docent://my%20papers/20":            {"my papers", 20},
		"docent://Gr%C3%B6%C3%9Fe/3":         {"Größe", 3},
		"docent://a%26b%2Bc%3A80%3F%23%25/4": {"a&b+c:80?#%", 4},
		"docent:///7":                        {"", 7},
	} {
		collection, document, err := parseID(id)
		if err != nil || collection != want.collection || document != want.document || idOf(collection, document) != id {
			t.Errorf("%s: %q, %d, %v", id, collection, document, err)
		}
	}
	for _, id := range []string{
		"", "1", "docent://", "docent://default", "docent://default/", "docent://default/0", "docent://default/-1", "docent://default/01",
		"docent://default/+1", "docent://default/1/", "docent://default/1?x", "docent://a/b/1", "docent://a%2Fb/1", "docent://a%00/1",
		"docent://a+b/1", "docent://%zz/1", "docent://%ff/1", "https://default/1", "DOCENT://default/1", "docent://default/9223372036854775808",
	} {
		if _, _, err := parseID(id); fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// FuzzID checks that parseID accepts the ids of idOf and no others.
func FuzzID(f *testing.F) {
	for _, id := range []string{"docent://default/1", "docent://my%20papers/20", "docent://%C3/1", "docent://", ""} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		collection, document, err := parseID(id)
		if err == nil && (document <= 0 || idOf(collection, document) != id) {
			t.Errorf("%q is %q, %d", id, collection, document)
		}
		if err != nil && fault.KindOf(err) != fault.NotFound {
			t.Errorf("%q: %v", id, err)
		}
	})
}

func TestParts(t *testing.T) {
	t.Parallel()
	const text = "aößz"
	for _, c := range []struct {
		start, limit int
		want         string
	}{{0, 100, text}, {0, 2, "a"}, {0, 3, "aö"}, {1, 1, "ö"}, {3, 1, "ß"}, {6, 10, ""}, {5, 1, "z"}} {
		if got := part(text, c.start, c.limit); got != c.want {
			t.Errorf("%d, %d: %q, want %q", c.start, c.limit, got, c.want)
		}
	}
}
