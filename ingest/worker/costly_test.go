package worker_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"docent/ingest/intake"
	"docent/ingest/worker"
	"docent/internal/fault"
)

// packedPDF is a PDF with one page, whose content is packed.
func packedPDF(t *testing.T, content []byte) []byte {
	t.Helper()
	var packed, out bytes.Buffer
	z := zlib.NewWriter(&packed)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	var offsets []int
	out.WriteString("%PDF-1.4\n")
	for i, object := range []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
		fmt.Sprintf("<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream", packed.Len(), packed.Bytes()),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
	} {
		offsets = append(offsets, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := out.Len()
	out.WriteString("xref\n0 6\n0000000000 65535 f \n")
	for _, at := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&out, "trailer << /Size 6 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF", xref)
	return out.Bytes()
}

// TestCostlyDocuments reads small files that cost much memory or time: a page of a
// PDF that unpacks to 150 MB, and lists that are nested 1,000 deep. Each is read or refused within the limits of a worker, and the worker
// reads others afterwards.
func TestCostlyDocuments(t *testing.T) {
	t.Parallel()
	p := newPool(t, worker.PoolConfig{Quick: 1, Full: 1})
	var lists strings.Builder
	for i := range 1000 {
		lists.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	for name, data := range map[string][]byte{
		"blanks.pdf": packedPDF(t, append([]byte("BT /F1 12 Tf 72 700 Td (Pump) Tj ET "), bytes.Repeat([]byte(" "), 150<<20)...)),
		"lists.md":   []byte(lists.String()),
	} {
		if _, err := p.Read(t.Context(), intake.Source{Name: name, Data: data}); err != nil && fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
		if r, err := p.Read(t.Context(), intake.Source{Name: "a.txt", Data: []byte("The pump is red.")}); err != nil || r.Text != "The pump is red." {
			t.Errorf("after %s: %q, %v", name, r.Text, err)
		}
	}
}
