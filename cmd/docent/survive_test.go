package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
)

// hostile are uploads that once ended the server or took all of its memory.
func hostile(t *testing.T) map[string][]byte {
	t.Helper()
	table := strings.Repeat("|a", 20_000) + "|\n" + strings.Repeat("|-", 20_000) + "|\n" + strings.Repeat("a|\n", 20_000)
	reference := strings.Repeat(`<w:footnoteReference w:id="1"/>`, 1000)
	const space = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	notes := zipped(t, map[string]string{
		"word/document.xml":  "<w:document " + space + "><w:body>" + strings.Repeat("<w:p><w:r><w:t>Text.</w:t>"+reference+"</w:r></w:p>", 300) + "</w:body></w:document>",
		"word/footnotes.xml": "<w:footnotes " + space + `><w:footnote w:id="1"><w:p><w:r><w:t>` + strings.Repeat("note ", 20_000) + "</w:t></w:r></w:p></w:footnote></w:footnotes>",
	})
	numbers := strings.Builder{}
	for i := range 200_000 {
		fmt.Fprintf(&numbers, `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="%d"/></w:numPr></w:pPr><w:r><w:t>x</w:t></w:r></w:p>`, i+1)
	}
	return map[string][]byte{
		"word.txt":       []byte("Part 4gm3Bu is the spare seal."),
		"hash.txt":       []byte("Commit 01078f6d5f66a1bea794a786548c0f1157d17099 mends the seal."),
		"4gm3Bu.txt":     []byte("The name of this file is the word."),
		"link.html":      []byte(`<p>The seal, <a href="#x">see <em>this</em></a>, is red.</p>`),
		"table.md":       []byte(table),
		"notes.docx":     notes,
		"numbering.docx": zipped(t, map[string]string{"word/document.xml": "<w:document " + space + "><w:body>" + numbers.String() + "</w:body></w:document>"}),
		"banner.html":    []byte(strings.Repeat("<div role=banner>", 390) + strings.Repeat("text<br>", 240_000)),
	}
}

func zipped(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range parts {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// uploaded is a server's report on one uploaded file.
type uploaded struct {
	Source, Status, Reason string
}

// sendFile uploads one file.
func sendFile(t *testing.T, at, name string, data []byte) uploaded {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := part.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	resp, text := (who{}).Request(t, http.MethodPost, at+"/api/documents", body.String(), "Content-Type", form.FormDataContentType())
	var out struct{ Results []uploaded }
	if err := json.Unmarshal([]byte(text), &out); err != nil || resp.StatusCode != http.StatusOK || len(out.Results) != 1 {
		t.Fatalf("%s: %d %s", name, resp.StatusCode, text)
	}
	return out.Results[0]
}

// TestServerSurvives uploads each hostile file to a running server, which then
// reads an innocent one, answers a question and finds the passage.
func TestServerSurvives(t *testing.T) {
	t.Parallel()
	_, at := serve(t, []string{"DOCENT_DATA=" + dataFolder(t)})
	for name, data := range hostile(t) {
		if r := sendFile(t, at, name, data); r.Status != "added" {
			t.Logf("%s: %s: %s", name, r.Status, r.Reason)
		}
		pump := "pump-" + strings.TrimSuffix(name, ".txt") + ".md"
		if r := sendFile(t, at, pump, []byte("# Feed pump\n\nThe feed pump is serviced every 4,000 hours.\n")); r.Status != "added" {
			t.Errorf("after %s an innocent file is %s: %s", name, r.Status, r.Reason)
		}
		resp, text := (who{}).Request(t, http.MethodPost, at+"/api/ask", `{"question": "How often is the feed pump serviced?"}`, "Content-Type", "application/json")
		if resp.StatusCode != http.StatusOK {
			t.Errorf("after %s the answer is %d %.300s", name, resp.StatusCode, text)
		}
		eventually(t, "after "+name+" the passage is found", func() bool {
			_, text := (who{}).Request(t, http.MethodGet, at+"/api/search?k=20&q=How+often+is+the+feed+pump+serviced", "")
			return strings.Contains(text, "4,000 hours")
		})
	}
	eventually(t, "the word is found", func() bool {
		_, text := (who{}).Request(t, http.MethodGet, at+"/api/search?k=20&q=What+is+part+4gm3Bu", "")
		return strings.Contains(text, "spare seal")
	})
}
