package retrieve_test

import (
	"testing"

	"docent/rag/retrieve"
)

func TestSlips(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"colum": "column", "pasword": "password", "allready": "already", "loction": "location",
		"pgbouncer": "", "kubernetes": "", "work_mem": "", "uuidv7": "", "default": "", "cat": "", "Österreich": "", "conn": "",
	} {
		got := ""
		for _, s := range retrieve.Slips(newStatic(t), text) {
			got = s.Meant()
		}
		if got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
}

func FuzzSlips(f *testing.F) {
	for _, s := range []string{"valeu of colum", "\xffabcde", "ﬁeldd", "İstanbull"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range retrieve.Slips(newStatic(t), text) {
			if s.Start < 0 || s.End > len(text) || s.Start >= s.End || s.Meant() == "" {
				t.Fatalf("%+v in %q", s, text)
			}
		}
	})
}
