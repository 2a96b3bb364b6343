package latex_test

import (
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/latex"
)

// TestNumbers reads the numbers of sections, lists, theorems, formulas, and captions as LaTeX prints them.
func TestNumbers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ class, text, want string }{
		"article":    {"article", `\section{Scope}See \ref{d}.\section*{Note}\subsection{Limits}\section{Duties}\label{d}\appendix\section{Forms}`, "h3 1 Scope\np See 2.\nh3 Note\nh4 1.1 Limits\nh3 2 Duties\nh3 A Forms\n"},
		"book":       {"book", `\frontmatter\chapter{Preface}\mainmatter\chapter{Ropes}\section{Coil}\setcounter{section}{6}\section{Tie}\subsubsection{Deep}`, "h2 Preface\nh2 1 Ropes\nh3 1.1 Coil\nh3 1.7 Tie\nh5 Deep\n"},
		"own form":   {"article", `\section{Scope}\section{Duties}`, "h3 § 1 Scope\nh3 § 2 Duties\n"},
		"part":       {"article", `\begin{enumerate}\item a\begin{enumerate}\item b\item[(x)] c\end{enumerate}\item d\end{enumerate}`, "li 1. a\nli (a) b\nli (x) c\nli 2. d\n"},
		"options":    {"article", `\begin{enumerate}[label=\Roman*), start=4]\item a\end{enumerate}\begin{enumerate}[(i)]\item b\item\label{i} c\end{enumerate}Item \ref{i}.`, "li IV) a\nli (i) b\nli (ii) c\np Item ii.\n"},
		"theorem":    {"article", `\section{A}\begin{thm}[Ropes]\label{t} Coil.\end{thm}By Theorem~\ref{t}.`, "h3 1 A\np Theorem 1.1 (Ropes). Coil.\np By Theorem 1.1.\n"},
		"formula":    {"article", `\begin{equation}\label{e} a=b \end{equation}and \eqref{e}`, "p a=b (1) and (1)\n"},
		"caption":    {"report", `\chapter{A}\begin{figure}\caption{Quay}\label{f}\end{figure}Figure \ref{f}, \ref{none}.`, "h2 1 A\np Figure 1.1: Quay\np Figure 1.1, [none].\n"},
		"inside":     {"article", `\section{A}\label{a}\begin{figure}\caption{Quay, see \ref{a}\label{f}}\end{figure}\textbf{Figure \ref{f}}`, "h3 1 A\np Figure 1: Quay, see 1\np Figure 1\n"},
		"slides":     {"beamer", `\section{A}`, "h3 A\n"},
		"no numbers": {"article", `\setcounter{secnumdepth}{0}\section{A}`, "h3 A\n"},
	} {
		preamble := `\newtheorem{thm}{Theorem}[section]`
		if name == "own form" {
			preamble += `\renewcommand{\thesection}{\S~\arabic{section}}`
		}
		doc, err := latex.Read(t.Context(), "a.tex", []byte(`\documentclass{`+tt.class+`}`+preamble+`\begin{document}`+tt.text+`\end{document}`))
		if err != nil {
			t.Fatal(err)
		}
		extracttest.Verify(t, doc)
		if got := extracttest.Show(doc); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, tt.want)
		}
	}
}
