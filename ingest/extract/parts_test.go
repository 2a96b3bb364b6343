package extract_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"docent/ingest/extract"
	"docent/ingest/intake"
	"docent/internal/fault"
)

// files are names and contents for an archive.
type files []struct{ name, data string }

func zipOf(t testing.TB, list files) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range list {
		h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, NonUTF8: true}
		e, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Write([]byte(f.data)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tarOf(t testing.TB, list files) string {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range list {
		h := &tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.data)), Typeflag: tar.TypeReg}
		if target, ok := strings.CutPrefix(f.data, "link:"); ok {
			h.Typeflag, h.Linkname, h.Size = tar.TypeSymlink, target, 0
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(f.data)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func gzipOf(t testing.TB, data string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// noise is text that does not compress.
func noiseBytes(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		sum := sha256.Sum256([]byte{byte(i), byte(i >> 8)})
		b.Write(sum[:])
	}
	return b.String()
}

// showParts lists the parts of a source, one to a line.
func showParts(t testing.TB, name, data string) string {
	t.Helper()
	var b strings.Builder
	whole, parts := newExtractor(t).Parts(t.Context(), intake.Source{Name: name, Data: []byte(data)})
	fmt.Fprintf(&b, "whole=%t\n", whole)
	for p, err := range parts {
		switch {
		case err != nil:
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("%s: %v", name, err)
			}
			reason, _, _ := strings.Cut(fault.Message(err), ":")
			fmt.Fprintf(&b, "error %s\n", reason)
		case !p.Reason.IsZero():
			reason, _, _ := strings.Cut(p.Reason.Message, ":")
			fmt.Fprintf(&b, "%s: %s\n", p.Name, reason)
		default:
			fmt.Fprintf(&b, "%s %.20q\n", p.Name, p.Data)
		}
	}
	return b.String()
}

const letter = `Received: from a by b; Mon, 5 Jan 2026 10:00:00 +0100
From: =?utf-8?Q?J=C3=BCrgen?= <j@example.org>
To: team@example.org
Subject: Plan
Date: Mon, 5 Jan 2026 10:00:00 +0100
Message-ID: <1@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Gr=FC=DFe=20
--b
Content-Type: text/csv; name="a.csv"
Content-Disposition: attachment; filename="../a.csv"
Content-Transfer-Encoding: base64

YSxiCjEsMgo=
--b
Content-Type: application/zip; name*=utf-8''b%C3%A4.zip
Content-Transfer-Encoding: base64

ZIP
--b--
`

// letterWith is the letter with an archive attached.
func letterWith(archive string) string {
	return strings.Replace(letter, "ZIP", base64.StdEncoding.EncodeToString([]byte(archive)), 1)
}

func TestParts(t *testing.T) {
	t.Parallel()
	inner := zipOf(t, files{{"x.txt", "deep"}})
	for _, tt := range []struct{ name, data, want string }{
		{"a.txt", "text", "whole=true\n"},
		{"a.zip", zipOf(t, files{{"one.txt", "1"}, {"dir/", ""}, {"dir/two.md", "# 2"}, {".git/config", "x"}, {"__MACOSX/._one.txt", "x"}, {"dir/Thumbs.db", "x"}}), "whole=false\none.txt \"1\"\ndir/two.md \"# 2\"\n"},
		{"a.zip", zipOf(t, files{{"../../etc/passwd", "1"}, {"/abs.txt", "2"}, {`C:\dir\win.txt`, "3"}, {"a\x01\nb.txt", "4"}, {"same.txt", "5"}, {"./same.txt", "6"}}), "whole=false\netc/passwd \"1\"\nabs.txt \"2\"\ndir/win.txt \"3\"\nab.txt \"4\"\nsame.txt \"5\"\nsame-2.txt \"6\"\n"},
		{"a.zip", zipOf(t, files{{"Gr\x81\xe1e.txt", "1"}}), "whole=false\nGrüße.txt \"1\"\n"},
		{"a.zip", zipOf(t, files{{"\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x83t\x83@\x83C\x83\x8b.txt", "1"}}), "whole=false\n日本語のファイル.txt \"1\"\n"},
		{"a.zip", zipOf(t, files{{"in.zip", inner}, {"in2.zip", zipOf(t, files{{"in3.zip", inner}, {"y.txt", "y"}})}}), "whole=false\nin.zip/x.txt \"deep\"\nin2.zip/in3.zip: nested\nin2.zip/y.txt \"y\"\n"},
		{"a.zip", zipOf(t, files{{"bad.zip", inner[:60]}, {"z.txt", "z"}}), "whole=false\nbad.zip: damaged\nz.txt \"z\"\n"},
		{"cut.zip", inner[:60], "whole=false\nerror damaged\n"},
		{"a.tar", tarOf(t, files{{"one.txt", "1"}, {"l", "link:/etc/passwd"}, {"d/two.txt", "2"}}), "whole=false\none.txt \"1\"\nd/two.txt \"2\"\n"},
		{"a.tgz", gzipOf(t, tarOf(t, files{{"one.txt", "1"}})), "whole=false\none.txt \"1\"\n"},
		{"cut.tgz", gzipOf(t, tarOf(t, files{{"one.txt", "1"}, {"two.txt", noiseBytes(20000)}}))[:9000], "whole=false\none.txt \"1\"\nerror damaged\n"},
		{"notes.txt.gz", gzipOf(t, "notes"), "whole=false\nnotes.txt \"notes\"\n"},
		{"bomb.gz", gzipOf(t, strings.Repeat("\x00", 80<<20)), "whole=false\nerror too large\n"},
		{"letter.eml", letterWith(inner), "whole=true\na.csv \"a,b\\n1,2\\n\"\nbä.zip/x.txt \"deep\"\n"},
		{"m.mbox", "From a Mon Jan  5 10:00:00 2026\n" + letterWith(inner) + "\nFrom b Tue Jan  6 10:00:00 2026\nSubject: x\nMessage-ID: <2>\n\n>From here\n>>From there\nFrom now on\n", `whole=false
c0723f335f036784.eml "Received: from a by "
c0723f335f036784.eml/a.csv "a,b\n1,2\n"
c0723f335f036784.eml/bä.zip/x.txt "deep"
f8906620db25b6e7.eml "Subject: x\nMessage-I"
`},
	} {
		if got := showParts(t, tt.name, tt.data); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

func TestMayHaveParts(t *testing.T) {
	t.Parallel()
	archive := zipOf(t, files{{"one.txt", "1"}})
	book := zipOf(t, files{{"mimetype", "application/epub+zip"}})
	for _, tt := range []struct {
		name, head string
		want       bool
	}{
		{"a.zip", archive, true},
		{"noname", archive, true},
		{"a.docx", archive, false},
		{"a.XLSX", archive, false},
		{"a.epub", book, false},
		{"noname", book, false},
		{"noname", zipOf(t, files{{"[Content_Types].xml", "x"}}), false},
		{"a.tar", tarOf(t, files{{"one.txt", "1"}}), true},
		{"a.gz", gzipOf(t, "1"), true},
		{"a.bz2", "BZh91AY&SY", true},
		{"a.xz", "\xfd7zXZ\x00", true},
		{"a.zst", "\x28\xb5\x2f\xfd", true},
		{"a.mbox", "From a@b Mon Jan  5 10:00:00 2026\nFrom: a\n", true},
		{"a.mbox", "From the start, at 10:00 in 2026\nwe went\n", false},
		{"a.eml", letter, true},
		{"a.eml", "From: a\nTo: b\n\ntext", true},
		{"a.txt", "From: a\nTo: b\nSubject: c\nDate: d\n\ntext", false},
		{"a.md", letter, false},
		{"a.go", letter, false},
		{"a.html", "<p>", false},
		{"a.msg", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", true},
		{"a.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", false},
		{"a.pdf", "%PDF-1.4", true},
		{"empty", "", false},
	} {
		if got := extract.MayHaveParts(tt.name, []byte(tt.head)); got != tt.want {
			t.Errorf("%s %.20q: %t", tt.name, tt.head, got)
		}
	}
}

// packed are archives made by xz, bzip2, zstd, tar and zip.
var packed = []struct{ name, data, want string }{
	{"note.txt.xz", "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAISGVsbG8geHoKAAAAACmiygLWgENBAAEhCWwYxdUftvN9AQAAAAAEWVo=", "note.txt \"Hello xz\\n\"\n"},
	{"note.txt.bz2", "QlpoOTFBWSZTWS6eDgAAAAFVgAAQQAAAQAIEgFAgADEMCCGmj0kM3iieLuSKcKEgXTwcAA==", "note.txt \"Hello xz\\n\"\n"},
	{"note.txt.zst", "KLUv/SQJSQAASGVsbG8geHoKkKVZxg==", "note.txt \"Hello xz\\n\"\n"},
	{"n.tar.xz", "/Td6WFoAAATm1rRGAgAhARYAAAB0L+Wj4Cf/AHVdADcbyu7jSLGwl3Rxk6H0s6xr9zFffGQn6ob6cBFQqJwYHK5cMXzE3OXSdzJHGV+rmw0EaB7vtcWLXGSU+RN6dTqj2/NCBSF3KCHoTNDEKFpMV2RjNBmyFTg9q4867UZ8twLYDpP4Sm+DgrT1ItYNs7dF7TVCAAAAAACwwes2Ju2T0gABkQGAUAAAAKDqqbHEZ/sCAAAAAARZWg==", "note.txt \"Hello xz\\n\"\n"},
	{"enc.zip", "UEsDBAoACQAAAOB5dl32/N/8FQAAAAkAAAAIABwAbm90ZS50eHRVVAkAA/QGA2v0BgNrdXgLAAEEAAAAAAQAAAAAVNA2wHYDqsdmK1MXc7W9hlgfegS1UEsHCPb83/wVAAAACQAAAFBLAQIeAwoACQAAAOB5dl32/N/8FQAAAAkAAAAIABgAAAAAAAEAAACkgQAAAABub3RlLnR4dFVUBQAD9AYDa3V4CwABBAAAAAAEAAAAAFBLBQYAAAAAAQABAE4AAABnAAAAAAA=", "note.txt: encrypted\n"},
}

func TestPacked(t *testing.T) {
	t.Parallel()
	for _, tt := range packed {
		data, err := base64.StdEncoding.DecodeString(tt.data)
		if err != nil {
			t.Fatal(err)
		}
		if got := showParts(t, tt.name, string(data)); got != "whole=false\n"+tt.want {
			t.Errorf("%s:\n%s", tt.name, got)
		}
		if got := showParts(t, tt.name, string(data[:len(data)/2])); !strings.Contains(got, "error damaged") {
			t.Errorf("half of %s:\n%s", tt.name, got)
		}
	}
}

// TestJAR checks that a JAR with source code is opened as an archive, and a JAR
// with a program is not.
func TestJAR(t *testing.T) {
	t.Parallel()
	const manifest = "META-INF/MANIFEST.MF"
	if got := showParts(t, "a-sources.jar", zipOf(t, files{{manifest, "Manifest-Version: 1.0"}, {"b/C.java", "class C {}"}})); !strings.Contains(got, `b/C.java "class C {}"`) {
		t.Errorf("source code: %s", got)
	}
	if got := showParts(t, "a.jar", zipOf(t, files{{manifest, "Manifest-Version: 1.0"}, {"b/C.class", "\xca\xfe\xba\xbe"}})); got != "whole=true\n" {
		t.Errorf("a program: %s", got)
	}
}
