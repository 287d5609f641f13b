package edit

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"stele/internal/build/publish"
	"stele/internal/deliver/preview"
	"stele/internal/deliver/serve"
)

// Listen listens on this machine alone. Where the port is taken, and it need not be this one, it is
// any.
func Listen(address string, exactly bool) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("--listen %s: write an address and a port of this machine, such as 127.0.0.1:8080", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("--listen %s: forms are for this machine alone: write 127.0.0.1 and a port", address)
	}
	l, err := serve.Listen(address)
	if err != nil && !exactly {
		return serve.Listen(net.JoinHostPort(host, "0"))
	}
	return l, err
}

// Begin asks for what a folder needs that is not there yet, and makes it. It ends when one is made,
// with the key of its forms, or when the context does. show gets the address of the forms.
func Begin(ctx context.Context, dir string, l net.Listener, show func(address string)) (key string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	made, finish := context.WithCancel(ctx)
	defer finish()
	e := &Editor{Dir: dir, begin: finish}
	around := (&preview.Preview{Listen: []string{l.Addr().String()}, Forms: e}).Around()
	server := &http.Server{Handler: around, ReadHeaderTimeout: time.Minute}
	go server.Serve(l) // it ends with Shutdown
	show(e.address(l))
	<-made.Done()
	return e.Key, serve.Shutdown(server)
}

// Serve serves the forms of a folder and what it would become, until the context ends. show gets
// the address of the forms.
func (e *Editor) Serve(ctx context.Context, p *preview.Preview, l net.Listener, show func(address string)) error {
	report := p.Report
	p.Report = func(o *publish.Outcome, took time.Duration) string {
		e.Built(o.Check)
		return report(o, took)
	}
	p.Forms = e
	s, err := p.Start(ctx)
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l) }()
	show(e.address(l))
	err = errors.Join(p.Watch(ctx), serve.Shutdown(s), e.Close())
	if end := <-served; !errors.Is(end, http.ErrServerClosed) {
		err = errors.Join(err, end)
	}
	return err
}

// address is where the forms are.
func (e *Editor) address(l net.Listener) string {
	return serve.URL(l, false) + Root + "?key=" + e.Secret()
}

// live is what is published, as long as it is not forgotten.
type live struct {
	mu    sync.Mutex
	until time.Time
	known published
}

// read asks what is published, once a minute.
func (p *live) read(ask func() (published, error)) (known published, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Now().Before(p.until) || ask == nil {
		return p.known, nil
	}
	if known, err = ask(); err == nil && known != nil {
		p.known, p.until = known, time.Now().Add(time.Minute)
	}
	return known, err
}

// forget is for when something else may be published now.
func (p *live) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until = time.Time{}
}
