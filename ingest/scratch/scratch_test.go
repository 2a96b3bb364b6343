package scratch_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"docent/ingest/scratch"
)

// asOwner is an environment variable that makes the test binary create folders
// and wait.
const asOwner = "SCRATCH_TEST_OWNER"

func TestMain(m *testing.M) {
	if os.Getenv(asOwner) != "" {
		for _, kind := range []scratch.Kind{scratch.Parts, scratch.Tool} {
			f, err := scratch.Make(kind)
			if err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			if err := os.WriteFile(filepath.Join(f.Path, "file"), []byte("x"), 0o600); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println(f.Path)
		}
		os.Stdin.Read(make([]byte, 1)) //nolint:errcheck // it is killed
	}
	os.Exit(m.Run())
}

// TestSweep checks that Sweep removes the folders of a killed process and keeps
// those of a running one. It changes the folder for temporary files, so it is not
// parallel.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	owner := exec.CommandContext(t.Context(), exe)
	owner.Env = append(os.Environ(), asOwner+"=1")
	in, err := owner.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	var theirs []string
	for lines := bufio.NewScanner(out); len(theirs) < 2 && lines.Scan(); {
		theirs = append(theirs, lines.Text())
	}
	ours, err := scratch.Make(scratch.Parts)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "docent-parts-123other"), 0o700); err != nil {
		t.Fatal(err)
	}
	if removed, err := scratch.Sweep(); err != nil || len(removed) != 0 {
		t.Errorf("while the owners run: %v, %v", removed, err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	removed, err := scratch.Sweep()
	slices.Sort(theirs)
	if err != nil || !slices.Equal(removed, theirs) {
		t.Errorf("removed are %v, %v, want %v", removed, err, theirs)
	}
	if _, err := os.Stat(ours.Path); err != nil {
		t.Error(err)
	}
	if err := ours.Remove(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 || !strings.HasSuffix(left[0].Name(), "other") {
		t.Errorf("left are %v, %v", left, err)
	}
}
