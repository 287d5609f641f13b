//go:build !linux

package serve

import (
	"context"
	"net"
)

// loops exist on Linux only. Elsewhere every connection has a goroutine.
type loops struct{}

func newLoops(*sharedState) (*loops, error) { return nil, nil }

func (*loops) addConn(*limitedConn) bool { return false }
func (*loops) drain()                    {}
func (*loops) makeRoom()                 {}
func (*loops) cut()                      {}
func (*loops) stop() error               { return nil }

func (*loops) wait(context.Context) error { return nil }

// acknowledgedBy returns false: this information exists on Linux only.
func acknowledgedBy(net.Conn) (uint64, bool) { return 0, false }

// limitUnsent does nothing: unsent data is limited only on Linux.
func (*sharedState) limitUnsent(net.Conn) {}
