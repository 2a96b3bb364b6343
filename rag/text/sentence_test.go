package text

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func texts(text string, code bool) []string {
	var out []string
	for _, s := range Sentences(text, code) {
		out = append(out, text[s.Start:s.End])
	}
	return out
}

// TestIndentedProse splits texts whose prose is indented as a whole, such as printed manual pages, and in
// which code still is.
func TestIndentedProse(t *testing.T) {
	t.Parallel()
	text := "        The keel  of the Heron is  made of oak,  and it must be\n        oiled in spring.  The mast is of spruce.\n\n" +
		"        Run this first\n        and then that:\n\n            heron --oil keel\n            heron --check mast\n\n" +
		"        name      value\n        oil       linseed\n"
	var got []string
	for _, s := range Sentences(text, false) {
		if s.Kind == CodeSentence {
			got = append(got, "code")
		} else {
			got = append(got, strings.Join(strings.Fields(text[s.Start:s.End]), " "))
		}
	}
	want := []string{
		"The keel of the Heron is made of oak, and it must be oiled in spring.", "The mast is of spruce.",
		"Run this first and then that:", "code", "code",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestSplitSentences(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"plain":          {"One is here. Two is there! Is three?", []string{"One is here.", "Two is there!", "Is three?"}},
		"abbreviations":  {"Use e.g. Postgres, i.e. a database. See Fig. 3 by Dr. Smith.", []string{"Use e.g. Postgres, i.e. a database.", "See Fig. 3 by Dr. Smith."}},
		"no":             {"Is it safe? No. It is not.", []string{"Is it safe?", "No.", "It is not."}},
		"numbers":        {"The default is 0.2. It was 4.1.2 before.", []string{"The default is 0.2.", "It was 4.1.2 before."}},
		"section":        {"See 4.1.2. Constants for more.", []string{"See 4.1.2. Constants for more."}},
		"initial":        {"It is by J. Smith. He wrote it.", []string{"It is by J. Smith.", "He wrote it."}},
		"ellipsis":       {"Run ALTER TABLE ... ADD COLUMN first. Then go.", []string{"Run ALTER TABLE ... ADD COLUMN first.", "Then go."}},
		"quotes":         {`He said "Stop." Then he left.`, []string{`He said "Stop."`, "Then he left."}},
		"parentheses":    {"It is slow (it read all. It is big) and late. (It is new. It works.) End.", []string{"It is slow (it read all. It is big) and late.", "(It is new.", "It works.)", "End."}},
		"markers":        {"It is ten. [1] Not more [2]. Really.[3][4] Yes.", []string{"It is ten. [1]", "Not more [2].", "Really.[3][4]", "Yes."}},
		"identifier":     {"It is on. autovacuum_naptime says how often.", []string{"It is on.", "autovacuum_naptime says how often."}},
		"wide":           {"これは本です。それはペンです。", []string{"これは本です。", "それはペンです。"}},
		"wrapped":        {"This line of text was wrapped at forty-five\ncharacters because the file has short lines.\nIt goes on.", []string{"This line of text was wrapped at forty-five\ncharacters because the file has short lines.", "It goes on."}},
		"term":           {"work_mem (integer)\n\nSets the memory. The default is 4MB.", []string{"work_mem (integer)", "Sets the memory.", "The default is 4MB."}},
		"list":           {"Modes:\n- fast: it is quick. Really.\n- slow\n1. first", []string{"Modes:", "- fast: it is quick.", "Really.", "- slow", "1. first"}},
		"wrapped link":   {"- It is read with\n  [bounded memory](memory.md).\n- Other", []string{"- It is read with\n  [bounded memory](memory.md).", "- Other"}},
		"link text":      {"- It supports the [long\n  policy](https://example.org) of it.\n- Other", []string{"- It supports the [long\n  policy](https://example.org) of it.", "- Other"}},
		"rows":           {"name | size\na | 1\nb | 2. And more.", []string{"name | size", "a | 1", "b | 2. And more."}},
		"terminal":       {"x | y\n---+---\na | 1\n\nEnd.", []string{"x | y\n---+---\na | 1", "End."}},
		"alternatives":   {"DETACH name [ CONCURRENTLY | FINALIZE ]", []string{"DETACH name [ CONCURRENTLY | FINALIZE ]"}},
		"fence":          {"Run this:\n```sh\nmake. Now.\n\nmake test\n```\nDone.", []string{"Run this:", "```sh\nmake. Now.\n\nmake test\n```", "Done."}},
		"code":           {"For example:\n\nSELECT 1;\nSELECT 2;\n\nThat is it.", []string{"For example:", "SELECT 1;\nSELECT 2;", "That is it."}},
		"console":        {"Run this:\n\n$ restic -r repo restore 79766175 --target /tmp/work\nenter password for repository:\nrestoring <Snapshot> to /tmp/work\n\nThat is it.", []string{"Run this:", "$ restic -r repo restore 79766175 --target /tmp/work\nenter password for repository:\nrestoring <Snapshot> to /tmp/work", "That is it."}},
		"price":          {"$ 5 is the price. It is low.", []string{"$ 5 is the price.", "It is low."}},
		"announced line": {"It has this format:\n\nhost:port:user\n\nNothing else.", []string{"It has this format:", "host:port:user", "Nothing else."}},
		"German date":    {"Nächste Sitzung: 2. Juli 2026. Beginn ist um 9. Danach ist Pause.", []string{"Nächste Sitzung: 2. Juli 2026.", "Beginn ist um 9.", "Danach ist Pause."}},
		"empty":          {" \n\t\n", nil},
	} {
		if got := texts(c.text, false); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n got %q\nwant %q", name, got, c.want)
		}
	}
}

func TestSentenceKinds(t *testing.T) {
	t.Parallel()
	text := "work_mem\n\nSets it. See:\n\nSET work_mem = '1MB';\n\n- an item.\n\na | b"
	var got []sentenceKind
	for _, s := range Sentences(text, false) {
		got = append(got, s.Kind)
	}
	want := []sentenceKind{TitleSentence, ProseSentence, ProseSentence, CodeSentence, ItemSentence, RowSentence}
	if !slices.Equal(got, want) {
		t.Errorf("kinds are %v, want %v", got, want)
	}
	if got := texts("a := 1\nb. := 2\n\nfunc f() {}", true); len(got) != 2 {
		t.Errorf("blocks of code are %q", got)
	}
}

func FuzzSplitSentences(f *testing.F) {
	for _, s := range []string{
		"One. Two.", "a | b\n- c\n```\nx\n", "e.g. \xff. 。x", "[1] [2]. [3", "1. a\n\n2.b. C\n\tcode;", "...", "\u2028A.\u0085B", "~~~\n~~~", "x: \n y=1;",
	} {
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, code bool) {
		at := 0
		for _, s := range Sentences(text, code) {
			if s.Start < at || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("sentence %d..%d after %d in %q", s.Start, s.End, at, text)
			}
			if gap := strings.TrimFunc(text[at:s.Start], unicode.IsSpace); gap != "" {
				t.Fatalf("%q is left out of %q", gap, text)
			}
			if part := text[s.Start:s.End]; strings.TrimSpace(part) != part {
				t.Fatalf("white space around %q", part)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[s.Start:s.End]) {
				t.Fatalf("a character is cut in %q", text)
			}
			at = s.End
		}
		if rest := strings.TrimSpace(text[at:]); rest != "" {
			t.Fatalf("%q is left out of %q", rest, text)
		}
	})
}

func TestFenceFromThePassageBefore(t *testing.T) {
	t.Parallel()
	text := "```\n\nAny path takes a WebSocket. A plain one speaks BAF.\n\n```\nwscat -c ws://x\n```\n"
	got := Sentences(text, false)
	if len(got) != 4 || got[1].Kind != ProseSentence || got[3].Kind != CodeSentence {
		t.Errorf("got %+v", got)
	}
	open := "```\nx := 1\ny := 2;\n"
	if got := Sentences(open, false); len(got) != 1 || got[0].Kind != CodeSentence {
		t.Errorf("a block that is not closed became %+v", got)
	}
}

// A passage of Markdown can be mostly code. Its headings and sentences are not code.
func TestSentencesAroundFences(t *testing.T) {
	t.Parallel()
	const passage = "## Python\n\n```python\nimport docent\n```\n\nThe package needs Python 3.10.\n\n```sh\npip install docent\n```"
	var got []sentenceKind
	for _, s := range Sentences(passage, true) {
		got = append(got, s.Kind)
	}
	want := []sentenceKind{TitleSentence, CodeSentence, ProseSentence, CodeSentence}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestCodeOnOneLine: three backticks around code on one line open no block.
func TestCodeOnOneLine(t *testing.T) {
	t.Parallel()
	const passage = "The tokens are in the output of\n\n```influx auth list```\n\nin the first line. Keep them."
	for _, s := range Sentences(passage, false) {
		if s.Kind == CodeSentence {
			t.Errorf("%q is code", passage[s.Start:s.End])
		}
	}
	if OpensFence("```influx auth list```\nand") || !OpensFence("```sh\nx") || openFence(passage) != "" {
		t.Error("code on one line opens a block")
	}
}

// The lines are from the manuals of SQLite, borg, git, and OpenNTPD.
func TestRowsAndAlternatives(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"Description: | How long the server waits\nDefault: | KeepAliveTimeout 5":            true,
		"--port | 8443 | port of the admin page":                                             true,
		"Default: | none":                                                                    true,
		"seal ring | 4000":                                                                   true,
		"| a | b |":                                                                          true,
		"a = b | whether they are equal\na < b | whether a is less":                          true,
		"PRAGMA schema.journal_mode = DELETE | TRUNCATE | PERSIST":                           false,
		"PRAGMA schema.journal_mode;\nPRAGMA schema.synchronous = 0 | OFF | 1;":              false,
		"echo 'your passphrase' | ssh -A borgc@borg-client":                                  false,
		"echo url=https://author@git.example.org | git credential reject\nls -l | sort -n 5": false,
		"keepalive yes | no":                                                                 false,
	} {
		sentences := Sentences(text, false)
		if got := sentences[len(sentences)-1].Kind == RowSentence; got != want {
			t.Errorf("%q ends with a row: %t, want %t", text, got, want)
		}
	}
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"sqlite> .tables":               true,
		"mysql> show tables":            true,
		"MariaDB [(none)]> show grants": true,
		">>> import this":               true,
		"postgres=# table films":        true,
		"user@host:~$ ls":               true,
		"[user@host tmp]$ ls":           true,
		"$ make":                        true,
		"$ 5 is the price":              false,
		"See user@host: it is mail":     false,
	} {
		if got := Sentences(line+"\nThe output reads like prose, and it ends with a stop.", false)[0].Kind == CodeSentence; got != want {
			t.Errorf("%q is code: %t, want %t", line, got, want)
		}
	}
}

// A passage can begin inside a block of code, and a block can contain shorter fences.
func TestPartsOfFences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]sentenceKind{
		"Cut the supply\n\nand wait\n```\n\nThe pump stops. It drains.":              {CodeSentence, ProseSentence, ProseSentence},
		"Cut the supply\n```\n\nThe pump stops.\n\n```\nx\n```\n\nIt drains.":        {CodeSentence, ProseSentence, CodeSentence, ProseSentence},
		"The pump stops:\n```\nx\n```\n\nIt drains.":                                 {ProseSentence, CodeSentence, ProseSentence},
		"````\nA fence:\n```\nx\n```\n````\n\nThe pump stops.":                       {CodeSentence, ProseSentence},
		"The pump stops.\n\n```\nCut the supply\n\nand wait, but not for very long.": {ProseSentence, CodeSentence},
	} {
		var got []sentenceKind
		for _, s := range Sentences(text, false) {
			got = append(got, s.Kind)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}
