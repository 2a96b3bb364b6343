package main

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"docent/config"

	"gopkg.in/yaml.v3"
)

// compose has the allowed keys of the compose files. Unknown keys fail the decoding.
type compose struct {
	Environment         any `yaml:"x-environment"`
	Server              any `yaml:"x-server"`
	WeaviateEnvironment any `yaml:"x-weaviate-environment"`
	Weaviate            any `yaml:"x-weaviate"`
	Services            map[string]struct {
		Build       string            `yaml:"build"`
		Image       string            `yaml:"image"`
		Command     []string          `yaml:"command"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Networks    []string          `yaml:"networks"`
		Configs     []struct {
			Source string `yaml:"source"`
			Target string `yaml:"target"`
		} `yaml:"configs"`
		DependsOn map[string]struct {
			Condition string `yaml:"condition"`
		} `yaml:"depends_on"`
		Healthcheck struct {
			Test        []string `yaml:"test"`
			Interval    string   `yaml:"interval"`
			Timeout     string   `yaml:"timeout"`
			Retries     int      `yaml:"retries"`
			StartPeriod string   `yaml:"start_period"`
			Disable     bool     `yaml:"disable"`
		} `yaml:"healthcheck"`
		MemLimit    string `yaml:"mem_limit"`
		GracePeriod string `yaml:"stop_grace_period"`
		Restart     string `yaml:"restart"`
	} `yaml:"services"`
	Configs  map[string]map[string]string `yaml:"configs"`
	Networks map[string]struct {
		Internal bool `yaml:"internal"`
		IPAM     any  `yaml:"ipam"`
	} `yaml:"networks"`
	Volumes map[string]any `yaml:"volumes"`
}

// readCompose decodes a compose file and checks what holds for each.
func readCompose(t *testing.T, file string) compose {
	t.Helper()
	raw, err := os.ReadFile("../../" + file)
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
		if name == "documents" { // doctor would call the chat model every minute
			if !s.Healthcheck.Disable {
				t.Errorf("service %s has a health check: %v", name, s.Healthcheck.Test)
			}
			s.Healthcheck.Test = []string{"CMD", "/docent", "doctor"}
		}
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
			source := v[:strings.Index(strings.ReplaceAll(v, ":-", "--"), ":")]
			if _, named := c.Volumes[source]; !named && !strings.HasPrefix(source, "${DOCUMENTS") && !strings.HasPrefix(source, "${AGENTS") {
				t.Errorf("service %s mounts %s, which is no volume", name, source)
			}
		}
		if s.Build == "" {
			continue
		}
		for _, args := range [][]string{s.Command, s.Healthcheck.Test[2:]} { // docent understands its command lines
			cmd, rest, err := newRoot(stdio{}).Find(args)
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.ParseFlags(rest); err != nil {
				t.Errorf("docent %v: %v", args, err)
			}
		}
		if url := s.Environment["DATABASE_URL"]; url == "" || strings.Contains(url, "$") {
			t.Errorf("service %s has no database, or an escaped password does not work", name)
		}
		if grace, err := time.ParseDuration(s.GracePeriod); err != nil || grace < 25*time.Second {
			t.Errorf("service %s gets %q to finish its turns, which take up to 20 s", name, s.GracePeriod)
		}
		for variable := range s.Environment {
			known := func(s config.Setting) bool { return slices.Contains(s.Env, variable) }
			if !slices.ContainsFunc(config.Settings(), known) && !slices.Contains(otherVariables, variable) {
				t.Errorf("service %s has %s, which docent does not read", name, variable)
			}
		}
	}
	return c
}

// otherVariables are variables that docent reads beside those of its settings.
var otherVariables = []string{"PGPASSWORD", "OTEL_EXPORTER_OTLP_ENDPOINT", "OPENROUTER_API_KEY", "MODEL", "DOCENT_SECRET_KEY"}

func TestCompose(t *testing.T) {
	t.Parallel()
	c := readCompose(t, "docker-compose.yml")
	if len(c.Volumes) != 2 {
		t.Errorf("volumes %v", c.Volumes)
	}
	app := c.Services["app"]
	if _, ok := app.Environment["DOCENT_AGENT_FILE"]; !ok || !slices.Contains(app.Volumes, "${AGENTS:-./examples}:/agents:ro") {
		t.Errorf("app cannot have an agent file: %v", app.Volumes)
	}
	for _, s := range config.Settings() { // each variable of speech and of Agent WebSocket reaches the server
		for _, name := range s.Env {
			_, passed := app.Environment[name]
			if foreign := !strings.HasPrefix(name, "DOCENT_") && !strings.HasPrefix(name, "OPENAI_") && name != "DATABASE_URL"; !passed &&
				(foreign || strings.HasPrefix(s.Key, "speech.") && name != "OPENAI_BASE_URL") {
				t.Errorf("app does not get %s", name)
			}
		}
	}
}

// The servers of the cluster have the same settings and different data folders. The
// proxy sends requests to all of them.
func TestComposeCluster(t *testing.T) {
	t.Parallel()
	c := readCompose(t, "docker-compose.cluster.yml")
	volumes := map[string]bool{}
	for name, s := range c.Services {
		if !strings.HasPrefix(name, "docent") {
			continue
		}
		volumes[s.Volumes[0]] = true
		if !strings.Contains(c.Configs["caddyfile"]["content"], " "+name+":8765") {
			t.Errorf("the proxy does not know %s", name)
		}
		if len(s.Ports) > 0 || s.Environment["DOCENT_SECRET_KEY"] == "" {
			t.Errorf("%s publishes %v, or has no key", name, s.Ports)
		}
	}
	if len(volumes) != 3 {
		t.Errorf("data folders: %v", volumes)
	}
}

// The nodes of Weaviate know each other, and only docent reaches them. They have the
// version that make test-weaviate tests.
func TestComposeWeaviate(t *testing.T) {
	t.Parallel()
	setup, err := os.ReadFile("../../.ci/setup")
	if err != nil {
		t.Fatal(err)
	}
	tested := regexp.MustCompile(`need_weaviate\(\) \{.*\n\s*local version=v(\S+)`).FindSubmatch(setup)
	if tested == nil {
		t.Fatal(".ci/setup names no version of Weaviate")
	}
	c := readCompose(t, "docker-compose.cluster.yml")
	var urls, names []string
	for i := 1; i <= 3; i++ {
		name := fmt.Sprint("weaviate", i)
		urls, names = append(urls, "http://"+name+":8080"), append(names, name)
	}
	for _, name := range names {
		s := c.Services[name]
		join := strings.Split(s.Environment["CLUSTER_JOIN"], ",")
		if s.Environment["CLUSTER_HOSTNAME"] != name || join[0] != name+":7100" {
			t.Errorf("%s has the name %q and joins %v", name, s.Environment["CLUSTER_HOSTNAME"], join)
		}
		slices.Sort(join)
		if got := strings.Split(s.Environment["RAFT_JOIN"], ","); !slices.Equal(got, names) ||
			strings.Join(join, ",") != strings.Join(names, ":7100,")+":7100" || s.Environment["RAFT_BOOTSTRAP_EXPECT"] != "3" {
			t.Errorf("%s expects %v and joins %v", name, got, join)
		}
		if len(s.Ports) > 0 || len(s.Networks) != 1 || !c.Networks[s.Networks[0]].Internal {
			t.Errorf("%s is in %v and publishes %v", name, s.Networks, s.Ports)
		}
		if want := []string{name + ":" + s.Environment["PERSISTENCE_DATA_PATH"]}; !slices.Equal(s.Volumes, want) {
			t.Errorf("%s has the volumes %v, want %v", name, s.Volumes, want)
		}
		if s.MemLimit == "" || !strings.HasSuffix(s.Image, ":"+string(tested[1])) {
			t.Errorf("%s is %s with a memory limit of %q, want version %s and a limit", name, s.Image, s.MemLimit, tested[1])
		}
	}
	for name, s := range c.Services {
		inside := slices.ContainsFunc(s.Networks, func(n string) bool { return c.Networks[n].Internal })
		switch {
		case s.Build == "" && !slices.Contains(names, name):
			if inside {
				t.Errorf("%s reaches Weaviate", name)
			}
		case s.Build != "":
			if s.Environment["DOCENT_INDEX"] != config.IndexWeaviate || s.Environment["DOCENT_WEAVIATE"] != strings.Join(urls, ",") || !inside {
				t.Errorf("%s has the index %q at %s", name, s.Environment["DOCENT_INDEX"], s.Environment["DOCENT_WEAVIATE"])
			}
			for _, node := range names {
				if _, ok := s.DependsOn[node]; !ok {
					t.Errorf("%s does not wait for %s", name, node)
				}
			}
		}
	}
}

// TestImageVersion checks that the image is built with the Go version of go.mod.
func TestImageVersion(t *testing.T) {
	t.Parallel()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(mod)
	docker, err := os.ReadFile("../../Dockerfile")
	if err != nil || version == nil || !strings.Contains(string(docker), "FROM golang:"+string(version[1])+"-") {
		t.Errorf("the Dockerfile does not build with Go %s (%v)", version, err)
	}
}
