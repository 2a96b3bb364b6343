package flat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"testing"
)

func TestSections(t *testing.T) {
	t.Parallel()
	text := func(s string) func(io.Writer) error {
		return func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		}
	}
	for _, want := range [][]string{{}, {""}, {"one"}, {"one", "", "two and more", ""}} {
		var b bytes.Buffer
		var all []func(io.Writer) error
		for _, s := range want {
			all = append(all, text(s))
		}
		if err := WriteSections(&b, all...); err != nil {
			t.Fatal(err)
		}
		sections, err := Sections(b.Bytes())
		var got []string
		for _, s := range sections {
			got = append(got, string(s))
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("got %q, %v; want %q", got, err, want)
		}
		for n := range b.Len() {
			if _, err := Sections(b.Bytes()[n+1:]); n+1 < b.Len() && len(want) > 0 && err == nil {
				t.Errorf("%q: all but %d bytes are enough", want, n+1)
			}
		}
	}
	failed := errors.New("failed")
	if err := WriteSections(&bytes.Buffer{}, text("one"), func(io.Writer) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a failed section: %v", err)
	}
	if err := WriteSections(&full{3}, text("one"), text("two")); !errors.Is(err, errFull) {
		t.Errorf("a full writer: %v", err)
	}
}

// A large file of another kind costs nothing, whatever number it ends with.
func TestSectionsOfOtherFiles(t *testing.T) {
	data := binary.LittleEndian.AppendUint64(make([]byte, 16<<20), 2<<20)
	var err error
	if allocations := testing.AllocsPerRun(100, func() { _, err = Sections(data) }); allocations > 0 || err == nil {
		t.Errorf("%v allocations, error %v", allocations, err)
	}
}

func FuzzSections(f *testing.F) {
	f.Add([]byte("12345678"))
	f.Add([]byte("one\x03\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		sections, err := Sections(data)
		n := 8
		for _, s := range sections {
			n += len(s) + 8
		}
		if err == nil && n != len(data) {
			t.Errorf("%d of %d bytes are in sections", n, len(data))
		}
	})
}
