package client

import (
	"errors"

	"github.com/gorilla/websocket"

	"docent/internal/fault"
)

// Reconnect reports whether a client should connect again after the server
// closed the connection with a code. It should not after 1000, 1008, and 1009.
// docent's own codes from 4000 to 4499 ask to reconnect. Codes from 4500 on do not.
func Reconnect(code int) bool {
	switch code {
	case websocket.CloseNormalClosure, websocket.ClosePolicyViolation, websocket.CloseMessageTooBig:
		return false
	}
	return code < 4500
}

// closedWith reports whether the server closed the connection with a code.
func closedWith(err error, code int) bool {
	var closing *websocket.CloseError
	return errors.As(err, &closing) && closing.Code == code
}

// final converts the error of a connection into the error that ends the session;
// nil if the client should reconnect. refusal is the last error that the server
// sent.
func final(err error, refusal *Error) error {
	var closing *websocket.CloseError
	switch kind := fault.KindOf(err); {
	case errors.As(err, &closing) && Reconnect(closing.Code):
		return nil
	case closing != nil && refusal != nil:
		return refusal.fault(err)
	case closedWith(err, websocket.CloseMessageTooBig):
		return fault.Wrap(fault.Conflict, err, "client_frame_too_large", "the server ended the session because a frame was too large")
	case closing != nil:
		return fault.Wrap(fault.Conflict, err, "client_session_ended", "the server has ended the session")
	case kind == fault.Internal || kind.Retryable():
		return nil
	}
	return err
}
