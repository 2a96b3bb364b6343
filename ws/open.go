package ws

import (
	"cmp"
	"context"
	"time"

	"docent/internal/errlog"
	"docent/internal/fault"
	"docent/ws/dialect"
)

// greeter is a Handler whose clients say hello before their session is opened.
type greeter interface {
	// greet acts on a message before the session is open. With fault.Invalid the
	// client may try again.
	greet(ctx context.Context, m dialect.Message, o *opening) (id string, err error)
	// catchUp sends the entries that the client has missed, after the session is
	// open.
	catchUp(ctx context.Context) error
}

// open opens the session. It returns false if the connection is over.
func (c *Connection) open(ctx context.Context, o *opening) bool {
	defer c.recovered(ctx)
	g, greets := c.handler.(greeter)
	if greets && !c.awaitHello(ctx, g, o) {
		return false
	}
	ctx = c.identified(ctx)
	req := o.request
	req.Owner, req.AnyOwner = c.who.ID, c.who.OwnsAll()
	if err := restrict(c.who, &req); err != nil {
		c.openFailed(ctx, err, "", req.ID)
		return false
	}
	if req.Username == "" {
		if req.Username = c.who.Name; req.Validate() != nil { // no session can have this name
			req.Username = ""
		}
	}
	sub, err := c.server.cfg.Runtime.Open(ctx, req, listener{c.handler, c})
	if err != nil {
		c.openFailed(ctx, err, "", req.ID)
		return false
	}
	if c.upload.key = c.who.ID; c.server.cfg.Authenticate == nil {
		c.upload.key = c.remote
	}
	c.sub.Store(sub)
	c.validAt = time.Now()
	if greets && req.After != nil {
		if err := g.catchUp(ctx); err != nil {
			c.openFailed(ctx, err, "", req.ID)
			return false
		}
	}
	return true
}

// awaitHello reads messages until the client has said hello.
func (c *Connection) awaitHello(ctx context.Context, g greeter, o *opening) bool {
	if o.refusal != nil {
		c.openFailed(ctx, o.refusal, "", o.request.ID)
		return false
	}
	c.patience.awaitHello(time.Now().Add(c.server.cfg.fixed.HelloTimeout))
	for {
		var id string
		var refusal error
		_, r, err := c.socket.NextReader()
		if err == nil {
			err = c.receive(r, func(m dialect.Message) { id, refusal = g.greet(ctx, m, o) })
		}
		switch {
		case timedOut(err):
			c.Close(CloseNoHello)
			return false
		case err != nil:
			c.readFailed(ctx, err)
			return false
		case refusal == nil:
			c.patience.awaitHello(time.Time{})
			return true
		case fault.KindOf(refusal) != fault.Invalid:
			c.openFailed(ctx, refusal, id, o.request.ID)
			return false
		}
		if c.rate.Wait(ctx, "", 1) != nil {
			return false
		}
		c.Refuse(refusal, id)
	}
}

// openFailed closes a connection after its session could not be opened.
func (c *Connection) openFailed(ctx context.Context, err error, id, session string) {
	if ctx.Err() != nil {
		return
	}
	code := CloseInternal
	switch kind := fault.KindOf(err); {
	case kind == fault.Unauthorized:
		code = CloseUnauthorized
	case kind == fault.Forbidden:
		code = CloseForbidden
	case kind == fault.NotFound:
		code = CloseGone
	case kind.Retryable():
		code = CloseUnavailable
	}
	log, session := c.server.cfg.Logger, cmp.Or(c.SessionID(), session)
	if code == CloseUnauthorized || code == CloseForbidden || code == CloseGone || fault.KindOf(err) == fault.RateLimited {
		log.InfoContext(ctx, "client refused", "session", session, "kind", fault.KindOf(err))
	} else {
		log.ErrorContext(ctx, "open session", "session", session, errlog.Attr(err))
	}
	c.Refuse(err, id)
	c.Close(code)
}
