package numfmt_test

import (
	"testing"

	"docent/ingest/extract/numfmt"
)

func FuzzNumberFormat(f *testing.F) {
	for _, code := range []string{`#,##0.00;[Red]-#,##0.00`, `[$€-407] 0.0,,%`, `# ??/??`, `[h]:mm:ss.0 AM/PM`, `[>=100]0E+00;"x"@_)*-`} {
		f.Add(code, 1234.5)
	}
	f.Fuzz(func(t *testing.T, code string, v float64) {
		numfmt.Parse(code).Number(v, false)
	})
}
