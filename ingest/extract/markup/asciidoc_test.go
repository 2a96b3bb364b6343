package markup_test

import (
	"testing"

	"docent/ingest/extract/markup"
)

func TestAsciiDoc(t *testing.T) {
	t.Parallel()
	golden(t, markup.Adoc, "pump.adoc")
}

func FuzzAsciiDoc(f *testing.F) {
	fuzz(f, markup.Adoc, "a::\nb\n+\n--\nc\n--\n", "|===\n|a 2+|b\n|===")
}

// TestOrderedLists checks that the items of ordered lists keep their numbers, and
// nested items their indentation.
func TestOrderedLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		read       read
		text, want string
	}{
		{markup.Adoc, ". a\n.. b\n.. c\n. d\n.. e\n* f\n\n. g\n\nText.\n\n. h\n", "1. a\n   1. b\n   2. c\n2. d\n   1. e\n      - f\n3. g\n\nText.\n1. h"},
		{markup.Adoc, "* a\n. b\n. c\n* d\n. e\n", "- a\n   1. b\n   2. c\n- d\n   1. e"},
		{markup.Adoc, "[start=4]\n. a\n+\nmore\n. b\n", "4. a\nmore\n5. b"},
		{markup.Adoc, "1. a\n2. b\na. c\n", "1. a\n2. b\n   a. c"},
		{markup.Adoc, "one::\n. a\n. b\ntwo::\n. c\n", "one\n1. a\n2. b\n\ntwo\n1. c"},
		{markup.RST, "#. a\n\n   #. b\n   #. c\n\n#. d\n\n   - e\n\n#. f\n\nText.\n\n#. g\n", "1. a\n   1. b\n   2. c\n2. d\n   - e\n3. f\n\nText.\n1. g"},
		{markup.RST, "3. a\n#. b\n", "3. a\n4. b"},
		{markup.RST, "1. a\n2. b\n", "1. a\n2. b"},
		{markup.RST, "(#) a\n(#) b\n\n.. note::\n\n   #. c\n\n#. d\n", "(1) a\n(2) b\n1. Note: c\n1. d"},
	} {
		doc, err := c.read(t.Context(), "", []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		verify(t, doc)
		if doc.Text != c.want {
			t.Errorf("%q:\n%s\nwant\n%s", c.text, doc.Text, c.want)
		}
	}
}
