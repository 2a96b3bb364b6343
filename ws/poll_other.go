//go:build !linux

package ws

import "errors"

const pollBatch = 1

// poll is only where there is epoll.
type poll struct{}

func newPoll() (*poll, error) { return nil, errors.ErrUnsupported }

func (*poll) once(int, bool) error { return errors.ErrUnsupported }

func (*poll) wait([]int32) ([]int32, error) { return nil, errors.ErrUnsupported }

func (*poll) close() {}
