package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The words of the documents of Files. They are chosen by Zipf's law, with made-up names at the end.
const (
	commonWords = "the of a to and in is for with when on by each it are that from this can not only after before if " +
		"pump valve filter router account invoice contract device server cable sensor report branch office team order " +
		"delivery return refund warranty price meeting holiday travel training safety fire door key badge car parking " +
		"printer screen battery update backup password network guest signal motor oil water pressure heat cold light"
	madeUpNames = 20_000
	topFolders  = 100
	subfolders  = 10
	tagNames    = 60
)

// Files writes documents for the scenario library to a folder: Markdown, plain text, CSV, and HTML in a thousand folders, with tags and
// dates. Every run writes the same files. It returns how many it wrote.
func Files(ctx context.Context, dir string, n int) (int, error) {
	const seed = 35
	random := rand.New(rand.NewPCG(seed, 0))
	w := newWords(random)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return i, context.Cause(ctx)
		}
		folder := filepath.Join(dir, w.folder(random.IntN(topFolders)), w.folder(random.IntN(subfolders)))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return i, fmt.Errorf("write documents: %w", err)
		}
		ending, text := w.document(i)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("%06d%s", i, ending)), []byte(text), 0o600); err != nil {
			return i, fmt.Errorf("write documents: %w", err)
		}
	}
	return n, nil
}

// words makes up texts.
type words struct {
	random *rand.Rand
	zipf   *rand.Zipf
	all    []string
}

func newWords(random *rand.Rand) *words {
	all := strings.Fields(commonWords)
	common := len(all)
	for range madeUpNames {
		all = append(all, all[random.IntN(common)]+all[random.IntN(common)])
	}
	return &words{random, rand.NewZipf(random, 1.2, 4, uint64(len(all)-1)), all}
}

// folder names a folder.
func (w *words) folder(n int) string { return fmt.Sprintf("%s-%02d", w.all[len(w.all)-1-n], n) }

func (w *words) phrase(low, high int) string {
	out := make([]string, low+w.random.IntN(high-low+1))
	for i := range out {
		out[i] = w.all[w.zipf.Uint64()]
	}
	return strings.ToUpper(out[0][:1]) + out[0][1:] + strings.TrimSuffix(" "+strings.Join(out[1:], " "), " ")
}

// sentences returns a paragraph.
func (w *words) sentences(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = w.phrase(6, 16) + "."
	}
	return strings.Join(out, " ")
}

// document makes up a document. It returns the ending of its name, and its text.
func (w *words) document(i int) (ending, text string) {
	title := w.phrase(3, 7)
	switch {
	case i%20 == 0:
		rows := "article,name,price\n"
		for r := range 8 {
			rows += fmt.Sprintf("N%d%d,%s,%d\n", i, r, w.phrase(2, 3), w.random.IntN(900))
		}
		return ".csv", rows
	case i%10 == 1:
		return ".txt", title + "\n\n" + w.sentences(4) + "\n"
	case i%10 == 2:
		return ".html", "<html><head><title>" + title + "</title></head><body><h1>" + title + "</h1><p>" + w.sentences(4) + "</p></body></html>\n"
	default:
		return ".md", fmt.Sprintf("---\ntags: [%s, %s]\ndate: 20%02d-%02d-%02d\n---\n# %s\n\n%s\n\n## %s\n\n%s\n", w.tag(), w.tag(),
			10+w.random.IntN(16), 1+w.random.IntN(12), 1+w.random.IntN(28), title, w.sentences(3), w.phrase(2, 4), w.sentences(3))
	}
}

func (w *words) tag() string { return "tag " + w.all[len(w.all)-1-w.random.IntN(tagNames)] }
