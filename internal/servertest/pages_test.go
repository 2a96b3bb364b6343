package servertest_test

import (
	"fmt"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"docent/api"
	"docent/api/pages"
	"docent/internal/servertest"
)

// A passage that a search finds in a PDF is marked on the page it names, and the
// page can be seen.
func TestPagesOfADocument(t *testing.T) {
	t.Parallel()
	pdf, err := os.ReadFile("../../ingest/extract/testdata/manual.pdf")
	if err != nil {
		t.Fatal(err)
	}
	at := servertest.Start(t, servertest.Config{Documents: []servertest.Document{{Name: "manual.pdf", Content: string(pdf)}}}).URL
	var found struct {
		Results []struct {
			DocumentID int64 `json:"document_id"`
			Page       int   `json:"page"`
			Start      int   `json:"start"`
			End        int   `json:"end"`
		} `json:"results"`
	}
	getJSON(t, at+"/api/search?q="+url.QueryEscape("When is the valve opened?"), &found)
	if len(found.Results) == 0 {
		t.Fatal("nothing is found")
	}
	hit := found.Results[0]
	page := fmt.Sprintf("%s/api/documents/%d/pages/%d", at, hit.DocumentID, hit.Page)
	var view pages.PageView
	getJSON(t, fmt.Sprintf("%s?start=%d&end=%d", page, hit.Start, hit.End), &view)
	if view.Page != hit.Page || view.Pages != 5 || len(view.Marks) == 0 || view.Label == nil {
		t.Errorf("%+v", view)
	}
	resp, body := who{}.Request(t, http.MethodGet, page+"/image?width=400", "")
	img, err := png.DecodeConfig(strings.NewReader(body))
	if err != nil || img.Width != 400 {
		t.Errorf("the image is %+v, %v", img, err)
	}
	resp, _ = who{}.Request(t, http.MethodGet, page+"/image?width=400", "", "If-None-Match", resp.Header.Get("ETag"))
	if resp.StatusCode != http.StatusNotModified {
		t.Errorf("once more: %d", resp.StatusCode)
	}
	resp, again := who{}.Request(t, http.MethodPost, fmt.Sprintf("%s/api/pages?page=%d&width=400", at, hit.Page), string(pdf), "Content-Type", "application/pdf")
	if again != body || resp.Header.Get("Docent-Pages") != "5" {
		t.Errorf("sent, it is drawn otherwise: %d", resp.StatusCode)
	}
	var info api.Info
	getJSON(t, at+"/api/info", &info)
	if info.Index.Keyword != "bm25" || info.Index.Vectors != "chromem" || info.Index.Chunks == 0 || info.StartedAt.IsZero() || info.Go == "" {
		t.Errorf("%+v", info)
	}
}
