//go:build !unix

package ws

import "errors"

// canTry says that sockets can be read and written without waiting.
const canTry = false

var errAgain = errors.New("the socket would have to wait")

func tryRead(uintptr, []byte) (int, error)  { return 0, errAgain }
func tryWrite(uintptr, []byte) (int, error) { return 0, errAgain }
