package sourcetest_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"docent/ingest/source/feed"
	"docent/ingest/source/forge"
	"docent/ingest/source/git"
	"docent/ingest/source/imap"
	"docent/ingest/source/mediawiki"
	"docent/ingest/source/s3"
	"docent/ingest/source/singer"
	"docent/ingest/source/web"
	"docent/ingest/source/webdav"
)

// The reference lists every option of every kind.
func TestReference(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/reference/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	for kind, cfg := range map[string]any{
		"web": web.Config{}, "feed": feed.Config{}, "git": git.Config{}, "s3": s3.Config{}, "webdav": webdav.Config{}, "imap": imap.Config{},
		"mediawiki": mediawiki.Config{}, "singer": singer.Config{}, "forge": forge.Config{},
	} {
		_, section, ok := strings.Cut(string(text), "Kind: `"+kind+"`.")
		if !ok {
			t.Errorf("%s has no section", kind)
			continue
		}
		section, _, _ = strings.Cut(section, "\n## ")
		fields := reflect.TypeOf(cfg)
		options := 0
		for i := range fields.NumField() {
			name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			if name == "-" { // the operator's
				continue
			}
			options++
			if name == "" || !strings.Contains(section, "| `"+name+"` |") {
				t.Errorf("%s: the option %q is not in the reference", kind, name)
			}
		}
		if rows := strings.Count(section, "\n| `"); rows != options {
			t.Errorf("%s: %d options in the reference, %d in the code", kind, rows, options)
		}
	}
}
