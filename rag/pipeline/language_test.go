package pipeline

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"docent/internal/fault"
	"docent/rag/corpus"
	"docent/rag/retrieve"
	"docent/rag/talk"
)

// TestGermanWords checks that german.json has all sentences of answers, in the words of the page.
func TestGermanWords(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../web/src/words/de/answers.ts")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for id := range sentenceIDs(t) {
		format, ok := germanFormat(string(page), id)
		if !ok {
			t.Errorf("web/src/words/de/answers.ts does not translate %s in one line", id)
		}
		want[id] = format
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(want); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("german.json", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile("german.json"); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("german.json is not what the page says; run go test ./rag/pipeline -run GermanWords -update (%v)", err)
	}
}

// sentenceIDs returns the ids of the sentences in the code of answers.
func sentenceIDs(t *testing.T) map[string]bool {
	t.Helper()
	named := regexp.MustCompile(`NewText\(\s*"([a-z_]+)"`)
	ids := map[string]bool{}
	for _, dir := range []string{".", "../table", "../talk", ".."} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range named.FindAllSubmatch(source, -1) {
				ids[string(m[1])] = true
			}
		}
	}
	return ids
}

// germanFormat returns the format of a sentence from the words of the page, which are in TypeScript.
func germanFormat(page, id string) (string, bool) {
	m := regexp.MustCompile(`(?m)^  ` + id + `: (?:\(([a-z, ]*)\) => )?['` + "`" + `](.*)['` + "`" + `],$`).FindStringSubmatch(page)
	if m == nil {
		return "", false
	}
	format := strings.ReplaceAll(m[2], "%", "%%")
	for i, name := range strings.Split(m[1], ", ") {
		format = regexp.MustCompile(`\$\{`+name+`\b[^}]*\}`).ReplaceAllString(format, "%["+strconv.Itoa(i+1)+"]v")
	}
	return strings.NewReplacer(`\n`, "\n", `\'`, "'", "\\`", "`").Replace(format), true
}

func TestInGerman(t *testing.T) {
	t.Parallel()
	inner := fault.NewText("many_documents", "%d documents", 1_000_000)
	got := inGerman(fault.NewText("library_known", "I know %s in %s.", inner, inCollections([]string{"a", "b"})))
	if want := "Ich kenne 1000000 Dokumente in den Sammlungen `a`, `b`."; got.Message != want || got.ID != "library_known" {
		t.Errorf("got %q (%s), want %q", got.Message, got.ID, want)
	}
	if got := inGerman(fault.Plain("as it is")); got.Message != "as it is" {
		t.Errorf("a plain sentence became %q", got.Message)
	}
}

// TestLanguageOfWords: docent's own words are in the language of the question, or of the passages if a few words do not show it.
func TestLanguageOfWords(t *testing.T) {
	t.Parallel()
	in := func(language string) retrieve.Result {
		return retrieve.Result{Passage: corpus.Passage{Document: corpus.Document{Language: language}}}
	}
	for _, c := range []struct {
		question string
		found    []retrieve.Result
		want     bool
	}{
		{"", []retrieve.Result{in("de"), in("de")}, true},
		{"", []retrieve.Result{in("de"), in("en")}, false},
		{"en", []retrieve.Result{in("de")}, false},
		{"", nil, false},
	} {
		a := &answering{message: talk.Message{Language: c.question}, found: retrieve.Retrieval{Results: c.found}}
		if got := a.german(); got != c.want {
			t.Errorf("question in %q: %v, want %v", c.question, got, c.want)
		}
	}
}
