//go:build !linux

package serve

import (
	"errors"
	"net"
)

const canSendFile = false

func (l *lane) sendFile(*net.TCPConn, []byte, body) (int64, error) { return 0, errors.ErrUnsupported }
