package markup_test

import (
	"testing"

	"docent/ingest/extract/markup"
)

func TestLaTeX(t *testing.T) {
	t.Parallel()
	golden(t, markup.LaTeX, "pump.tex")
}

func FuzzLaTeX(f *testing.F) {
	fuzz(f, markup.LaTeX, `\begin{tabular}{l}a&b\\`, `\section{a\footnote{b}}$x$\verb|a|`)
}
