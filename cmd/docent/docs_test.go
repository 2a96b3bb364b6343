package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"docent/config"
	"docent/internal/fault"
)

var update = flag.Bool("update", false, "write generated parts of the documentation")

// generated compares the part of a page between its marks with text, and writes
// it with -update.
func generated(t *testing.T, file, text string) {
	t.Helper()
	file = "../../docs/reference/" + file
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(raw), "-update -->\n")
	_, after, ok2 := strings.Cut(rest, "<!-- end -->")
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks around its generated part", file)
	}
	want := before + "-update -->\n" + text + "<!-- end -->" + after
	if want == string(raw) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of date; run: go test ./cmd/docent -run %s -update", file, t.Name())
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSettingsPage keeps docs/reference/settings.md equal to the code.
func TestSettingsPage(t *testing.T) {
	t.Parallel()
	generated(t, "settings.md", config.Table())
}

// TestCommandsPage keeps docs/reference/commands.md equal to the code.
func TestCommandsPage(t *testing.T) {
	t.Parallel()
	var list, sections strings.Builder
	list.WriteString("| command | description |\n|---|---|\n")
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			if sub.Hidden || !sub.IsAvailableCommand() {
				continue
			}
			if sub.Short == "" {
				t.Errorf("%s has no one-line help", sub.CommandPath())
			}
			anchor := strings.ReplaceAll(sub.CommandPath(), " ", "-")
			fmt.Fprintf(&list, "| [`%s`](#%s) | %s |\n", sub.CommandPath(), anchor, sub.Short)
			sections.WriteString(commandSection(sub))
			walk(sub)
		}
	}
	root := newRoot(stdio{})
	walk(root)
	generated(t, "commands.md", list.String()+"\nAll commands take these flags:\n\n"+flagTable(root.PersistentFlags())+sections.String())
}

// commandSection describes a command in Markdown.
func commandSection(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n## %s\n\n", cmd.CommandPath())
	long := cmd.Long
	switch {
	case long == "":
		long = cmd.Short + "."
	case cmd.Name() == "config":
		long, _, _ = strings.Cut(long, "\n\n|")
		long += "\n\n[Settings](settings.md) has the list."
	}
	for paragraph := range strings.SplitSeq(strings.TrimRight(long, "\n"), "\n\n") {
		// Text is indented, or has indented lines, where its layout matters.
		title, rest, found := strings.Cut(paragraph, ":\n ")
		switch {
		case strings.HasPrefix(paragraph, " "):
			fmt.Fprintf(&b, "```text\n%s\n```\n\n", paragraph)
		case found:
			fmt.Fprintf(&b, "%s:\n\n```text\n %s\n```\n\n", title, rest)
		default:
			fmt.Fprintf(&b, "%s\n\n", paragraph)
		}
	}
	if cmd.Runnable() && !cmd.HasSubCommands() {
		fmt.Fprintf(&b, "```text\n%s\n```\n\n", cmd.UseLine())
	}
	if cmd.HasExample() {
		fmt.Fprintf(&b, "Examples:\n\n```sh\n%s\n```\n\n", strings.ReplaceAll(strings.TrimSpace(cmd.Example), "\n  ", "\n"))
	}
	b.WriteString(flagTable(cmd.LocalNonPersistentFlags()))
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// flagTable lists the flags of a command in Markdown. It lists only the names
// of settings, because settings have their own page. Without a command it lists
// all flags.
func flagTable(flags *pflag.FlagSet) string {
	settings := map[string]bool{}
	for _, s := range config.Settings() {
		settings[s.Flag] = s.Scope != config.Global
	}
	var rows strings.Builder
	var named []string
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || f.Name == "version" {
			return
		}
		if settings[f.Name] {
			named = append(named, "`--"+f.Name+"`")
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "--" + f.Name
		if f.Shorthand != "" && f.Shorthand == f.Name {
			name = "-" + f.Name
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" && f.DefValue != "[]" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(&rows, "| `%s` | %s | %s |\n", name, strings.TrimSuffix(value, "Array"), usage)
	})
	var b strings.Builder
	if rows.Len() > 0 {
		b.WriteString("| flag | value | description |\n|---|---|---|\n" + rows.String() + "\n")
	}
	if len(named) > 0 {
		b.WriteString("[Settings](settings.md) that this command takes as flags:\n" + wrap(strings.Join(named, ", ")) + ".\n")
	}
	return b.String()
}

// wrap breaks a line at spaces, before column 100.
func wrap(text string) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > 98:
			b.WriteString("\n")
			column = 0
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// commandLine is a call of docent in a shell example.
var commandLine = regexp.MustCompile(`(?m)^\s*(?:[A-Z_]+=\S+ )*(?:bin/)?docent ([^#|<&\n]*)`)

// TestExamplesParse: the commands and flags in the examples of the documentation
// exist.
func TestExamplesParse(t *testing.T) {
	t.Parallel()
	files := []string{"../../README.md"}
	for _, folder := range []string{"start", "how-to", "reference", "explanation"} {
		found, err := filepath.Glob("../../docs/" + folder + "/*.md")
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	calls := 0
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range regexp.MustCompile("(?s)\n *```sh\n(.*?)\n *```").FindAllStringSubmatch(string(raw), -1) {
			for _, m := range commandLine.FindAllStringSubmatch(block[1], -1) {
				calls++
				cmd, args, err := newRoot(stdio{}).Find(strings.Fields(m[1]))
				if err == nil {
					err = cmd.ParseFlags(args)
				}
				if err == nil && cmd.HasSubCommands() && cmd.HasParent() {
					err = errors.New("the command needs a subcommand")
				}
				if err != nil && !errors.Is(err, pflag.ErrHelp) {
					t.Errorf("%s: docent %s: %v", file, m[1], err)
				}
			}
		}
	}
	if calls < 50 {
		t.Errorf("found only %d calls", calls)
	}
}

// TestFirstAnswerGuide runs the commands of docs/start/first-answer.md.
func TestFirstAnswerGuide(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/start/first-answer.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := linkProgram(dir, programPath(t)); err != nil {
		t.Fatal(err)
	}
	script := "set -eu\n"
	for _, block := range regexp.MustCompile("(?s)\n *```sh\n(.*?)\n *```").FindAllSubmatch(guide, -1) {
		if !strings.Contains(string(block[1]), "docent serve") { // which does not end
			script += string(block[1]) + "\n"
		}
	}
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", script+"docent docs rm ~/docent-demo/pump.md")
	cmd.Dir = dir
	cmd.Env = []string{asProgram + "=1", "HOME=" + dir, "PATH=" + dir + ":" + os.Getenv("PATH")}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"1 added", "serviced every six months. Replace the seal each time. [1]", "They may not answer the question.", "removed 1 document"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
}

// TestExitStatuses: the help of docent lists every exit status.
func TestExitStatuses(t *testing.T) {
	t.Parallel()
	codes := map[int]bool{}
	for _, k := range fault.Kinds() {
		codes[k.ExitCode()] = true
	}
	if len(codes) != 4 || !strings.Contains(longHelp, "0 success, 1 failure, 2 usage error or invalid setting,") {
		t.Errorf("exit statuses %v are not those of the help", codes)
	}
}
