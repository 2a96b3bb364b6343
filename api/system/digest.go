package system

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"docent/api/route"
	"docent/insight/digest"
	"docent/internal/fault"
)

// Digests sends the weekly digest. *digest.Sender implements it.
type Digests interface {
	// Send sends the digest to all recipients now.
	Send(ctx context.Context) error
	// State describes the digests.
	State(ctx context.Context) (digest.State, error)
}

// SentDigest is the last attempt for a recipient.
type SentDigest struct {
	// Recipient is an address, or webhooks.
	Recipient string `json:"recipient" doc:"An address, or webhooks."`
	// Timestamp is the time of the attempt.
	Timestamp time.Time `json:"timestamp" doc:"The time of the attempt."`
	// Problem says why it failed.
	Problem *fault.Text `json:"problem,omitempty" doc:"Why the digest was not sent."`
}

// DigestState describes the weekly digest.
type DigestState struct {
	// Mail reports that the server can send mail.
	Mail bool `json:"mail" doc:"The server has a mail server."`
	// Recipients is the number of recipients of mail.
	Recipients int `json:"recipients" doc:"The number of recipients of mail."`
	// Next is the time of the next digest.
	Next *time.Time `json:"next,omitempty" doc:"The time of the next digest. Absent if it is off."`
	// Subject is the present subject.
	Subject string `json:"subject" doc:"The subject of a digest of everything, if docent sent it now."`
	// Text is the present text.
	Text string `json:"text" doc:"The text of a digest of everything, if docent sent it now."`
	// Sent are the last attempts.
	Sent []SentDigest `json:"sent" doc:"The last attempt for each recipient, and for webhooks."`
}

type digestOutput struct{ Body DigestState }

func (s server) addDigest(r *route.Router) {
	const path = "/api/system/digest"
	route.Add(r, huma.Operation{
		Method: http.MethodGet, Path: path, OperationID: "get-digest", Tags: tags, Errors: []int{http.StatusNotFound},
		Summary: "Preview the weekly digest, and list its last attempts",
	}, s.digest)
	route.Add(r, huma.Operation{
		Method: http.MethodPost, Path: path, OperationID: "send-digest", Tags: tags,
		Errors:      []int{http.StatusForbidden, http.StatusNotFound, http.StatusConflict},
		Summary:     "Send the digest to all recipients now",
		Description: "The response lists the attempts. Some of them may have failed.",
	}, s.sendDigest)
}

func (s server) digest(ctx context.Context, _ *struct{}) (*digestOutput, error) {
	if s.Read == nil {
		return nil, errUnknown
	}
	state, err := s.Digests.State(ctx)
	if err != nil {
		return nil, err
	}
	out := &digestOutput{DigestState{
		Mail: state.Mail, Recipients: len(state.Recipients), Subject: state.Subject, Text: state.Text, Sent: []SentDigest{},
	}}
	if !state.Next.IsZero() {
		out.Body.Next = &state.Next
	}
	for _, d := range state.Sent {
		sent := SentDigest{Recipient: d.Recipient, Timestamp: d.At}
		if !d.Problem.IsZero() {
			sent.Problem = &d.Problem
		}
		out.Body.Sent = append(out.Body.Sent, sent)
	}
	return out, nil
}

func (s server) sendDigest(ctx context.Context, _ *struct{}) (*digestOutput, error) {
	switch {
	case s.Read == nil:
		return nil, errUnknown
	case s.ReadOnly:
		return nil, fault.New(fault.Forbidden, "digest_open",
			"everybody who reaches this server could send mail, so turn authentication on first")
	}
	if err := s.Digests.Send(ctx); err != nil {
		return nil, err
	}
	return s.digest(ctx, nil)
}
