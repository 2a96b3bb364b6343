package ws

import (
	"context"

	"docent/auth"
	"docent/internal/fault"
	"docent/payload"
	"docent/ws/dialect"
)

// greeting is the Handler of docent.v1, whose clients say hello.
type greeting struct{ talk }

// greet implements greeter.
func (g *greeting) greet(ctx context.Context, m dialect.Message, o *opening) (id string, err error) {
	if m.Refusal != nil {
		return m.ID, m.Refusal
	}
	frame, err := payload.DecodeV1(m.Data)
	switch {
	case err != nil && frame.ID == "":
		return dialect.Undecoded(m.Data, err)
	case err != nil:
	case frame.Action == payload.HelloAction:
		if err = g.hello(ctx, frame, o); err == nil {
			g.info = g.c.server.cfg.Info(auth.NewContext(ctx, *g.c.who))
		}
	default:
		err = fault.New(fault.Invalid, "hello_missing", "send hello first")
	}
	return frame.ID, err
}

// hello takes the client's token and its position in the session.
func (g *greeting) hello(ctx context.Context, frame payload.Frame, o *opening) error {
	var h payload.Hello
	if frame.Message != nil {
		if err := payload.UnmarshalMessage(frame.Message, &h); err != nil {
			return fault.Wrap(fault.Invalid, err,
				"hello_invalid", "hello must be an object; last_seq (a whole number) and token (text) are optional")
		}
	}
	if h.LastSeq != nil && *h.LastSeq < 0 {
		return fault.New(fault.Invalid, "last_seq_invalid", "last_seq must be 0 or more; 0 requests all messages")
	}
	c := g.c
	if h.Token != "" && c.server.cfg.Authenticate != nil {
		p, err := c.server.cfg.Authenticate(auth.WithRemote(ctx, c.remote), h.Token)
		if err != nil {
			return err
		}
		if err := c.identify(&p); err != nil {
			return err
		}
	}
	o.request.After = h.LastSeq
	switch {
	case c.who == nil:
		return errNobody
	case !c.who.May(auth.Chat):
		return errNoScope
	}
	return nil
}
