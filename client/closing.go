package client

import (
	"errors"

	"github.com/gorilla/websocket"

	"docent/internal/fault"
)

// Reconnect reports whether a client should come back after the server closed
// the connection with that code: 1000, 1008 and 1009 end it, of docent's own
// 4000 to 4499 say come back and those from 4500 on stay away.
func Reconnect(code int) bool {
	switch code {
	case websocket.CloseNormalClosure, websocket.ClosePolicyViolation, websocket.CloseMessageTooBig:
		return false
	}
	return code < 4500
}

// closedWith reports whether the server ended the connection with that code.
func closedWith(err error, code int) bool {
	var closing *websocket.CloseError
	return errors.As(err, &closing) && closing.Code == code
}

// final turns the error of a connection into what ends the session; nil if the
// client should go back. refusal is what the server said last.
func final(err error, refusal *Error) error {
	var closing *websocket.CloseError
	switch kind := fault.KindOf(err); {
	case errors.As(err, &closing) && Reconnect(closing.Code):
		return nil
	case closing != nil && refusal != nil:
		return refusal.fault(err)
	case closedWith(err, websocket.CloseMessageTooBig):
		return fault.Wrap(fault.Conflict, err, "client_frame_too_large", "the server has ended the session, as a frame was too large")
	case closing != nil:
		return fault.Wrap(fault.Conflict, err, "client_session_ended", "the server has ended the session")
	case kind == fault.Internal || kind.Retryable():
		return nil
	}
	return err
}
