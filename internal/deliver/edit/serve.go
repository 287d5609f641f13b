package edit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"stele/internal/base/schema"
	"stele/internal/compile/compiler"
	"stele/internal/deliver/preview"
	"stele/internal/deliver/serve"
)

// Listen listens on this computer only. If the port is in use and exactly is false, it uses any
// free port.
func Listen(address string, exactly bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: give a loopback address and a port, such as 127.0.0.1:8080", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s: forms are only for this computer: give a loopback address and a port, such as 127.0.0.1:8080", address)
	}
	l, err := serve.Listen(address)
	if err != nil && !exactly {
		return serve.Listen(net.JoinHostPort(host, "0"))
	}
	return l, err
}

// Begin asks for the settings of a new folder and creates it. It returns when the folder is
// created, or when the context ends. Browsers that are signed in stay signed in with the returned
// editor. show gets the address of the forms.
func Begin(
	ctx context.Context, dir, state string, l net.Listener, show func(e *Editor, base string),
) (e *Editor, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	created, finish := context.WithCancel(ctx)
	defer finish()
	e = &Editor{Dir: dir, State: state, begin: finish}
	around := (&preview.Preview{Listen: []string{l.Addr().String()}, Forms: e}).FormsHandler()
	server := &http.Server{Handler: around, ReadHeaderTimeout: time.Minute}
	go server.Serve(l) // ends with Shutdown
	show(e, serve.URL(l, false))
	<-created.Done()
	return e, serve.Shutdown(server)
}

// Succeed keeps browsers signed in that are signed in with another editor.
func (e *Editor) Succeed(other *Editor) {
	e.gate = other.Gate()
}

// Serve serves the forms and the preview of a folder until the context ends. show gets the address
// of the server.
func (e *Editor) Serve(
	ctx context.Context, p *preview.Preview, l net.Listener, show func(e *Editor, base string),
) error {
	report := p.Report
	p.Report = func(o *compiler.Outcome, took time.Duration) string {
		e.setFindings(append([]schema.Problem{}, o.Check.Problems...)) // not nil, even without problems
		return report(o, took)
	}
	p.Forms = e
	e.once.Do(e.prepare)
	e.known.Refresh(true)
	s, err := p.Start(ctx)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	show(e, serve.URL(l, false))
	err = errors.Join(p.Watch(ctx), serve.Shutdown(s), e.Close())
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}
