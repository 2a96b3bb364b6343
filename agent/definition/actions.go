package definition

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"gopkg.in/yaml.v3"

	"docent/agent"
	"docent/agent/reason"
	"docent/internal/fault"
	"docent/rag"
)

// bodies reads the actions of bodies.
type bodies struct{ *draft }

// action is one action of a body.
type action struct {
	node *yaml.Node
	// history is the number of earlier messages that the action may use.
	history int
	make    func() (agent.Body, error)
}

// always returns an action that needs no preparation.
func always(body agent.Body) action {
	return action{make: func() (agent.Body, error) { return body, nil }}
}

// bare lists the actions that need no settings.
var bare = []string{"rag", "session_rag", "add_document", "llm", "reason", "about"}

// actions reads the list of actions of a body.
func (d bodies) actions(n *yaml.Node, what string) []action {
	var out []action
	d.list(n, what, func(item *yaml.Node) {
		var a *action
		if item.Kind == yaml.ScalarNode {
			name := d.choice(item, "an action without settings", bare...)
			a = d.action(name, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true", Line: item.Line})
		} else {
			a = d.single(item)
		}
		if a != nil {
			a.node = item
			out = append(out, *a)
		}
	})
	return out
}

// actionNames lists all actions for error messages.
var actionNames = []string{
	"reply", "speak", "markdown", "html", "options", "dataframe", "plotly", "file", "image", "audio", "location", "ui", "gui",
	"rag", "session_rag", "session_documents", "add_document", "llm", "reason", "about", "set", "remember", "recall", "if", "call",
	"ask_agent", "send_to_peer",
}

// single reads one action with its settings.
func (d bodies) single(n *yaml.Node) (out *action) {
	name := ""
	var settings, then, otherwise, keep *yaml.Node
	fields := make([]field, len(actionNames), len(actionNames)+3)
	for i, other := range actionNames {
		fields[i] = field{other, func(value *yaml.Node) {
			if name != "" {
				d.wrong(value, "an action is one thing: begin a line with \"- \" for %s and another for %s", name, other)
				return
			}
			name, settings = other, value
		}}
	}
	fields = append(fields,
		field{"then", func(n *yaml.Node) { then = n }},
		field{"else", func(n *yaml.Node) { otherwise = n }},
		field{"keep", func(n *yaml.Node) { keep = n }},
	)
	keys := d.mapping(n, "an action", fields...)
	switch {
	case name == "if":
		return d.branch(settings, then, otherwise)
	case then != nil:
		d.wrong(then, "then belongs to if, in the same action")
	case name == "call":
		return d.call(settings, otherwise)
	case name == "ask_agent":
		return d.askAgent(settings, otherwise)
	case name == "remember":
		return d.remember(settings, keep)
	case keep != nil:
		d.wrong(keep, "keep belongs to remember, in the same action")
	case otherwise != nil:
		d.wrong(otherwise, "else belongs to if, call, or ask_agent, in the same action")
	case name != "":
		return d.action(name, settings)
	case len(keys) == 0 && n.Kind == yaml.MappingNode && len(n.Content) == 0:
		d.wrong(n, "an action is one of %s", strings.Join(actionNames, ", "))
	}
	return nil
}

func (d bodies) action(name string, n *yaml.Node) *action {
	var a action
	switch name {
	case "reply":
		text := d.template(n, name)
		a = always(func(ctx context.Context, s *agent.Session) error { return s.Reply(ctx, text.fill(s)) })
	case "speak":
		text := d.template(n, name)
		a = always(func(ctx context.Context, s *agent.Session) error { return s.ReplySpeech(ctx, text.fill(s)) })
	case "markdown":
		text := d.template(n, name)
		a = always(func(ctx context.Context, s *agent.Session) error { return s.ReplyMarkdown(ctx, text.fill(s)) })
	case "html":
		text := d.template(n, name)
		a = always(func(ctx context.Context, s *agent.Session) error { return s.ReplyHTML(ctx, text.fillHTML(s)) })
	case "options":
		a = d.options(n)
	case "dataframe":
		a = replies(d).tableReply(n)
	case "plotly":
		a = replies(d).figureReply(n)
	case "file":
		a = replies(d).fileReply(n)
	case "image":
		a = replies(d).imageReply(n)
	case "audio":
		a = replies(d).audioReply(n)
	case "location":
		a = replies(d).placeReply(n)
	case "ui":
		a = replies(d).uiReply(n)
	case "gui":
		a = replies(d).guiReply(n)
	case "llm":
		return d.llm(n)
	case "rag":
		a = d.rag(n, name, agent.Answering)
	case "session_rag":
		a = d.rag(n, name, agent.AnsweringFromSession)
	case "session_documents":
		a = d.sessionDocuments(n)
	case "add_document":
		a = d.addDocument(n)
	case "reason":
		a = d.reason(n)
	case "about":
		d.choice(n, "about", "true")
		if d.env.Knowledge == nil {
			d.wrong(n, "there are no documents here to tell about: leave the action out")
			return nil
		}
		a = always(agent.Holdings(d.env.Knowledge.Library))
	case "set":
		a = d.set(n)
	case "recall":
		a = d.recall(n)
	case "send_to_peer":
		a = d.sendToPeer(n)
	default:
		return nil
	}
	return &a
}

func (d bodies) options(n *yaml.Node) action {
	var labels []template
	d.list(n, "options", func(item *yaml.Node) { labels = append(labels, d.template(item, "an option")) })
	if len(labels) == 0 {
		d.wrong(n, "options needs labels to choose from, as in [Yes, No]")
	}
	return always(func(ctx context.Context, s *agent.Session) error {
		texts := make([]string, len(labels))
		for i, label := range labels {
			texts[i] = label.fill(s)
		}
		return s.ReplyOptions(ctx, texts...)
	})
}

// isTrue reports whether the settings are omitted.
func isTrue(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Value == "true" }

// rag reads the actions rag and session_rag.
func (d bodies) rag(n *yaml.Node, name string, answering func(rag.Request) agent.Body) action {
	req := rag.Request{K: d.k, History: d.history}
	if d.model != d.env.Model {
		req.Model = d.model
	}
	var question template
	if !isTrue(n) {
		fields := []field{
			{"question", func(n *yaml.Node) { question = d.template(n, "question") }},
			{"k", func(n *yaml.Node) { req.K = d.integer(n, "k", 1, maxK) }},
			{"history", func(n *yaml.Node) { req.History = d.integer(n, "history", 0, maxHistory) }},
			{"model", func(n *yaml.Node) { req.Model = d.ragModel(n) }},
			{"prompt", func(n *yaml.Node) {
				if req.Prompt = d.text(n, "prompt"); len(req.Prompt) > rag.MaxPromptBytes {
					d.wrong(n, "prompt has %d bytes, it may have %d", len(req.Prompt), rag.MaxPromptBytes)
				}
			}},
			{"min_evidence", func(n *yaml.Node) {
				least := d.share(n, "min_evidence")
				req.MinEvidence = &least
			}},
		}
		if name == "rag" { // session_rag has only the documents of the session
			fields = append(fields, field{"collections", func(n *yaml.Node) { req.Collections = d.texts(n, "collections") }}, d.filesFirst(&req))
		}
		d.mapping(n, name, fields...)
	}
	answer := answering(req)
	out := always(answer)
	if question != nil {
		out = always(func(ctx context.Context, s *agent.Session) error {
			req := req
			req.Question = question.fill(s)
			return answering(req)(ctx, s)
		})
	}
	out.history = req.History
	return out
}

// filesFirst reads the key files of the actions rag and reason.
func (d bodies) filesFirst(req *rag.Request) field {
	return field{"files", func(n *yaml.Node) {
		d.choice(n, "files", "first")
		req.FilesFirst = true
	}}
}

// sessionDocuments reads the action session_documents.
func (d bodies) sessionDocuments(n *yaml.Node) action {
	if n.Kind == yaml.ScalarNode {
		if d.choice(n, "session_documents", "add", "clear") == "clear" {
			return always(func(_ context.Context, s *agent.Session) error {
				agent.DocumentsOf(s).Clear()
				return nil
			})
		}
		return always(func(ctx context.Context, s *agent.Session) error {
			file := s.Event().File
			if file == nil {
				return agent.ErrNoFile
			}
			return agent.DocumentsOf(s).AddFile(ctx, *file)
		})
	}
	var title, text template
	keys := d.mapping(n, "session_documents",
		field{"title", func(n *yaml.Node) { title = d.template(n, "title") }},
		field{"text", func(n *yaml.Node) { text = d.template(n, "text") }},
	)
	replies(d).require(n, keys, "session_documents", "title", "text")
	return always(func(ctx context.Context, s *agent.Session) error {
		return agent.DocumentsOf(s).AddText(ctx, title.fill(s), text.fill(s))
	})
}

// addDocument reads the action add_document.
func (d bodies) addDocument(n *yaml.Node) action {
	collection := ""
	if !isTrue(n) {
		d.mapping(n, "add_document", field{"collection", func(n *yaml.Node) { collection = d.text(n, "collection") }})
	}
	return always(func(ctx context.Context, s *agent.Session) error {
		file := s.Event().File
		if file == nil {
			return agent.ErrNoFile
		}
		return agent.AddDocument(ctx, s, collection, *file)
	})
}

// ragModel reads the name of the answering model.
func (d bodies) ragModel(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value == rag.Extractive {
		return rag.Extractive
	}
	return d.modelName(n)
}

func (d bodies) reason(n *yaml.Node) action {
	o := reason.Options{RAG: rag.Request{K: d.k, History: d.history}}
	model := d.model
	if !isTrue(n) {
		d.mapping(n, "reason",
			field{"model", func(n *yaml.Node) { model = d.modelName(n); o.RAG.Model = model }},
			field{"system", func(n *yaml.Node) { o.System, o.SystemOf = d.text(n, "system"), d.template(n, "system").fill }},
			field{"max_steps", func(n *yaml.Node) { o.MaxSteps = d.integer(n, "max_steps", 1, reason.MaxRunSteps) }},
			field{"planning", func(n *yaml.Node) { o.NoPlanning = !d.flag(n, "planning") }},
			field{"steps", func(n *yaml.Node) { o.HideSteps = !d.flag(n, "steps") }},
			field{"fallback", func(n *yaml.Node) { o.Fallback = d.text(n, "fallback") }},
			field{"history_tokens", func(n *yaml.Node) {
				if o.HistoryTokens = d.integer(n, "history_tokens", 0, 1<<20); o.HistoryTokens == 0 {
					o.HistoryTokens = -1 // no history, because 0 would mean the default
				}
			}},
			field{"parallel", func(n *yaml.Node) { o.Parallel = d.integer(n, "parallel", 1, reason.MaxParallel) }},
			d.filesFirst(&o.RAG),
			field{"tool_timeout", func(n *yaml.Node) { o.ToolTimeout = d.duration(n, "tool_timeout") }},
			field{"memory", func(n *yaml.Node) { o.Memory = d.flag(n, "memory") }},
			field{"approve", func(n *yaml.Node) { o.Approve = d.texts(n, "approve") }},
			field{"approve_within", func(n *yaml.Node) { o.ApproveWithin = d.duration(n, "approve_within") }},
			field{"model_timeout", func(n *yaml.Node) { o.ModelTimeout = d.duration(n, "model_timeout") }},
		)
	}
	return action{history: d.history, make: func() (agent.Body, error) {
		d.tools.equip(&o)
		o.Choices = d.env.Choices
		if d.tools.unlisted { // the tools of a server are not known, so the names cannot be checked
			o.Approve = nil
		}
		body, err := reason.New(d.chat(model), o)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", d.file, n.Line, err)
		}
		return body, nil
	}}
}

func (d bodies) sendToPeer(n *yaml.Node) action {
	address := ""
	var message template
	keys := d.mapping(n, "send_to_peer",
		field{"url", func(n *yaml.Node) {
			address = d.expanded(n, "url")
			if u, err := url.Parse(address); address != "" && (err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss") {
				d.wrong(n, "url must be another agent's address, which begins with ws:// or wss:// and a host")
			}
		}},
		field{"message", func(n *yaml.Node) { message = d.template(n, "message") }},
	)
	for _, required := range []string{"url", "message"} {
		if keys[required] == nil {
			d.wrong(n, "send_to_peer needs %s, as in {url: ws://host/, message: \"{{.message}}\"}", required)
		}
	}
	return always(func(ctx context.Context, s *agent.Session) error {
		if _, err := s.SendToPeer(ctx, address, message.fill(s)); err != nil {
			return fmt.Errorf("send to a peer: %w", err)
		}
		return nil
	})
}

// invalidCall is the error of a call of an unknown tool.
func invalidCall(name, names string) error {
	return fault.New(fault.Invalid, "agent_call_unknown", "there is no tool %q to call; there are: %s", name, names)
}

// mostHistory returns the maximum number of earlier messages that an action needs.
func mostHistory(actions []action) int {
	most := 0
	for _, a := range actions {
		most = max(most, a.history)
	}
	return most
}

// sequence returns a body that runs the actions in order; see agent.Actions.
func sequence(actions []action) (agent.Body, error) {
	bodies := make([]agent.Body, 0, len(actions))
	for _, a := range actions {
		body, err := a.make()
		if err != nil {
			return nil, fault.New(fault.Invalid, "other_error", "%w", err)
		}
		bodies = append(bodies, body)
	}
	return agent.Actions(bodies...), nil
}
