package notebook_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/notebook"
	"docent/ingest/format"
)

// current is a notebook in format version 4.
const current = `{"cells":[{"cell_type":"markdown","metadata":{},"source":["# My *notes*\n","\n","Text ![p](attachment:a.png)"]},
{"cell_type":"code","execution_count":1,"metadata":{},"outputs":[{"name":"stdout","output_type":"stream","text":["one\n","two\n"]},
{"data":{"image/png":"iVBOR","text/plain":["<Figure size 1>"]},"output_type":"display_data"},
{"output_type":"error","ename":"ValueError","evalue":"bad","traceback":["x"]}],"source":"x = 1"}],
"metadata":{"language_info":{"name":"python"}},"nbformat":4,"nbformat_minor":2}`

// old is a notebook in format version 3.
const old = `{"metadata":{"name":""},"nbformat":3,"worksheets":[{"cells":[{"cell_type":"heading","level":2,"source":"Old"},
{"cell_type":"code","input":"1+1","language":"python","outputs":[{"output_type":"pyout","text":["2"]}]}]}]}`

func TestRead(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, notebook.Read, []byte(current), "My notes",
		"h1 # My *notes*\np Text p\ncode ```python\\nx = 1\\n```\ncode one\\ntwo\ncode ValueError: bad\n")
	extracttest.Check(t, notebook.Read, []byte(old), "Old", "h2 ## Old\ncode ```python\\n1+1\\n```\ncode 2\n")
	_, err := notebook.Read(t.Context(), "a.ipynb", []byte(`{"nbformat":4,"cells":[`))
	extracttest.Refused(t, err, "damaged:")
}

// TestOutputs: a progress bar has its last state, names of objects are left out, and formulas and values stay.
func TestOutputs(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		`{"output_type":"stream","text":["  0%| | 0/3\r 33%|# | 1/3\r","100%|###| 3/3\r\nhot\n"]}`:                                     "code 100%|###| 3/3\\nhot\n",
		`{"output_type":"execute_result","data":{"text/plain":["[<matplotlib.lines.Line2D at 0x7f2b1c0d5e50>]"]}}`:                     "",
		`{"output_type":"execute_result","data":{"text/plain":["(<Figure size 1 at 0x7f>, <Axes: x at 0x7e>)"]}}`:                      "",
		`{"output_type":"display_data","data":{"text/latex":["$p = F/A$"],"text/plain":["<IPython.core.display.Latex object>"]}}`:      "code $p = F/A$\n",
		`{"output_type":"display_data","data":{"application/json":{"limit":8.5},"text/plain":["<IPython.core.display.JSON object>"]}}`: `code {"limit":8.5}` + "\n",
		`{"output_type":"display_data","data":{"text/html":["<table>"],"text/plain":["   bar\nA  4.25"]}}`:                             "code    bar\\nA  4.25\n",
	} {
		data := `{"cells":[{"cell_type":"code","source":"x","outputs":[` + output + `]}],"nbformat":4}`
		extracttest.Check(t, notebook.Read, []byte(data), "", "code ```\\nx\\n```\n"+want)
	}
}

// TestMatch: a notebook has the ending, or the fields of one. Other JSON is no notebook.
func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, data string
		want       format.Score
	}{
		{"a.ipynb", current, format.Sure},
		{"noname", old, format.Sure},
		{"a.json", "\xef\xbb\xbf " + current, format.Sure},
		{"a.jsonl", current, 0},
		{"a.json", `{"cells":[]}`, 0},
		{"a.json", `[` + current + `]`, 0},
	} {
		if got := notebook.Format.Match(t.Context(), &format.File{Name: tt.name, Data: []byte(tt.data)}).Score; got != tt.want {
			t.Errorf("%s with %.40s: %v, want %v", tt.name, tt.data, got, tt.want)
		}
	}
}
