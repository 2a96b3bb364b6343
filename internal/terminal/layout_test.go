package terminal_test

import (
	"bytes"
	"strings"
	"testing"

	"docent/internal/terminal"
)

// TestLayout fits texts to narrow terminals. Any division of the text into pieces gives the same result.
func TestLayout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		columns  int
		in, want string
	}{
		"no terminal": {0, "a  b\n| a | b |\n|---|---|\n| 1 | 2 |\n", "a  b\n| a | b |\n|---|---|\n| 1 | 2 |\n"},
		"words":       {10, "The feed pump stops at noon.\n\nYes.\n", "The feed\npump stops\nat noon.\n\nYes.\n"},
		"long word":   {12, "Die Donaudampfschifffahrt fährt.\n", "Die\nDonaudampfsc\nhifffahrt\nfährt.\n"},
		"an address":  {12, "See https://example.com/manual for it.\n", "See\nhttps://example.com/manual\nfor it.\n"},
		"lists": {
			14, "- one two three four\n1. one two three\n   - one two three\n> a quote that is long\n[1] a long title\n    /a/path\n",
			"- one two\n  three four\n1. one two\n   three\n   - one two\n     three\n> a quote that\n  is long\n[1] a long\n    title\n    /a/path\n",
		},
		"code":      {10, "Run:\n```sh\ndocent ingest ~/manuals --collection a\n| a | b |\n```\nand wait a while\n", "Run:\n```sh\ndocent ingest ~/manuals --collection a\n| a | b |\n```\nand wait a\nwhile\n"},
		"code span": {30, "`docent` is a program that answers.\n", "`docent` is a program that\nanswers.\n"},
		"wide":      {8, "日本語日本語 です\n", "日本語日\n本語\nです\n"},
		"table": {
			40, "So:\n| Pump | Stops |\n|---|--:|\n| Feed `a|b` | noon [1] |\n| x \\| y |\nEnd",
			"So:\nPump       │    Stops\n───────────┼─────────\nFeed `a|b` │ noon [1]\nx | y      │\nEnd",
		},
		"wide table": {
			30, "| Pump | Remarks |\n|---|---|\n| Feed pump | Check the seals and the oil before you start<br>Donaudampfschifffahrt |\n| 日本 | – |\n",
			"Pump      │ Remarks\n──────────┼───────────────────\nFeed pump │ Check the seals\n          │ and the oil before\n" +
				"          │ you start\n          │ Donaudampfschifffa\n          │ hrt\n──────────┼───────────────────\n日本      │ –\n",
		},
		"too many columns": {
			20, "| Pump number | Stops today | Remarks |\n|---|---|---|\n| Feed pump 1 | before noon | check the seals |\n| Deck pump 2 | | none |\n",
			"Pump number: Feed\npump 1\nStops today: before\nnoon\nRemarks: check the\nseals\n\nPump number: Deck\npump 2\nRemarks: none\n",
		},
		"no table": {10, "| not a table of two lines\n| ok\n", "| not a table of two lines\n| ok\n"},
	} {
		for size := 1; size <= len(c.in); size++ {
			var out bytes.Buffer
			l := terminal.NewLayout(&out, c.columns)
			for rest := c.in; rest != ""; {
				n := min(size, len(rest))
				if _, err := l.Write([]byte(rest[:n])); err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.want {
				t.Fatalf("%s in pieces of %d:\n%s\nwant\n%s", name, size, out.String(), c.want)
			}
		}
	}
}

// TestLayoutStreams writes whole words before the line ends.
func TestLayoutStreams(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	l := terminal.NewLayout(&out, 20)
	_, _ = l.Write([]byte("The feed pump st"))
	if got := out.String(); !strings.HasPrefix(got, "The feed pump") {
		t.Errorf("written is %q", got)
	}
}

// FuzzLayout loses nothing but white space of text without tables, and of no text hangs.
func FuzzLayout(f *testing.F) {
	f.Add("- one two\n```\ncode\n```\n> a quote `x`\n", 10, 3)
	f.Add("| a | b |\n|---|--:|\n| 1 \\| 2 | `x|y` |\n", 5, 1)
	f.Fuzz(func(t *testing.T, in string, columns, size int) {
		var out bytes.Buffer
		l := terminal.NewLayout(&out, columns%200)
		for rest := in; rest != ""; {
			n := min(max(size, 1), len(rest))
			if _, err := l.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		bare := func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "\t", "").Replace(s) }
		if !strings.Contains(in, "|") && bare(out.String()) != bare(in) {
			t.Errorf("%q became %q", in, out.String())
		}
	})
}
