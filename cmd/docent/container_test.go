package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// compose is what docker-compose.yml may hold; unknown keys fail the decoding.
type compose struct {
	Services map[string]struct {
		Build       string            `yaml:"build"`
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		DependsOn   map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
		Healthcheck struct {
			Test        []string `yaml:"test"`
			Interval    string   `yaml:"interval"`
			Timeout     string   `yaml:"timeout"`
			Retries     int      `yaml:"retries"`
			StartPeriod string   `yaml:"start_period"`
		} `yaml:"healthcheck"`
		Restart string `yaml:"restart"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

func TestCompose(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	var c compose
	dec := yaml.NewDecoder(bytes.NewReader(raw))
	dec.KnownFields(true)
	if err := dec.Decode(&c); err != nil {
		t.Fatal(err)
	}
	for name, s := range c.Services {
		if len(s.Healthcheck.Test) < 2 || (s.Healthcheck.Test[0] != "CMD" && s.Healthcheck.Test[0] != "CMD-SHELL") {
			t.Errorf("service %s has no health check", name)
		}
		if (s.Build == "") == (s.Image == "") {
			t.Errorf("service %s needs either build or image", name)
		}
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("service %s publishes %s to everyone", name, p)
			}
		}
		for dep, d := range s.DependsOn {
			if _, ok := c.Services[dep]; !ok || d.Condition != "service_healthy" {
				t.Errorf("service %s depends on %s, %q", name, dep, d.Condition)
			}
		}
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if _, named := c.Volumes[source]; !named && !strings.HasPrefix(source, "./") {
				t.Errorf("service %s mounts %s, which is no volume", name, source)
			}
		}
	}
	// The command lines in the file are ones the program understands.
	for _, args := range [][]string{c.Services["app"].Command, c.Services["app"].Healthcheck.Test[2:]} {
		cmd, rest, err := newRoot(stdio{}).Find(args)
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("docent %v: %v", args, err)
		}
	}
	if c.Services["app"].Environment["DATABASE_URL"] == "" || len(c.Volumes) != 2 {
		t.Errorf("app has no database, or the data no volumes")
	}
}

// TestImageBuild runs the build commands of the Dockerfile as they stand, each
// stage in a folder of its own that stands for the image's root.
func TestImageBuild(t *testing.T) {
	t.Parallel()
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

// buildContext copies what git knows of the tree, or does not ignore.
func buildContext(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	shell(t, "../..", `git ls-files -z -co --exclude-standard | xargs -0 cp --parents -t "$1"`, dir)
	return dir
}

// copyInto does one COPY instruction.
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
