package markup_test

import (
	"testing"

	"docent/ingest/extract/latex"
)

func TestLaTeX(t *testing.T) {
	t.Parallel()
	golden(t, latex.Read, "pump.tex")
}

func FuzzLaTeX(f *testing.F) {
	fuzz(f, latex.Read, `\begin{tabular}{l}a&b\\`, `\section{a\footnote{b}}$x$\verb|a|`)
}
