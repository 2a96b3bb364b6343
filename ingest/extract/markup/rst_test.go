package markup_test

import (
	"testing"

	"docent/ingest/extract/latex"
	"docent/ingest/extract/markup"
)

// readers are the readers of this package.
var readers = map[string]read{"rst": markup.RST, "latex": latex.Read, "asciidoc": markup.Adoc, "org": markup.Org, "xml": markup.XML, "subtitles": markup.Subtitles}

// hostile are texts that are repeated many times.
var hostile = []string{
	"*a ", "`a ", "``", ":a:`b ", "|a ", "[", "]_", "\\", "**a", " ", "\n", "\n ", "- ", "- a\n ", ".. a::\n ", "a\n ", "+-+\n|", "=== ===\na  b\n", "a\n==\n", "::\n\n a\n", "x::\n",
	".. |a| replace:: b\n", "* - a\n  - b\n",
	`\a{`, `\label{`, `\section{`, `\begin{tabular}{l}`, `\item[`, "$", `\[`, "{", `\verb|`, `\footnote{`, `\begin{itemize}\item `, "&", "a::\n", "a:b[", "<<a,", "{a", "[[a", "----\n|===\n", "|===\n|a\n", "50+|a", "== a\n", "* a\n", "#+begin_a\n", ":A:\n", "[fn:", "=a ", "/a ", "|a|\n", "x:", "+\n", "<a>", "<para>a", "<para>a</para>", "<footnote>", "<row><entry>a", "<term>a</term><listitem>", "&a;", "</a>", `\\`, `\begin{verbatim}`, `\'`,
}

func TestRST(t *testing.T) {
	t.Parallel()
	golden(t, markup.RST, "pump.rst")
}

func FuzzRST(f *testing.F) {
	fuzz(f, markup.RST, "a\n=\n\n* b\n\n  c::\n\n   d", "=== ===\n a   b\n=== ===\n 1   2\n=== ===\n")
}
