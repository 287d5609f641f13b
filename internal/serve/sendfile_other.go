//go:build !linux

package serve

import (
	"errors"
	"net"
)

const canSendFile = false

func (l *lane) sendFile(*net.TCPConn, []byte, *answer) (int64, error) {
	return 0, errors.ErrUnsupported
}
