package format

import (
	"strings"
	"testing"
)

func TestSkip(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a/~$Budget.docx": "skipped_office_lock", ".~lock.a.odt#": "skipped_office_lock", "Thumbs.db": "skipped_system_file",
		"a/.DS_Store": "skipped_system_file", "desktop.ini": "skipped_system_file", `a\desktop.INI`: "skipped_system_file", "._a.pdf": "skipped_system_file",
		"notes.txt~": "skipped_backup", "#notes.txt#": "skipped_backup", "a.md.bak": "skipped_backup", ".a.md.swp": "skipped_backup",
		"big.pdf.crdownload": "skipped_download", "big.zip.part": "skipped_download", "x.tmp": "skipped_download",
		"a.css": "skipped_style_sheet", "b.SCSS": "skipped_style_sheet", "package-lock.json": "skipped_package_lock", "a/go.sum": "skipped_package_lock",
		"Cargo.lock": "skipped_package_lock", "jquery.min.js": "skipped_minified", "a.min.css": "skipped_minified", "a.js.map": "skipped_minified",
		"Plan.gdoc": "skipped_pointer", "data.csv.dvc": "skipped_pointer", ".report.pdf.icloud": "skipped_pointer", "html/objects.inv": "skipped_index", "apple.xpm": "skipped_picture_code",
		"a.txt.save": "skipped_backup", "a.pages.sb-1a2b3c4d-xyz": "skipped_download", ".goutputstream-AB12CD": "skipped_download",
		"a.md": "", "a.js": "", "part.txt": "", "site.map": "", "a.lock": "", "admin.md": "", "tmp/a.md": "", "~": "", "##": "", "package.json": "", "C#": "",
		"a.min.md": "", "mapping.js": "", "old.txt": "",
	} {
		if got := Skip(name).Sentence.ID; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	long := strings.Repeat("var a=1;", 400)
	for name, c := range map[string]struct {
		head string
		want bool
	}{
		"a.js": {long, true}, "b.js": {"/* License\n of it */\n" + long, true}, "c.js": {strings.Repeat("var a = 1;\n", 400), false},
		"d.md": {long, false}, "e.js": {"x", false},
	} {
		if got := SkipCode(name, []byte(c.head)); got.IsZero() == c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
