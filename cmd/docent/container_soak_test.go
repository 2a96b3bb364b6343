//go:build soak

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSoakImageBuild runs the build commands of the Dockerfile. Each stage has a
// folder as the image's root. It is a soak test because it installs the page's
// packages and builds page and program once more.
func TestSoakImageBuild(t *testing.T) {
	raw, err := os.ReadFile("../../Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	tree := buildContext(t)
	stages := map[string]string{}
	var root, dir string
	ran := 0
	for _, line := range strings.Split(strings.ReplaceAll(string(raw), "\\\n", " "), "\n") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "FROM":
			root = t.TempDir()
			fields := strings.Fields(rest)
			stages[fields[len(fields)-1]] = root
			dir = root
		case "WORKDIR":
			dir = filepath.Join(root, rest)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		case "COPY":
			copyInto(t, tree, stages, root, dir, strings.Fields(rest))
		case "RUN":
			cmd := exec.CommandContext(t.Context(), "sh", "-c", rest)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "VERSION=docker", "GOFLAGS=-buildvcs=false")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("RUN %s: %v\n%s", rest, err, out)
			}
			ran++
		}
	}
	if ran < 4 {
		t.Fatalf("ran only %d commands", ran)
	}
	out, err := exec.CommandContext(t.Context(), filepath.Join(root, "docent"), "version").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "docent docker") {
		t.Fatalf("the image's program: %v\n%s", err, out)
	}
}

// buildContext copies the files of the tree that git does not ignore.
func buildContext(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	shell(t, "../..", `git ls-files -z -co --exclude-standard | xargs -0 cp --parents -t "$1"`, dir)
	return dir
}

// copyInto runs one COPY instruction.
func copyInto(t *testing.T, tree string, stages map[string]string, root, dir string, args []string) {
	t.Helper()
	from := tree
	args = slices.DeleteFunc(args, func(a string) bool {
		if stage, ok := strings.CutPrefix(a, "--from="); ok {
			from = stages[stage]
		}
		return strings.HasPrefix(a, "--")
	})
	sources, dest := args[:len(args)-1], args[len(args)-1]
	base := dir
	if strings.HasPrefix(dest, "/") {
		base = root
	}
	into := strings.HasSuffix(dest, "/") // a folder, even for a file
	dest = filepath.Join(base, dest)
	for _, src := range sources {
		src = filepath.Join(from, src)
		info, err := os.Stat(src)
		switch {
		case err != nil:
			t.Fatalf("COPY: %v", err)
		case info.IsDir():
			shell(t, from, `mkdir -p "$2" && cp -R "$1/." "$2/"`, src, dest)
		case into:
			shell(t, from, `mkdir -p "$2" && cp "$1" "$2/"`, src, dest)
		default:
			shell(t, from, `mkdir -p "$(dirname "$2")" && cp "$1" "$2"`, src, dest)
		}
	}
}

// shell runs a command line with its arguments as $1, $2, ….
func shell(t *testing.T, dir, line string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", line, "sh"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", line, args, err, out)
	}
}
