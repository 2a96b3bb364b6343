package ingest_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"docent/ingest"
)

// zipped returns an archive of files, given as name, text, name, text.
func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		f, err := w.Create(files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestArchive(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("parts.zip", zipped(t, "pump.md", "# Pump\n\nIt pumps.", "old/valve.txt", "It opens."))
	f.expect(ingest.Request{}, "added parts.zip#pump.md\nadded parts.zip#old/valve.txt\n")
	f.expect(ingest.Request{}, "unchanged parts.zip#pump.md\nunchanged parts.zip#old/valve.txt\n")

	changed := zipped(t, "pump.md", "# Pump\n\nIt pumps.", "seal.txt", "It seals.")
	f.write("parts.zip", changed)
	f.expect(ingest.Request{}, "unchanged parts.zip#pump.md\nadded parts.zip#seal.txt\nremoved parts.zip#old/valve.txt\n")

	f.write("parts.zip", changed[:len(changed)/2])
	f.expect(ingest.Request{}, "failed parts.zip: damaged: the archive cannot be opened, or a part of it is missing; add an undamaged copy\n")
	f.write("parts.zip", changed)
	f.expect(ingest.Request{}, "unchanged parts.zip#pump.md\nunchanged parts.zip#seal.txt\nremoved parts.zip\n")
}

// TestArchivePages leaves out the blocks that most pages in a folder of an archive
// share.
func TestArchivePages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	const menu = "<p>Home and overview</p><p>All pumps of the house</p><p>Where to call us</p>"
	var pages []string
	for i := range 9 {
		pages = append(pages, fmt.Sprintf("site/%d.html", i), fmt.Sprintf("<body>%s<h1>Pump %d</h1><p>It moves %d liters in a minute.</p>", menu, i, i*10))
	}
	pages = append(pages, "other/a.html", "<body>"+menu+"<p>Another folder.</p>")
	f.write("site.zip", zipped(t, pages...))
	f.run(ingest.Request{})
	for source, doc := range f.store.docs {
		_, name, _ := strings.Cut(source, "#")
		if got, want := strings.Contains(doc.doc.Text, "All pumps of the house"), name == "other/a.html"; got != want {
			t.Errorf("%s: %q", name, doc.doc.Text)
		}
	}
}

// letter is a mail with a text file attached to it.
func letter(text, name, attached string) string {
	return strings.ReplaceAll(`From: Ann <ann@example.com>
To: Bob <bob@example.com>
Subject: Pumps
Date: Mon, 2 Mar 2026 10:00:00 +0000
Message-ID: <`+name+`@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=edge

--edge
Content-Type: text/plain

`+text+`
--edge
Content-Type: text/plain
Content-Disposition: attachment; filename="`+name+`"

`+attached+`
--edge--
`, "\n", "\r\n")
}

func TestMailWithAttachment(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("mail.eml", letter("See the list.", "list.txt", "Two seals."))
	f.expect(ingest.Request{}, "added mail.eml#list.txt\nadded mail.eml\n")
	f.expect(ingest.Request{}, "unchanged mail.eml#list.txt\nunchanged mail.eml\n")
	f.write("mail.eml", letter("See the other list.", "other.txt", "Three seals."))
	f.expect(ingest.Request{}, "added mail.eml#other.txt\nchanged mail.eml\nremoved mail.eml#list.txt\n")
	f.write("mail.eml", letter("See the other list, please.", "other.txt", "Three seals."))
	f.expect(ingest.Request{}, "unchanged mail.eml#other.txt\nchanged mail.eml\n")
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	mailbox := func(letters ...string) string {
		var b strings.Builder
		for _, l := range letters {
			b.WriteString("From ann@example.com Mon Mar  2 10:00:00 2026\n" + strings.ReplaceAll(l, "\r\n", "\n") + "\n")
		}
		return b.String()
	}
	first, second := letter("One.", "one.txt", "First seal."), letter("Two.", "two.txt", "Second seal.")
	f.write("box.mbox", mailbox(first, second))
	f.expect(ingest.Request{}, "added box.mbox#805b545e089976df.eml\nadded box.mbox#805b545e089976df.eml/one.txt\nadded box.mbox#3e888b24e79e5a52.eml\nadded box.mbox#3e888b24e79e5a52.eml/two.txt\n")
	f.expect(ingest.Request{}, "unchanged box.mbox#805b545e089976df.eml\nunchanged box.mbox#805b545e089976df.eml/one.txt\nunchanged box.mbox#3e888b24e79e5a52.eml\nunchanged box.mbox#3e888b24e79e5a52.eml/two.txt\n")
	f.write("box.mbox", mailbox(second))
	f.expect(ingest.Request{}, "unchanged box.mbox#3e888b24e79e5a52.eml\nunchanged box.mbox#3e888b24e79e5a52.eml/two.txt\nremoved box.mbox#805b545e089976df.eml\nremoved box.mbox#805b545e089976df.eml/one.txt\n")
}

// TestEmptyArchive checks that an archive without files is reported as empty.
func TestEmptyArchive(t *testing.T) {
	t.Parallel()
	f := newFixture(t, ingest.Config{})
	f.write("empty.zip", "PK\x05\x06"+strings.Repeat("\x00", 18))
	f.expect(ingest.Request{}, "skipped empty.zip: empty: it contains no documents\n")
}
