package reason

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"docent/agent/chat"
	"docent/agent/tool"
	"docent/llm"
	"docent/payload"
	words "docent/rag/text"
)

const (
	// maxCalls limits the calls of one step. Further calls get an error, which is also shown.
	maxCalls = 16
	// maxArguments limits the arguments of a call, in bytes. Longer arguments get an error.
	maxArguments = 64 << 10
)

// call is one call of a tool by the model.
type call struct {
	id, name string
	// raw are the arguments as the model wrote them. shown is their JSON, or a string if they are not plain JSON.
	raw   string
	shown json.RawMessage
	// outcome is the result of the call after done is closed.
	outcome tool.Outcome
	done    chan struct{}
}

// newCall reads the model's ith call of a step.
func (u *run) newCall(i int, t llm.Call) *call {
	c := &call{id: t.ID, name: t.Name, raw: strings.ToValidUTF8(t.Arguments, "\uFFFD"), done: make(chan struct{})}
	c.id = cmp.Or(words.Shorten(c.id, maxCallID), fmt.Sprintf("call_%d_%d", u.step, i))
	c.name = words.Shorten(strings.ToValidUTF8(c.name, "\uFFFD"), maxToolName)
	if strings.TrimSpace(c.raw) == "" {
		c.raw = "{}"
	}
	var b bytes.Buffer
	if len(c.raw) <= maxArguments && json.Compact(&b, []byte(c.raw)) == nil && plain(c.raw) {
		c.shown = b.Bytes()
	} else {
		c.shown = encoded(shortened(c.raw))
	}
	return c
}

// plain reports whether all readers can handle valid JSON. Very large numbers and nesting deeper than maxNesting are not
// plain.
func plain(raw string) bool { return chat.CheckWithin([]byte(raw), maxNesting, maxExponents) == nil }

const (
	// maxNesting limits the nesting of arguments that are shown as JSON.
	maxNesting = 100
	// maxExponents limits the sum of the exponents in arguments; see MaxExponents. The calls of a step share it.
	maxExponents = 64 << 10
	// maxCallID limits the model's id of a call, in characters.
	maxCallID = 128
	// maxToolName limits a tool's name in a model's call, in characters.
	maxToolName = 64
)

// encoded returns a text as JSON.
func encoded(text string) json.RawMessage {
	data, err := payload.Marshal(text)
	if err != nil { // a string always encodes
		return json.RawMessage(`""`)
	}
	return data
}

// act runs the calls of a step and adds their results to the dialog.
func (u *run) act(ctx context.Context, text string, wanted []llm.Call) error {
	var calls []*call
	var told []payload.ToolCall
	for i, t := range wanted {
		c := u.newCall(i, t)
		calls = append(calls, c)
		if i < maxCalls {
			told = append(told, payload.ToolCall{ID: c.id, Name: c.name, Arguments: c.shown})
		}
	}
	if text != "" {
		u.tell(ctx, payload.StepText, "(intermediate) LLM said something before calling tools", payload.TextDetails{Text: shortened(text)})
	}
	var waiting, ready []*call
	details := payload.ToolCallsDetails{ToolCalls: told}
	for _, c := range calls[:len(told)] {
		if u.asksFirst(c.name) {
			waiting = append(waiting, c)
			continue
		}
		ready = append(ready, c)
		if slices.Contains(u.o.Approve, c.name) {
			details.Approved = append(details.Approved, c.id)
		}
	}
	if err := u.announce(ctx, details); err != nil {
		return err
	}
	u.messages = append(u.messages, assistantMessage(text, calls))

	work := tool.WithFindings(withTasks(ctx, u.tasks), u.findings)
	var running sync.WaitGroup
	defer func() {
		running.Wait() // no longer than Set.Invoke takes after ctx has ended
		u.awaitStray(ctx)
	}()
	limit := outputLimit(min(len(calls), maxCalls))
	work = tool.WithRoom(work, func(result string) bool { return u.cut(result, limit) == result })
	u.start(work, &running, ready)
	note := notedCalls{Step: u.step, ToolCalls: []notedCall{}, ToolResults: []string{}}
	for _, c := range ready {
		if isTaskTool(c.name) {
			c.outcome = u.invoke(work, c)
		} else {
			<-c.done // Invoke returns soon after ctx has ended
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		u.report(ctx, c)
		note.ToolCalls = append(note.ToolCalls, notedCall{c.name, notedArguments(c.shown)})
		note.ToolResults = append(note.ToolResults, words.Shorten(c.outcome.Content, maxNoted))
		u.messages = append(u.messages, u.resultMessage(c, len(told)))
	}
	u.refuse(ctx, calls[len(told):])
	u.notes.add(note)
	u.fit()
	return u.askAbout(ctx, waiting)
}

// refuse answers the calls above the limit. The model gets an error for each, and users see one step.
func (u *run) refuse(ctx context.Context, calls []*call) {
	if len(calls) == 0 {
		return
	}
	var names []string
	for _, c := range calls {
		c.outcome = tool.Outcome{IsError: true, Content: fmt.Sprintf("ERROR: ToolError: At most %d tools can be called in one step; this call was not made.", maxCalls)}
		u.messages = append(u.messages, u.resultMessage(c, 1))
		if !slices.Contains(names, c.name) && len(names) < maxCalls {
			names = append(names, c.name)
		}
	}
	u.tell(ctx, payload.StepToolResult, fmt.Sprintf("%d more call(s) refused", len(calls)), payload.ToolResultDetails{
		Name: strings.Join(names, ", "), Arguments: json.RawMessage(`{}`), IsError: true,
		Content: fmt.Sprintf("ERROR: ToolError: At most %d tools can be called in one step; %d call(s) were not made.", maxCalls, len(calls)),
	})
}

// notedArguments returns arguments in the form of the scratchpad.
func notedArguments(shown json.RawMessage) json.RawMessage {
	if utf8.RuneCount(shown) > maxNoted {
		return encoded(words.Shorten(string(shown), maxNoted))
	}
	return shown
}

// start runs the calls of all tools except planning tools, a few at a time. Calls of tools that number their results run
// one after the other, so that the numbers follow the order of the calls.
func (u *run) start(ctx context.Context, running *sync.WaitGroup, calls []*call) {
	slots := make(chan struct{}, u.o.Parallel)
	var before <-chan struct{} // the last ordered call
	for _, c := range calls {
		if isTaskTool(c.name) {
			continue
		}
		var wait <-chan struct{}
		if slices.Contains(u.ordered, c.name) {
			wait, before = before, c.done
		}
		running.Go(func() {
			defer close(c.done)
			if wait != nil {
				<-wait
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			c.outcome = u.invoke(ctx, c)
		})
	}
}

// awaitStray makes Runtime.Shutdown wait for calls that did not return in time.
func (u *run) awaitStray(ctx context.Context) {
	if u.tools.Stray() == 0 || !u.waiting.CompareAndSwap(false, true) {
		return
	}
	waits := u.s.Go(ctx, func(ctx context.Context) {
		defer u.waiting.Store(false)
		_ = u.tools.Wait(ctx) // ends only when these calls return
	})
	if !waits {
		u.waiting.Store(false)
	}
}

func (u *run) invoke(ctx context.Context, c *call) tool.Outcome {
	if len(c.raw) > maxArguments {
		return tool.Outcome{
			IsError: true,
			Content: fmt.Sprintf("ERROR: ToolError: Tool '%s' takes at most %d bytes of arguments, got %d", c.name, maxArguments, len(c.raw)),
		}
	}
	return u.tools.Invoke(ctx, c.name, json.RawMessage(c.raw))
}

// report says the result of a call. After planning, it says the change and the new task list instead, unless planning
// failed.
func (u *run) report(ctx context.Context, c *call) {
	if !c.outcome.IsError {
		u.pushbacks = 0
	}
	if change := u.tasks.change(); change != nil {
		u.tell(ctx, change.Kind, change.Summary, change.Details)
		if u.o.HideSteps {
			return
		}
		if err := u.s.ReplyTaskList(ctx, u.tasks.all()); err != nil && ctx.Err() == nil {
			u.log(ctx, "task list not said", err)
		}
		return
	}
	u.tell(ctx, payload.StepToolResult, fmt.Sprintf("%s returned (%d chars)", c.name, utf8.RuneCountInString(c.outcome.Content)),
		payload.ToolResultDetails{
			Name: c.name, Arguments: c.shown, Content: shortened(c.outcome.Content), IsError: c.outcome.IsError,
		})
}

// notInName matches characters that servers refuse in function names.
var notInName = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// assistantMessage returns the model's message for the next call. It corrects invalid names and arguments, because servers
// refuse them.
func assistantMessage(text string, calls []*call) llm.Message {
	m := llm.Text(llm.Assistant, text)
	for _, c := range calls {
		arguments := string(c.shown)
		if !bytes.HasPrefix(c.shown, []byte("{")) {
			arguments = fmt.Sprintf(`{"arguments":%s}`, c.shown)
		}
		name := cmp.Or(notInName.ReplaceAllString(c.name, "_"), "unnamed")
		m.Calls = append(m.Calls, llm.Call{ID: c.id, Name: name, Arguments: arguments})
	}
	return m
}

// outputLimit returns the number of tokens that the model sees of each of n results.
func outputLimit(n int) int { return min(outputTokens, stepTokens/n) }

// resultMessage returns the message with the result of one of n calls.
func (u *run) resultMessage(c *call, n int) llm.Message {
	return llm.Message{
		Role: llm.ToolResult, CallID: c.id, Name: cmp.Or(notInName.ReplaceAllString(c.name, "_"), "unnamed"),
		Text: u.cut(c.outcome.Content, outputLimit(n)),
	}
}
