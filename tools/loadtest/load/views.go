package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"docent/internal/fault"
)

// view is a view of the page with the requests that it sends at once.
type view struct {
	name  string
	paths []string
}

// The requests of the views of the page. {document}, {collection}, {folder}, {tag}, {question}, and {gap} stand for values of the server.
var (
	libraryViews = []view{
		{"home", []string{
			"/api/documents?sort=newest&status=ready&limit=6", "/api/documents?sort=cited&cited=some&status=ready&limit=6",
			"/api/info", "/api/suggestions?limit=4&language=en",
		}},
		{"documents", []string{"/api/documents?sort=newest&order=desc&limit=100", "/api/places?limit=1000", "/api/facets"}},
		{"collection", []string{
			"/api/documents?collection={collection}&sort=newest&order=desc&limit=100",
			"/api/places?limit=1000&collection={collection}", "/api/facets?collection={collection}",
		}},
		{"sorted by title", []string{"/api/documents?collection={collection}&sort=title&order=asc&limit=100"}},
		{"sorted by size", []string{"/api/documents?collection={collection}&sort=size&order=desc&limit=100"}},
		{"sorted by change", []string{"/api/documents?collection={collection}&sort=updated&order=desc&limit=100"}},
		{"sorted by date", []string{"/api/documents?collection={collection}&sort=date&order=desc&limit=100"}},
		{"sorted by citations", []string{"/api/documents?collection={collection}&sort=cited&order=desc&limit=100"}},
		{"all sorted by title", []string{"/api/documents?sort=title&order=asc&limit=100"}},
		{"all sorted by change", []string{"/api/documents?sort=updated&order=desc&limit=100"}},
		{"folder", []string{"/api/documents?collection={collection}&folder={folder}&sort=newest&order=desc&limit=100"}},
		{"folder by title", []string{"/api/documents?collection={collection}&folder={folder}&sort=title&order=asc&limit=100"}},
		{"tag", []string{"/api/documents?collection={collection}&tag={tag}&sort=newest&order=desc&limit=100"}},
		{"tag by title", []string{"/api/documents?collection={collection}&tag={tag}&sort=title&order=asc&limit=100"}},
		{"type", []string{"/api/documents?collection={collection}&type=text/csv&sort=newest&order=desc&limit=100"}},
		{"language", []string{"/api/documents?collection={collection}&language=en&sort=newest&order=desc&limit=100"}},
		{"state failed", []string{"/api/documents?collection={collection}&status=failed&sort=newest&order=desc&limit=100"}},
		{"source web", []string{"/api/documents?collection={collection}&origin=web&sort=newest&order=desc&limit=100"}},
		{"never cited", []string{"/api/documents?collection={collection}&cited=never&sort=newest&order=desc&limit=100"}},
		{"changed this week", []string{"/api/documents?collection={collection}&since={week}&sort=newest&order=desc&limit=100"}},
		{"titles with a word", []string{"/api/documents?match=warranty&sort=newest&order=desc&limit=100"}},
		{"titles with an unknown word", []string{"/api/documents?match=xylophone+quartz&sort=title&order=asc&limit=100"}},
		{"@ in the text box", []string{"/api/documents?match=pump&sort=newest&status=ready&limit=8", "/api/places?match=pump&limit=8"}},
		{"same content", []string{"/api/documents?sha256={sha256}&limit=20"}},
		{"reader", []string{
			"/api/documents/{document}", "/api/documents/{document}/outline", "/api/documents/{document}/questions?language=en",
			"/api/documents/{document}/description", "/api/documents/{document}/versions", "/api/documents/{document}/text",
		}},
		{"passages of a document", []string{"/api/documents/{document}/chunks"}},
		{"work", []string{"/api/work?limit=100"}},
	}
	consoleViews = []view{
		{"today", []string{"/api/today", "/api/insight/days?days=30"}},
		{"today of a collection", []string{"/api/insight/days?days=30&collection={collection}"}},
		{"questions", []string{"/api/insight/questions?limit=50", "/api/collections"}},
		{"questions not found", []string{"/api/insight/questions?outcome=not_found&outcome=unsure&limit=50"}},
		{"questions rated down", []string{"/api/insight/questions?rating=down&limit=50"}},
		{"questions of a channel", []string{"/api/insight/questions?channel=widget&limit=50"}},
		{"questions of a collection", []string{"/api/insight/questions?collection={collection}&limit=50"}},
		{"questions of a week", []string{"/api/insight/questions?since={week}&limit=50"}},
		{"all filters", []string{"/api/insight/questions?outcome=unsure&rating=down&channel=page&collection={collection}&since={month}&limit=50"}},
		{"a question", []string{"/api/insight/questions/{question}"}},
		{"gaps", []string{"/api/insight/gaps?limit=50", "/api/collections"}},
		{"gaps of a collection", []string{"/api/insight/gaps?collection={collection}&limit=50"}},
		{"solved gaps", []string{"/api/insight/gaps?state=solved&limit=50"}},
		{"a gap", []string{"/api/insight/gaps/{gap}", "/api/insight/questions?gap={gap}&limit=50"}},
		{"approved answers", []string{"/api/insight/answers?limit=50"}},
		{"answers due", []string{"/api/insight/answers?due=true&limit=50"}},
		{"quality", []string{"/api/insight/quality"}},
		{"thresholds", []string{"/api/insight/thresholds?days=7"}},
		{"work", []string{"/api/work?limit=100"}},
		{"people", []string{"/api/users", "/api/groups"}},
		{"log", []string{"/api/admin/log?limit=50"}},
		{"conversations of others", []string{"/api/admin/conversations"}},
		{"system", []string{"/api/system", "/api/system/backups", "/api/system/digest"}},
		{"settings", []string{"/api/settings", "/api/models"}},
		{"own conversations", []string{"/api/sessions?spoken=true"}},
	}
)

// views opens each view of a list some times, and measures how long the slowest request of each time took.
func (t *Test) views(ctx context.Context, list []view) (rows []Row, err error) {
	values, err := t.values(ctx)
	if err != nil {
		return nil, err
	}
	slow := 0
	for _, v := range list {
		paths := make([]string, len(v.paths))
		for i, p := range v.paths {
			paths[i] = values.Replace(p)
		}
		var took []time.Duration
		for range t.Times + 1 {
			d, err := t.open(ctx, paths)
			if err != nil {
				return rows, err
			}
			took = append(took, d)
		}
		took = took[1:] // the first time reads from the disk
		const half, most = 0.5, 0.95
		late := percentile(took, most)
		mark := ""
		if late > viewTarget {
			mark = "  over " + viewTarget.String()
			slow++
		}
		rows = append(rows, Row{v.name, fmt.Sprintf("%s / %s%s", shorter(percentile(took, half)), shorter(late), mark)})
	}
	return append(rows, Row{"views over " + viewTarget.String() + " at p95", fmt.Sprintf("%d of %d", slow, len(list))}), nil
}

// viewTarget is the longest p95 of a view.
const viewTarget = 300 * time.Millisecond

// open sends requests at once. It returns the time until the last one is answered.
func (t *Test) open(ctx context.Context, paths []string) (time.Duration, error) {
	begin := time.Now()
	err := each(len(paths), func(i int) error {
		return t.get(ctx, paths[i], nil)
	})
	return time.Since(begin), err
}

// get requests a path with its query. It reads the answer into v, if there is one.
func (t *Test) get(ctx context.Context, path string, v any) error {
	u, err := url.Parse(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	resp, err := t.call(ctx, http.MethodGet, u.Path, u.Query())
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	const mostRead = 64 << 20
	body, err := io.ReadAll(io.LimitReader(resp.Body, mostRead))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", path, err)
	case resp.StatusCode != http.StatusOK:
		return fault.New(fault.Unavailable, "loadtest_view", "%.200s: %s: %.200s", path, resp.Status, body)
	case v == nil:
		return nil
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// values finds a value for each placeholder: those of a document in the largest collection, and the first question and gap.
func (t *Test) values(ctx context.Context) (*strings.Replacer, error) {
	var collections []struct {
		Name      string `json:"name"`
		Documents int    `json:"documents"`
	}
	var page struct {
		Documents []struct {
			ID     int64    `json:"id"`
			Folder string   `json:"folder"`
			Tags   []string `json:"tags"`
			SHA256 string   `json:"sha256"`
		} `json:"documents"`
	}
	var asked, gaps struct {
		Questions []struct {
			ID int64 `json:"id"`
		} `json:"questions"`
		Gaps []struct {
			ID int64 `json:"id"`
		} `json:"gaps"`
	}
	if err := t.get(ctx, "/api/collections", &collections); err != nil {
		return nil, err
	}
	largest := ""
	most := 0
	for _, c := range collections {
		if c.Documents > most {
			largest, most = c.Name, c.Documents
		}
	}
	if largest == "" {
		return nil, fault.New(fault.Invalid, "loadtest_empty", "the library of the server is empty; add documents with -files and docent ingest")
	}
	if err := t.get(ctx, "/api/documents?status=ready&type=text/markdown&limit=1&collection="+url.QueryEscape(largest), &page); err != nil {
		return nil, err
	}
	if len(page.Documents) == 0 {
		return nil, fault.New(fault.Invalid, "loadtest_no_markdown", "collection %s has no Markdown documents; add some with -files and docent ingest", largest)
	}
	d := page.Documents[0]
	if err := t.get(ctx, "/api/insight/questions?limit=1", &asked); err != nil {
		return nil, err
	}
	if err := t.get(ctx, "/api/insight/gaps?limit=1", &gaps); err != nil {
		return nil, err
	}
	tag, question, gap := "", int64(0), int64(0)
	if len(d.Tags) > 0 {
		tag = d.Tags[0]
	}
	if len(asked.Questions) > 0 {
		question = asked.Questions[0].ID
	}
	if len(gaps.Gaps) > 0 {
		gap = gaps.Gaps[0].ID
	}
	const day = 24 * time.Hour
	ago := func(days time.Duration) string {
		return url.QueryEscape(time.Now().Add(-days * day).UTC().Format(time.RFC3339))
	}
	return strings.NewReplacer("{collection}", url.QueryEscape(largest), "{document}", fmt.Sprint(d.ID), "{folder}", url.QueryEscape(d.Folder),
		"{tag}", url.QueryEscape(tag), "{sha256}", d.SHA256, "{question}", fmt.Sprint(question), "{gap}", fmt.Sprint(gap),
		"{week}", ago(7), "{month}", ago(30)), nil
}

// library opens the views of the library, and compares a search in a thousand documents with a search in all.
func (t *Test) library(ctx context.Context) ([]Row, error) {
	rows, err := t.views(ctx, libraryViews)
	if err != nil {
		return rows, err
	}
	more, err := t.scopes(ctx)
	return append(rows, more...), err
}

// scopes compares searches in a scope with searches in all documents, in alternation.
func (t *Test) scopes(ctx context.Context) ([]Row, error) {
	var places struct {
		Folders, Tags []struct {
			Name      string `json:"name"`
			Documents int    `json:"documents"`
		}
	}
	if err := t.get(ctx, "/api/places?limit=1000", &places); err != nil {
		return nil, err
	}
	const most = 1000
	folder, tag := "", ""
	for _, f := range places.Folders { // those with the most documents come first
		if folder == "" && f.Documents <= most {
			folder = f.Name
		}
	}
	for _, g := range places.Tags {
		tag = g.Name // the one with the fewest
	}
	var page struct {
		Documents []struct {
			ID int64 `json:"id"`
		} `json:"documents"`
	}
	const mostChosen = 100 // of a request
	if err := t.get(ctx, fmt.Sprintf("/api/documents?status=ready&limit=%d", mostChosen), &page); err != nil {
		return nil, err
	}
	chosen := ""
	for _, d := range page.Documents {
		chosen += fmt.Sprintf("&document=%d", d.ID)
	}
	scopes := []struct{ name, query string }{
		{"all documents", ""},
		{"a folder", "&folder=" + url.QueryEscape(folder)},
		{"a tag", "&tag=" + url.QueryEscape(tag)},
		{"chosen documents", chosen},
	}
	took := make([][]time.Duration, len(scopes))
	questions := newWords(rand.New(rand.NewPCG(1, 0))) // every run asks the same
	for range t.Times + 1 {
		q := "/api/search?q=" + url.QueryEscape(questions.phrase(2, 5))
		for i, s := range scopes {
			begin := time.Now()
			if err := t.get(ctx, q+s.query, nil); err != nil {
				return nil, err
			}
			took[i] = append(took[i], time.Since(begin))
		}
	}
	var rows []Row
	const half, late = 0.5, 0.95
	for i, s := range scopes {
		rows = append(rows, Row{"search in " + s.name, fmt.Sprintf("%s / %s, %.2f of all documents", shorter(percentile(took[i], half)),
			shorter(percentile(took[i], late)), float64(percentile(took[i], half))/float64(percentile(took[0], half)))})
	}
	return rows, nil
}
