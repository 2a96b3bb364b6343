package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

const (
	// line is a row of a table: a package, and processor seconds.
	line = "%-40s %7.1f\n"
	// growth is the factor above which a package gets a note.
	growth = 1.2
	// small is the time in seconds below which a package is not in the golden table.
	small = 2
)

// read returns the seconds of each package.
func read(file string) (map[string]float64, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("open the table: %w", err)
	}
	defer f.Close() //nolint:errcheck // only read
	table := map[string]float64{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var pkg string
		var seconds float64
		if _, err := fmt.Sscan(sc.Text(), &pkg, &seconds); err != nil {
			return nil, fmt.Errorf("%s: read %q: %w", file, sc.Text(), err)
		}
		table[pkg] += seconds
	}
	return table, nil
}

// compare prints the sum of a table, and a note for each package that needs much more time than the
// golden table says.
func compare(w io.Writer, file, golden string) error {
	got, err := read(file)
	if err != nil {
		return err
	}
	want, err := read(golden)
	if err != nil {
		return err
	}
	sum := 0.0
	for _, pkg := range slices.Sorted(maps.Keys(got)) {
		sum += got[pkg]
		if limit := max(want[pkg], small) * growth; got[pkg] > limit {
			fmt.Fprintf(w, "note: the tests of %s need %.1f s of processor time, and %.1f s in %s\n", pkg, got[pkg], want[pkg], golden)
		}
	}
	fmt.Fprintf(w, "the Go tests needed %.0f s of processor time\n", sum)
	return nil
}

// update writes the measured times into the golden table. Packages that were not measured stay.
func update(file, golden string) error {
	got, err := read(file)
	if err != nil {
		return err
	}
	want, err := read(golden)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		want = map[string]float64{}
	case err != nil:
		return err
	}
	maps.Copy(want, got)
	var b strings.Builder
	for _, pkg := range slices.Sorted(maps.Keys(want)) {
		if want[pkg] >= small {
			fmt.Fprintf(&b, line, pkg, want[pkg])
		}
	}
	if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil { //nolint:gosec // not secret
		return fmt.Errorf("write the golden table: %w", err)
	}
	return nil
}
