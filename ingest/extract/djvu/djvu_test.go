package djvu_test

import (
	"errors"
	"testing"

	"docent/ingest/extract/djvu"
	"docent/ingest/extract/extracttest"
	"docent/ingest/extract/office"
	"docent/internal/fault"
)

func TestPages(t *testing.T) {
	t.Parallel()
	doc, err := djvu.Read(map[int]string{2: "The keel is oak.\n\nIt is old.", 0: "Ships of the north", 1: " \n"})
	if err != nil {
		t.Fatal(err)
	}
	extracttest.Verify(t, doc)
	if got, want := extracttest.Show(doc), "p@0 Ships of the north\np@2 The keel is oak.\np@2 It is old.\n"; got != want {
		t.Errorf("the blocks are\n%s\nwant\n%s", got, want)
	}
}

func TestWithoutProgram(t *testing.T) {
	t.Parallel()
	_, err := djvu.Read(nil)
	var other *office.LegacyError
	if !errors.As(err, &other) || other.Media != djvu.Media || fault.KindOf(err) != fault.Invalid {
		t.Errorf("the error is %v", err)
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]bool{
		"AT&TFORM\x00\x00\x01\x00DJVUINFO": true, "AT&TFORM\x00\x00\x01\x00DJVMDIRM": true, "AT&TFORM\x00\x00\x01\x00AIFFCOMM": false, "AT&TFORM": false,
	} {
		if djvu.Is([]byte(data)) != want {
			t.Errorf("%q: want %v", data, want)
		}
	}
}
