//go:build !linux

package serve

import (
	"context"
	"net"
)

// loops are for Linux. Elsewhere every connection has a goroutine.
type loops struct{}

func newLoops(*house) (*loops, error) { return nil, nil }

func (*loops) take(*counted) bool { return false }
func (*loops) drain()             {}
func (*loops) makeRoom()          {}
func (*loops) cut()               {}
func (*loops) stop() error        { return nil }

func (*loops) wait(context.Context) error { return nil }

// taken is for Linux. Elsewhere the system is not asked.
func taken(net.Conn) (uint64, bool) { return 0, false }

// limitUnsent is for Linux. Elsewhere the system decides how much it takes.
func (*house) limitUnsent(net.Conn) {}
