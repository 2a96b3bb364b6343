package chat

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"path"
	"strings"
	"time"
)

// maxUsers bounds the list of people in an export of Slack, in bytes.
const maxUsers = 16 << 20

// Workspace is an export of Slack: an archive with a file for each channel and day.
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
	var users []struct {
		ID, Name string
		RealName string `json:"real_name"`
		Profile  named
	}
	if json.Unmarshal(raw, &users) != nil {
		return w, false
	}
	w.names = map[string]string{}
	for _, u := range users {
		w.names[u.ID] = cmp.Or(u.Profile.RealName, u.RealName, u.Profile.DisplayName, u.Name)
	}
	return w, true
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
	day := strings.TrimSuffix(path.Base(name), ".json")
	if _, err := time.Parse(time.DateOnly, day); err != nil {
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
