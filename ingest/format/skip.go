package format

import (
	"bytes"
	"path"
	"strings"

	"docent/internal/fault"
)

// Files that are not read by default. A person may want those of styleEndings, lockNames, and minified
// code, and can name them.
var (
	systemNames   = set("thumbs.db", "ehthumbs.db", "ehthumbs_vista.db", "desktop.ini", ".ds_store", "icon\r", ".directory", "__macosx")
	partEndings   = set(".crdownload", ".part", ".partial", ".download", ".opdownload", ".aria2", ".!ut", ".tmp", ".temp")
	backupEndings = set(".bak", ".backup", ".swp", ".swo", ".swn", ".orig", ".rej", ".old", ".autosave", ".asv", ".wbk", ".save")
	styleEndings  = set(".css", ".scss", ".sass", ".less", ".styl", ".pcss")
	lockNames     = set("package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "bun.lockb", "deno.lock",
		"cargo.lock", "go.sum", "go.work.sum", "poetry.lock", "pdm.lock", "uv.lock", "pipfile.lock", "pixi.lock", "conda-lock.yml",
		"gemfile.lock", "composer.lock", "mix.lock", "rebar.lock", "pubspec.lock", "podfile.lock", "package.resolved", "cartfile.resolved",
		"packages.lock.json", "project.assets.json", "paket.lock", "gradle.lockfile", "buildscript-gradle.lockfile", "flake.lock",
		"stack.yaml.lock", "cabal.project.freeze", "manifest.lock", "module.bazel.lock", ".terraform.lock.hcl", "chart.lock",
		"requirements.lock", "renv.lock", "packrat.lock", "cpanfile.snapshot", "shard.lock", "conan.lock")
	// pointerEndings are those of files that stand for a document in another place.
	pointerEndings = set(".gdoc", ".gsheet", ".gslides", ".gdraw", ".gform", ".gsite", ".gmap", ".glink", ".dvc", ".icloud", ".lnk")
	codeEndings    = set(".js", ".mjs", ".cjs", ".css", ".json")
)

func set(names ...string) map[string]bool {
	out := make(map[string]bool, len(names))
	for _, n := range names {
		out[n] = true
	}
	return out
}

// minifiedLine is the length of a first line, in bytes, that people do not write.
const minifiedLine = 2000

// Skip returns the reason why a file is not read by default, because its name is that of a file that
// programs write for themselves. It is zero for other files.
func Skip(name string) fault.Text {
	name = strings.ToLower(path.Base(strings.ReplaceAll(name, "\\", "/")))
	ending := path.Ext(name)
	switch {
	case strings.HasPrefix(name, "~$"), strings.HasPrefix(name, ".~lock."):
		return fault.NewText("skipped_office_lock", "lock file: an office program has the document open")
	case systemNames[name], strings.HasPrefix(name, "._"):
		return fault.NewText("skipped_system_file", "system file: it has no text for people")
	case strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") && len(name) > 2,
		strings.HasSuffix(name, "~") && len(name) > 1, backupEndings[ending]:
		return fault.NewText("skipped_backup", "backup: an editor has left it; the file itself is read")
	case pointerEndings[ending]:
		return fault.NewText("skipped_pointer", "pointer: the document itself is in another place; download or export it")
	case name == "objects.inv":
		return fault.NewText("skipped_index", "index of Sphinx: it lists the pages for programs")
	case ending == ".xpm" || ending == ".xbm":
		return fault.NewText("skipped_picture_code", "picture in code: it has no text for readers")
	case partEndings[ending], strings.HasPrefix(ending, ".sb-"), strings.HasPrefix(name, ".goutputstream-"),
		strings.HasPrefix(name, ".nfs0"), strings.HasPrefix(name, ".fuse_hidden"):
		return fault.NewText("skipped_download", "unfinished: it is a partial download or a temporary file")
	case styleEndings[ending] && !strings.Contains(name, ".min."):
		return fault.NewText("skipped_style_sheet", "style sheet: it has no text for readers")
	case lockNames[name]:
		return fault.NewText("skipped_package_lock", "package lock: a package manager has written it")
	case strings.Contains(name, ".min.") && codeEndings[ending], ending == ".map" && codeEndings[path.Ext(strings.TrimSuffix(name, ending))]:
		return minified()
	}
	return fault.Text{}
}

// SkipCode returns the reason why code with this beginning is not read by default: it is minified.
func SkipCode(name string, head []byte) fault.Text {
	switch strings.ToLower(path.Ext(name)) {
	case ".js", ".mjs", ".cjs", ".css":
		// A comment with the license may precede the code.
		rest := bytes.TrimSpace(head)
		if bytes.HasPrefix(rest, []byte("/*")) {
			_, rest, _ = bytes.Cut(rest, []byte("*/"))
		}
		rest = bytes.TrimSpace(rest)
		if len(rest) >= minifiedLine && bytes.IndexByte(rest[:minifiedLine], '\n') < 0 {
			return minified()
		}
	}
	return fault.Text{}
}

func minified() fault.Text {
	return fault.NewText("skipped_minified", "minified code: a program has written it")
}
