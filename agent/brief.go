package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"docent/agent/chat"
	"docent/payload"
	"docent/rag"
	"docent/rag/brief"
	"docent/rag/text"
)

// briefing is a brief in progress: a turn that answers a task with one search and one answer for each heading.
type briefing struct {
	s        *Session
	req      rag.Request
	run      answer
	task     string
	headings []string
	found    []bool // of the headings so far, whether the documents answer them
	report   *brief.Report
	shown    strings.Builder
	language string
}

// writeBrief writes a brief and says it as one answer. Each section is stored when it is written. If the turn runs again, because
// docent was stopped or the turn has failed, it goes on with the next heading. A turn that is stopped keeps the sections so far.
func writeBrief(ctx context.Context, s *Session, req rag.Request, headings []string, run answer) error {
	b := &briefing{s: s, req: req, run: run, headings: headings, task: strings.TrimSpace(cmp.Or(req.Question, s.Message()))}
	b.report = brief.NewReport(b.task)
	b.language = cmp.Or(WishesOf(ctx, s).Language, text.Language(b.task))
	sections, err := storedSections(ctx, s)
	if err != nil {
		return err
	}
	err = s.ReplyReasoningStep(ctx, payload.ReasoningStep{
		Kind: payload.StepStarted, Summary: briefStarted,
		Details: payload.StartedDetails{UserMessage: b.task, TaskPlanning: true, MaxSteps: len(headings)},
	})
	if err == nil {
		err = s.Flush(ctx) // a run that ends the program counts, too
	}
	for _, section := range sections[:min(len(sections), len(headings))] {
		if err == nil {
			err = b.add(ctx, section)
		}
	}
	for err == nil && len(b.found) < len(headings) {
		err = b.write(ctx)
	}
	if err == nil {
		if err = s.ReplyTaskList(ctx, b.tasks()); err == nil {
			err = s.ReplyRAG(ctx, b.report.Message(b.language))
		}
	}
	b.finish(context.WithoutCancel(ctx)) // the steps of a stopped turn end, too
	return err
}

// write searches and answers for the next heading, and stores the section.
func (b *briefing) write(ctx context.Context) error {
	n := len(b.found)
	if err := b.s.ReplyTaskList(ctx, b.tasks()); err != nil {
		return err
	}
	req, err := brief.Section(b.req, b.task, b.headings, n)
	if err != nil {
		return err //nolint:wrapcheck // it names the prompt
	}
	section, err := b.run(b.s, ctx, req)
	if err != nil {
		return fmt.Errorf("section %d of a brief: %w", n+1, err)
	}
	section.Thinking = ""
	err = b.s.SaveReasoningEvent(ctx, payload.ReasoningStep{
		Kind: payload.StepSection, Step: n, Summary: fmt.Sprintf("section %d of %d: %s", n+1, len(b.headings), section.Outcome),
		Details: payload.SectionDetails{Section: n + 1, Answer: section},
	})
	if err == nil {
		err = b.s.Flush(ctx)
	}
	if err != nil {
		return err
	}
	return b.add(ctx, section)
}

// add adds a section to the report and shows it.
func (b *briefing) add(ctx context.Context, section payload.RAGMessage) error {
	shown := b.report.Add(b.headings[len(b.found)], section)
	b.found = append(b.found, shown != "")
	if shown == "" {
		return nil
	}
	b.shown.WriteString(shown)
	if err := b.s.Stream(ctx, shown); err != nil {
		return err
	}
	KeepDraft(b.s, b.shown.String(), b.report.Message(b.language, b.headings[len(b.found):]...))
	return nil
}

// tasks returns the headings as the tasks of the turn.
func (b *briefing) tasks() []payload.Task {
	out := make([]payload.Task, len(b.headings))
	for i, h := range b.headings {
		out[i] = payload.Task{ID: i + 1, Description: h, Status: payload.TaskPending}
		switch {
		case i < len(b.found):
			out[i].Status = payload.TaskCompleted
			if !b.found[i] {
				out[i].Status = payload.TaskSkipped
			}
		case i == len(b.found):
			out[i].Status = payload.TaskInProgress
		}
	}
	return out
}

// finish closes the steps of the turn. The message about a failure or a stop links them.
func (b *briefing) finish(ctx context.Context) {
	err := b.s.ReplyReasoningStep(ctx, payload.ReasoningStep{
		Kind: payload.StepFinished, Step: len(b.found), Summary: "brief finished", Details: payload.FinishedDetails{FinalTaskList: b.tasks()},
	})
	if err == nil && len(b.found) == len(b.headings) {
		err = b.s.LinkPendingReasoningEvents(ctx)
	}
	if err != nil {
		b.s.Log(ctx, "steps of a brief not told", err)
	}
}

// storedSections returns the sections that an interrupted run of this turn has stored, in order.
func storedSections(ctx context.Context, s *Session) ([]payload.RAGMessage, error) {
	steps, err := s.turn.backend.Reasoned(ctx, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("stored sections of a brief: %w", err)
	}
	var out []payload.RAGMessage
	for _, r := range steps {
		if details, ok := sectionOf(r); ok && r.Turn == s.Event().Turn && details.Section == len(out)+1 {
			out = append(out, details.Answer)
		}
	}
	return out, nil
}

// briefStarted is the summary of the first step of a brief.
const briefStarted = "brief started"

// maxBriefRuns is the number of times that a brief may run without a new section. A section that ends the program, for example
// for lack of memory, must not do so at every start.
const maxBriefRuns = 3

// BriefGoesOn reports whether a brief that was interrupted goes on. steps are the stored steps of its turn. A turn that has not
// begun a brief does not go on.
func BriefGoesOn(steps []chat.Reasoning) bool {
	runs := 0 // since the last section
	for _, r := range steps {
		var step struct {
			Summary string `json:"summary"`
		}
		switch payload.StepKind(r.StepKind) {
		case payload.StepSection:
			runs = 1
		case payload.StepStarted:
			if json.Unmarshal(r.Payload, &step) == nil && step.Summary == briefStarted {
				runs++
			}
		}
	}
	return 0 < runs && runs <= maxBriefRuns
}

// sectionOf returns the section of a stored step.
func sectionOf(r chat.Reasoning) (payload.SectionDetails, bool) {
	if payload.StepKind(r.StepKind) != payload.StepSection {
		return payload.SectionDetails{}, false
	}
	var step payload.ReasoningStep
	if json.Unmarshal(r.Payload, &step) != nil {
		return payload.SectionDetails{}, false
	}
	details, ok := step.Details.(payload.SectionDetails)
	return details, ok
}
