package session

import (
	"cmp"
	"sync"
	"time"

	"docent/agent"
	"docent/internal/fault"
)

// Program is an agent with the parts that belong to it.
type Program struct {
	// Agent must be valid, and have the name of the agent before. Required.
	Agent *agent.Agent
	// RAG, Models, and Location are those of RuntimeConfig.
	RAG      agent.RAG
	Models   agent.Models
	Location *time.Location
	// Retire, if set, is called once when another program has replaced this one and its last turn has ended.
	Retire func()
}

// program is a compiled Program.
type program struct {
	Program

	machine *agent.Machine
	turns   int // that run
}

// programs has the program that new turns run.
type programs struct {
	mu      sync.Mutex // guards current, and the field turns of all programs
	current *program
}

// machine returns the machine that new turns run.
func (p *programs) machine() *agent.Machine {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current.machine
}

// location returns the time zone of sessions without one of their own.
func (p *programs) location() *time.Location {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current.Location
}

// enter returns the program for a turn. The turn leaves it.
func (p *programs) enter() *program {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.turns++
	return p.current
}

// leave ends a turn.
func (p *programs) leave(of *program) {
	p.mu.Lock()
	of.turns--
	over := of.turns == 0 && of != p.current
	p.mu.Unlock()
	if over && of.Retire != nil {
		of.Retire()
	}
}

// replace makes new turns run another program.
func (p *programs) replace(next *program) {
	p.mu.Lock()
	before := p.current
	p.current = next
	over := before.turns == 0
	p.mu.Unlock()
	if over && before.Retire != nil {
		before.Retire()
	}
}

// Replace makes new turns run another version of the agent. Running turns end with the version before. A session whose state
// is gone continues in the initial state. Replace fails with fault.Invalid if the agent is invalid or has another name; then
// nothing changes.
func (r *Runtime) Replace(next Program) error {
	if next.Agent == nil || next.Agent.Name() != r.cfg.Agent.Name() {
		return Renamed(r.Name())
	}
	p, err := r.compile(next)
	if err != nil {
		return err
	}
	r.programs.replace(p)
	return nil
}

// TriggersOf returns the triggers of the present version of a runtime's agent, and their time zone.
func TriggersOf(r *Runtime) ([]agent.Trigger, *time.Location) {
	r.programs.mu.Lock()
	defer r.programs.mu.Unlock()
	p := r.programs.current
	return p.Agent.Triggers(), p.Location
}

// Renamed returns the error about an agent with this name whose next version has another one.
func Renamed(name string) error {
	return fault.New(fault.Invalid, "agent_renamed", "the name of the agent cannot change from %q while docent runs: start docent again", name)
}

// compile compiles a program and logs the warnings about its agent.
func (r *Runtime) compile(next Program) (*program, error) {
	m, err := next.Agent.Compile()
	if err != nil {
		return nil, err //nolint:wrapcheck // the error names the agent
	}
	for _, w := range next.Agent.Warnings() {
		r.cfg.Logger.Warn("the agent may not do what you expect: "+w.Text, "agent", next.Agent.Name())
	}
	next.Location = cmp.Or(next.Agent.Zone(), next.Location, r.cfg.Location)
	return &program{Program: next, machine: m}, nil
}
