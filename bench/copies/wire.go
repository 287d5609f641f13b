//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

// wire stands between a server on a socket and its clients, and counts what they get.
type wire struct {
	listener net.Listener
	dir      string
	socket   string
	received atomic.Int64
}

func newWire() (*wire, error) {
	dir, err := os.MkdirTemp("", "stele-wire-") // names of sockets must be short
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w := &wire{listener: l, dir: dir, socket: filepath.Join(dir, "socket")}
	go w.run()
	return w, nil
}

func (w *wire) address() string { return "http://" + w.listener.Addr().String() }

func (w *wire) close() {
	w.listener.Close()
	os.RemoveAll(w.dir) // it lies among temporary files
}

func (w *wire) run() {
	for {
		client, err := w.listener.Accept()
		if err != nil {
			return // it is closed
		}
		go func() {
			defer client.Close()
			server, err := net.Dial("unix", w.socket)
			if err != nil {
				return // the client will say so
			}
			defer server.Close()
			go func() {
				io.Copy(server, client)
				server.(*net.UnixConn).CloseWrite()
			}()
			io.Copy(client, io.TeeReader(server, counter{&w.received}))
		}()
	}
}

type counter struct{ n *atomic.Int64 }

func (c counter) Write(b []byte) (int, error) {
	c.n.Add(int64(len(b)))
	return len(b), nil
}

// serve starts a server and waits until it answers on the socket.
func (w *wire) serve(cmd *exec.Cmd) (stop func(), err error) {
	var says bytes.Buffer
	cmd.Stderr = &says
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	stop = func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	}
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-ended:
			return nil, fmt.Errorf("%s ended: %w\n%s", cmd, err, says.Bytes())
		default:
		}
		if c, err := net.Dial("unix", w.socket); err == nil {
			return stop, c.Close()
		}
	}
	stop()
	return nil, fmt.Errorf("%s does not answer", cmd)
}
