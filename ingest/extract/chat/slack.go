package chat

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// maxUsers bounds the list of people in an export of Slack, in bytes.
const maxUsers = 16 << 20

// Workspace is an export of Slack: an archive or a folder with a file for each channel and day.
type Workspace struct {
	names  map[string]string
	folder string // in the archive, with a slash at its end
}

// OpenWorkspace returns the workspace in a ZIP archive. ok is false for other archives.
func OpenWorkspace(data []byte) (w Workspace, ok bool) {
	if !bytes.Contains(data, []byte("users.json")) || !bytes.Contains(data, []byte("channels.json")) {
		return w, false
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return w, false
	}
	for _, entry := range r.File {
		if folder, ok := strings.CutSuffix(entry.Name, "users.json"); ok && (folder == "" || strings.HasSuffix(folder, "/")) {
			w.folder = folder
			break
		}
	}
	f, err := r.Open(w.folder + "users.json")
	if err != nil {
		return w, false
	}
	defer f.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxUsers))
	if err != nil {
		return w, false
	}
	if w.names = peopleIn(raw); w.names == nil {
		return w, false
	}
	return w, true
}

// peopleIn returns the names in users.json by id. It returns nil for other data.
func peopleIn(raw []byte) map[string]string {
	var users []struct {
		ID, Name string
		RealName string `json:"real_name"`
		Profile  named
	}
	if json.Unmarshal(raw, &users) != nil {
		return nil
	}
	names := map[string]string{}
	for _, u := range users {
		names[u.ID] = cmp.Or(u.Profile.RealName, u.RealName, u.Profile.DisplayName, u.Name)
	}
	return names
}

// MayNeedNames reports whether a file has the name of the messages of a channel and day.
func MayNeedNames(name string) bool {
	day, ok := strings.CutSuffix(path.Base(name), ".json")
	_, err := time.Parse(time.DateOnly, day)
	return ok && err == nil
}

// OpenFolder returns the workspace in an unpacked export. It reads the file users.json in the folder. ok is
// false for other folders.
func OpenFolder(folder string) (w Workspace, ok bool) {
	if !isWorkspace(folder) {
		return w, false
	}
	f, err := os.Open(filepath.Join(folder, "users.json"))
	if err != nil {
		return w, false
	}
	defer f.Close() //nolint:errcheck // only read
	raw, err := io.ReadAll(io.LimitReader(f, maxUsers))
	if err != nil {
		return w, false
	}
	w.names = peopleIn(raw)
	return w, w.names != nil
}

// isWorkspace reports whether a folder has the files of an unpacked export.
func isWorkspace(folder string) bool {
	for _, name := range []string{"users.json", "channels.json"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || !info.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// LeavesFile is Workspace.Leaves for a file of an unpacked export.
func LeavesFile(file string) bool {
	return (Workspace{}).Leaves(filepath.Base(file)) && isWorkspace(filepath.Dir(file))
}

// Leaves reports whether a file of the archive is only for programs. The people and the
// channels of a workspace are named in its messages.
func (w Workspace) Leaves(name string) bool {
	switch strings.TrimPrefix(name, w.folder) {
	case "users.json", "channels.json", "groups.json", "dms.json", "mpims.json", "integration_logs.json":
		return true
	}
	return false
}

// Named returns the messages of a channel and day with the names of people instead of their
// ids. It returns other files unchanged.
func (w Workspace) Named(name string, data []byte) []byte {
	if !MayNeedNames(name) {
		return data
	}
	var messages []map[string]any
	if json.Unmarshal(data, &messages) != nil {
		return data
	}
	var pairs []string
	for id, known := range w.names {
		if id != "" && known != "" {
			pairs = append(pairs, "<@"+id+">", "<@"+known+">", "<@"+id+"|", "<@"+known+"|")
		}
	}
	names := strings.NewReplacer(pairs...)
	for _, m := range messages {
		if id, _ := m["user"].(string); w.names[id] != "" {
			m["user_profile"] = map[string]any{"real_name": w.names[id]}
		}
		if text, ok := m["text"].(string); ok {
			m["text"] = names.Replace(text)
		}
	}
	out, err := json.Marshal(messages)
	if err != nil {
		return data
	}
	return out
}
