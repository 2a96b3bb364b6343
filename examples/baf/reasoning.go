package baf

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"docent/agent"
	"docent/agent/reason"
	"docent/agent/tool"
)

// maxSteps is the number of model calls for one message.
const maxSteps = 30

// Reasoning has a model that calls a function, follows skills, and reads and writes
// the files of a workspace.
func Reasoning(v Services) (*agent.Agent, error) {
	echo, err := tool.New("echo", "Returns a text unchanged.", open(echo))
	if err != nil {
		return nil, err
	}
	instructions, err := tool.LoadSkills(os.DirFS(filepath.Join(v.Folder, "skills")))
	if err != nil {
		return nil, err
	}
	skills, err := tool.NewSkills(context.Background(), tool.SkillsConfig{Skills: instructions})
	if err != nil {
		return nil, err
	}
	// The agent uses the workspace as long as the program runs.
	workspaces, err := tool.OpenWorkspaces(tool.Workspace{Name: "cinema", Path: filepath.Join(v.Folder, "workspace"), Writable: true})
	if err != nil {
		return nil, err
	}
	body, err := reason.New(v.Model, reason.Options{Tools: []tool.Tool{echo}, Skills: skills, Workspaces: workspaces, MaxSteps: maxSteps})
	if err != nil {
		return nil, errors.Join(err, workspaces.Close())
	}
	a := agent.New("reasoning")
	think := a.State("think", agent.Initial)
	think.Body(body)
	think.OnMessage().GoTo(think)
	return a, nil
}
