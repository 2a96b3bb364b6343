package roff_test

import (
	"strings"
	"testing"

	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/roff"
)

// page is a page with the macros of man, as people and generators write them.
const page = `'\" t
.\" A comment.
.de URL
\fI\\$2\fP <\\$1>\\$3
..
.TH PUMP 8 "2024-01-01" "1.0" "Manual"
.ie \n(.g .ds Aq \(aq
.el       .ds Aq '
.if t \{\
.ft CW
never on a terminal
.\}
.SH NAME
pump \- move water
.SH "SYNOPSIS"
.B pump
.RB [ \-v ]
.I level
.SH DESCRIPTION
The \fBpump\fR moves water\*(Aqs weight.
It \f(CWstarts\fR at 3\ \(mc;
see
.BR valve (8).
.PP
A second paragraph.\" with a comment
.br
On two lines.
.SH OPTIONS
.TP
.B \-a
.TQ
.B \-\-all
Pump all.
.IP
More about it.
.TP
\-q
Be quiet:
.RS
.IP \(bu 2
not a word
.IP \(bu
no noise
.RE
.PP
\fB\-\-from\-docbook\fR
.RS 4
The term above is a paragraph.
.RE
.SS Numbers
.IP 1.
First.
.IP 2.
Second.
.SH EXAMPLES
Run it:
.sp
.RS 4
.nf
pump \-a \e
  2>&1
.fi
.RE
.TS
tab(@) allbox;
lb lb
l l.
Name@Value
_
flow@T{
40 litres
per minute
T}
.TE
.SH "SEE ALSO"
.UR https://example.org
the site
.UE .
.PP
Written by
.MT jo@example.org
Jo Doe
.ME ,
see
.UR https://example.net
Open
.UR https://example.com
.UE .
`

func TestMan(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, roff.Read, []byte(page), "pump(8)", `h1 NAME
p pump - move water
h1 SYNOPSIS
p pump [-v] level
h1 DESCRIPTION
p The pump moves water's weight. It starts at 3 µ; see valve(8).
p A second paragraph.\nOn two lines.
h1 OPTIONS
h17 -a, --all
p Pump all.
p More about it.
h17 -q
p Be quiet:
li - not a word
li - no noise
h17 --from-docbook
p The term above is a paragraph.
h2 Numbers
li 1. First.
li 2. Second.
h1 EXAMPLES
p Run it:
code pump -a \\n  2>&1
th Name | Value
tr flow | 40 litres per minute
h1 SEE ALSO
p the site (https://example.org).
p Written by Jo Doe (jo@example.org), see Open (https://example.net) https://example.com.
`)
}

// TestPageOfMdoc reads a page with the macros of mdoc.
func TestMdoc(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, roff.Read, []byte(`.Dd $Mdocdate: March 1 2024 $
.Dt PUMP 1
.Os
.Sh NAME
.Nm pump
.Nd move water
.Sh SYNOPSIS
.Nm
.Op Fl av
.Op Fl l Ar level
.Ar
.Sh DESCRIPTION
.Nm
moves water (see
.Xr valve 8 ) .
Quit with
.Dq \&. .
Call
.Fn pump_open "int level" flags .
.Bl -tag -width Ds
.It Fl a
Pump all.
.It Fl L Xo
.Sm off
.Oo Ar host : Oc
.Ar port
.Sm on
.Xc
Listen on
.Ar port .
.El
.Pp
Then:
.Bl -bullet
.It
one
.It
two
.El
.Bl -compact -enum
.It
first
.Bl -enum
.It
inner
.El
.It
second
.El
.Bd -literal -offset indent
pump -a
  -l 3
.Ed
.Ex -std
`), "pump(1)", `h1 NAME
p pump — move water
h1 SYNOPSIS
p pump [-av] [-l level] file ...
h1 DESCRIPTION
p pump moves water (see valve(8)). Quit with “.”. Call pump_open(int level, flags).
h17 -a
p Pump all.
h17 -L [host:]port
p Listen on port.
p Then:
li - one
li - two
li 1. first
li 1. inner
li 2. second
code pump -a\n  -l 3
p The pump utility exits 0 on success, and >0 if an error occurs.
`)
}

// TestTabs reads tables with tab stops, as in crontab(5).
func TestTabs(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, roff.Read, []byte(`.TH A 1
.SH B
The fields are:
.ta 1.5i
field	allowed\tvalues
minute	0\-59
hour		0\-23
.br
 	day	1\-31
All are
needed.
.TP
\-a	\-b
two
words
.nf
x	y
`), "a(1)", `h1 B
p The fields are:\nfield | allowed values\nminute | 0-59\nhour | 0-23\nday | 1-31\nAll are needed.
h17 -a -b
p two words
code x	y
`)
}

// TestReference reads a page that only includes another one.
func TestReference(t *testing.T) {
	t.Parallel()
	extracttest.Check(t, roff.Read, []byte(".so man8/pump.8\n"), "", "p See man8/pump.8.\n")
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`\(lqa\(rq \(bu\[em]\(->`:                      "“a” •—→",
		`\[u00E9]\('e\[:a]\(*a\N'65'\[char66]`:         "éé" + "äαAB",
		`a\s-1b\s0c\s+(12d\s'+2'e\fBf\f(CWg\f[B]h\f[]`: "abcdefgh",
		`\h'-04'x\v'1'y\w'zz'z\z_\kx\n(xx\nx\n[y]!`:    "xyz_!",
		`\*(lqq\*(rq\*R\*[Tm]\*(zz`:                    "“q”®™",
		`C:\\dir \e \- \& \| \~\0x\c`:                  `C:\dir \ -     x`,
		`\(zz\[nonsense]\[u110000]\(`:                  "",
	} {
		doc, err := roff.Read(t.Context(), "", []byte(".TH A 1\n.SH B\n.nf\n.\n|"+in+"|\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, got, _ := strings.Cut(strings.TrimSuffix(doc.Text, "|"), "|"); got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		page:                              true,
		".TH \"TWO WORDS\" \"3pm\"\n":     true,
		".\\\" c\n\n.Dd today\n.Dt A 1\n": true,
		".ig\nwords\n..\n.de XX\ntext\n..\n.TH A 1\n": true,
		".\\\" c\n.so man1/pump.1\n":                  true,
		"":                                            false,
		"words\n.TH A 1\n":                            false,
		".TH is the macro for titles\n":               false,
		".Dt A 1\n":                                   false,
		".gitignore\n.TH A 1\n":                       false,
		".PP\n.TH A 1\n":                              false,
		".so much for that\n":                         false,
		"'Twas brillig, and the slithy toves\nDid gyre": false,
	} {
		if got := roff.Detect(text); got != want {
			t.Errorf("%.30q: %v", text, got)
		}
	}
}

// TestHostile reads pages that nest and insert without end.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"strings":    ".ds A \\*B\\*B\n.ds B \\*A\\*A\n\\*A\n",
		"doubling":   ".ds A xxxxxxxxxxxxxxxx\n.ds B \\*A\\*A\\*A\\*A\\*A\\*A\\*A\\*A\n" + strings.Repeat("\\*B", 9000),
		"megabytes":  ".ds A " + strings.Repeat("x", 60000) + "\n" + strings.Repeat("\\*A\n", 20000),
		"continued":  strings.Repeat("a\\\n", 200000),
		"terms":      strings.Repeat(".TP\na\n", 50000),
		"brackets":   ".Dd\n.Dt A 1\n.Op " + strings.Repeat("Op ", 50000),
		"indent":     strings.Repeat(".RS\n.TP\na\nb\n", 5000),
		"conditions": ".if n " + strings.Repeat(".if n ", 20000) + "x\n",
		"blocks":     strings.Repeat(".if t \\{\\\n", 5000) + "x",
		"table":      ".TS\nl.\n" + strings.Repeat("T{\n", 5000),
		"cells":      ".TS\nl.\nT{\nT{\n.TE\nx\n",
		"open":       ".Bl -tag\n.It Fl a Xo\n" + strings.Repeat("b\n", 5000),
	} {
		doc, err := roff.Read(t.Context(), "", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		extracttest.Verify(t, doc)
		if len(doc.Text) > 20*len(text)+1<<17 {
			t.Errorf("%s: %d bytes become %d", name, len(text), len(doc.Text))
		}
	}
	if _, err := roff.Read(extracttest.Canceled(t), "", []byte(page)); err == nil {
		t.Error("read in spite of the canceled context")
	}
}

// TestLong reads megabytes that take more than half an hour if each part of them is searched or copied
// again for the next one.
func TestLong(t *testing.T) {
	t.Parallel()
	const size = 12 << 20
	var delimiters strings.Builder
	for r := rune(0x10000); r <= 0x10ffff; r++ {
		delimiters.WriteString(`\h` + string(r))
	}
	for name, text := range map[string]string{
		"characters": strings.Repeat(`\[`, size/2),
		"fonts":      strings.Repeat(`\f[`, size/3),
		"delimiters": delimiters.String(),
		"links":      ".nf\n" + strings.Repeat(".UE x\n", size/6),
	} {
		doc, err := roff.Read(t.Context(), "", []byte(".TH A 1\n.SH B\nwords\n"+text+"\n"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !strings.HasPrefix(doc.Text, "B\n\nwords") {
			t.Errorf("%s: begins with %.20q", name, doc.Text)
		}
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	const table = ".Dd May 4, 2026\n.Dt PUMP 8\n.Os\n.Sh NAME\n.Bl -column a b\n.It Sy Signal Ta Sy Meaning\n.It Dv SIGHUP Ta reload Op now Ta yes\n.It Fl d\n.Ta run\n.El\n"
	extracttest.Check(t, roff.Read, []byte(table), "pump(8)", "h1 NAME\nli Signal | Meaning\nli SIGHUP | reload [now] | yes\nli -d | run\n")
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{page, ".Dd a\n.Dt A 1\n.Nm x\n.Bl -column\n.It a Ta b\n.El\n.Fl Ns Op a Ap b", ".ie 'a'b' x\n.el \\{y\n.\\}", ".TS\ntab(|);\nl.\na|T{\nb\nT}|c\n.TE"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		roff.Detect(text)
		extracttest.FuzzRead(t, roff.Read, []byte(text))
	})
}
