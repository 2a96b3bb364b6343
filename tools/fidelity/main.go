// Command fidelity measures how well docent reads documents: it compares the
// extracted text of each document with that of another program, and prints a
// table in Markdown.
//
//	go run ./tools/fidelity [-format pdf,html] [-list] [FOLDER...]
//
// Without a folder it reads the fixtures in ingest/extract/testdata. A page
// called source.html is compared with the expected.html beside it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"docent/ingest/extract"
	"docent/ingest/intake"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
		os.Exit(1)
	}
}

// maxFile is the largest file that is compared.
const maxFile = 64 << 20

func run(ctx context.Context, args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("fidelity", flag.ContinueOnError)
	flags.SetOutput(log)
	formats := flags.String("format", "", "formats to measure, divided by commas, as in pdf,html; all if empty")
	list := flags.Bool("list", false, "print the figures of each file too")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folders := flags.Args()
	if len(folders) == 0 {
		folders = []string{"ingest/extract/testdata"}
	}
	var wanted []string
	if *formats != "" {
		wanted = strings.Split(*formats, ",")
	}
	extractor, err := extract.New(extract.Config{})
	if err != nil {
		return err
	}
	defer func() { _ = extractor.Close(context.WithoutCancel(ctx)) }()
	scratch, err := os.MkdirTemp("", "fidelity")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	m := &measurement{
		extractor: extractor, references: &references{scratch: scratch, missing: map[string]bool{}},
		rows: map[string]*row{}, failed: map[string]int{}, log: log, list: *list,
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() || entry.Name() == expected {
				return err
			}
			format := formatOf(path)
			if format == "" || wanted != nil && !slices.Contains(wanted, format) {
				return nil
			}
			return m.file(ctx, path, format)
		})
		if err != nil {
			return err
		}
	}
	return m.print(out)
}

// measurement gathers the figures of each format.
type measurement struct {
	extractor  *extract.Extractor
	references *references
	rows       map[string]*row
	failed     map[string]int // files that a reference cannot read
	log        io.Writer
	list       bool
}

// row is a line of the table: a format compared with one program.
type row struct {
	format, reference        string
	files, unread, poor      int
	recall, precision, order float64
}

// file compares one file with each reference that its format has.
func (m *measurement) file(ctx context.Context, path, format string) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() > maxFile {
		return err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	doc, _, readErr := m.extractor.Extract(ctx, intake.Source{Name: path, Data: data})
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, ref := range referencesOf(path, format) {
		text, err := m.references.text(ctx, ref, path)
		if errors.Is(err, errMissing) {
			continue
		}
		if err != nil {
			m.failed[ref]++
			_, _ = fmt.Fprintf(m.log, "%s: %s: %v\n", path, ref, err)
			continue
		}
		want := words(text)
		if len(want) < minWords {
			continue
		}
		r := m.row(format, ref)
		if readErr != nil {
			r.unread++
			_, _ = fmt.Fprintf(m.log, "%s: docent: %v\n", path, readErr)
			continue
		}
		r.add(compare(words(doc.Text), want))
		if m.list {
			got := compare(words(doc.Text), want)
			_, _ = fmt.Fprintf(m.log, "%s: %s: recall %.3f, precision %.3f, order %.3f\n", path, ref, got.recall, got.precision, got.order)
		}
	}
	return nil
}

func (m *measurement) row(format, reference string) *row {
	key := format + " " + reference
	if m.rows[key] == nil {
		m.rows[key] = &row{format: format, reference: reference}
	}
	return m.rows[key]
}

func (r *row) add(f figures) {
	r.files++
	r.recall += f.recall
	r.precision += f.precision
	r.order += f.order
	if f.recall < poorRecall {
		r.poor++
	}
}

// print writes the table, and which programs are missing or failed.
func (m *measurement) print(out io.Writer) error {
	var b strings.Builder
	b.WriteString("| Format | Compared with | Files | Recall | Precision | Order | Recall under .9 | Not read |\n|---|---|---|---|---|---|---|---|\n")
	keys := make([]string, 0, len(m.rows))
	for key := range m.rows {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		r := m.rows[key]
		n := float64(max(r.files, 1))
		fmt.Fprintf(&b, "| %s | %s | %d | %.3f | %.3f | %.3f | %d | %d |\n", r.format, r.reference, r.files, r.recall/n, r.precision/n, r.order/n,
			r.poor, r.unread)
	}
	for _, ref := range slices.Sorted(maps.Keys(m.failed)) {
		files := "files"
		if m.failed[ref] == 1 {
			files = "file"
		}
		fmt.Fprintf(&b, "\nNot compared with %s: %d %s that it cannot read.\n", ref, m.failed[ref], files)
	}
	for _, tool := range m.references.absent() {
		fmt.Fprintf(&b, "\nNot compared with %s: it is not installed (%s).\n", tool, howToInstall[tool])
	}
	_, err := io.WriteString(out, b.String())
	return err
}
