package serve

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"stele/internal/deliver/library"
	stele2 "stele/internal/deliver/serve/http2"
)

// Limits of HTTP/2 itself, and of what waits here.
const (
	maxWindow   = 1<<31 - 1
	firstWindow = 1<<16 - 1
	maxFrame    = 1 << 14
	maxWaiting  = stele2.MaxWaiting
	maxWaits    = stele2.MaxWaits
	maxKept     = stele2.MaxKept
	maxWaitsAll = stele2.MaxWaitsAll
)

// speaker is a client of HTTP/2 that says what it is told to, right or wrong, and keeps what comes.
type speaker struct {
	*patron
	out    bytes.Buffer
	framer *http2.Framer
	encode *hpack.Encoder
	block  bytes.Buffer
	next   uint32
}

// greet begins a connection of HTTP/2 with a server, in a bubble: with the lane, or with net/http.
func greet(t *testing.T, s *Server, lane bool, settings ...http2.Setting) *speaker {
	t.Helper()
	here, there := newWire()
	s.room <- struct{}{}
	conn := newLimitedConn(s.sharedState, there)
	if lane {
		s.ours.Add(1)
		s.goroutines.add(conn)
		go func() {
			serveHTTP2(s.sharedState, conn, conn)
			s.goroutines.remove(conn)
		}()
	} else {
		reference := &http.Server{
			Handler: s, Protocols: new(http.Protocols), IdleTimeout: s.options.IdleTime, HTTP2: s.netHTTP.HTTP2,
			MaxHeaderBytes: s.netHTTP.MaxHeaderBytes, ErrorLog: s.netHTTP.ErrorLog, DisableGeneralOptionsHandler: true,
		}
		reference.Protocols.SetUnencryptedHTTP2(true)
		listener := &chanListener{conns: make(chan net.Conn), closed: make(chan struct{})}
		go reference.Serve(listener)
		listener.put(conn)
		t.Cleanup(func() { reference.Close() })
	}
	p := &speaker{patron: &patron{wire: here}, next: 1}
	p.framer = http2.NewFramer(&p.out, nil)
	p.framer.AllowIllegalWrites = true
	p.encode = hpack.NewEncoder(&p.block)
	go p.take()
	p.out.WriteString(http2.ClientPreface)
	p.framer.WriteSettings(settings...)
	return p
}

// wide are settings of a client that takes whatever comes.
var wide = http2.Setting{ID: http2.SettingInitialWindowSize, Val: maxWindow}

// ask asks for something with pseudo fields and others, and answers with the stream.
func (p *speaker) ask(ends bool, list ...hpack.HeaderField) uint32 {
	id := p.next
	p.next += 2
	p.framer.WriteHeaders(
		http2.HeadersFrameParam{StreamID: id, BlockFragment: p.head(list...), EndStream: ends, EndHeaders: true},
	)
	return id
}

// head is a header block.
func (p *speaker) head(list ...hpack.HeaderField) []byte {
	p.block.Reset()
	for _, f := range list {
		p.encode.WriteField(f)
	}
	return bytes.Clone(p.block.Bytes())
}

func (p *speaker) get(path string, more ...string) uint32 {
	return p.ask(true, requestFields(http.MethodGet, path, more...)...)
}

// requestFields are those of a request with header lines.
func requestFields(method, path string, lines ...string) []hpack.HeaderField {
	list := []hpack.HeaderField{
		{Name: ":method", Value: method},
		{Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: "x"},
		{Name: ":path", Value: path},
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		list = append(list, hpack.HeaderField{Name: strings.ToLower(name), Value: value})
	}
	return list
}

// send sends what was said, and waits until the server has done what it will.
func (p *speaker) send() {
	p.say(p.out.Bytes())
	p.out.Reset()
}

// heard is what a server said on a connection.
type heard struct {
	streams map[uint32]*heardStream
	away    *http2.GoAwayFrame
	pings   [][8]byte
	over    bool
}

type heardStream struct {
	status, head string
	body         []byte
	ended        bool
	reset        *http2.ErrCode
}

// String is what a client makes of an answer.
func (h *heardStream) String() string {
	if h == nil {
		return "nothing"
	}
	if h.status == "400" { // which each says in its own words
		return "400"
	}
	if h.reset != nil && *h.reset != http2.ErrCodeNo {
		return "a reset"
	}
	return fmt.Sprintf("%s ended: %v\n%s\n%s", h.status, h.ended, h.head, h.body)
}

// listen takes apart what has come so far.
func (p *speaker) listen(t testing.TB) (h heard) {
	t.Helper()
	stream, over := p.got()
	h = heard{streams: map[uint32]*heardStream{}, over: over}
	in := http2.NewFramer(io.Discard, bytes.NewReader(stream))
	in.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	at := func(id uint32) *heardStream {
		if h.streams[id] == nil {
			h.streams[id] = &heardStream{}
		}
		return h.streams[id]
	}
	for {
		f, err := in.ReadFrame()
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return h
		}
		if err != nil {
			t.Fatalf("what the server says is no HTTP/2: %v", err)
		}
		switch f := f.(type) {
		case *http2.MetaHeadersFrame:
			var lines []string
			for _, field := range f.RegularFields() {
				if field.Name != "date" {
					lines = append(lines, field.Name+": "+field.Value)
				}
			}
			slices.Sort(lines)
			s := at(f.StreamID)
			s.status, s.head, s.ended = f.PseudoValue("status"), strings.Join(lines, "\n"), f.StreamEnded()
		case *http2.DataFrame:
			s := at(f.StreamID)
			if s.ended || s.status == "" || s.reset != nil {
				t.Fatal("a body before its head, or after its end")
			}
			s.body, s.ended = append(s.body, f.Data()...), f.StreamEnded()
		case *http2.RSTStreamFrame:
			code := f.ErrCode
			at(f.StreamID).reset = &code
		case *http2.GoAwayFrame:
			h.away = &http2.GoAwayFrame{LastStreamID: f.LastStreamID, ErrCode: f.ErrCode}
		case *http2.PingFrame:
			h.pings = append(h.pings, f.Data)
		}
	}
}

// withHTTP2 runs a test with a server of the specimen that ends with it.
func withHTTP2(t *testing.T, opt Options, do func(t *testing.T, s *Server)) {
	t.Helper()
	l := openSpecimen(t, opt)
	synctest.Test(t, func(t *testing.T) {
		s := New(l, opt)
		defer stop(t, s)
		do(t, s)
	})
}

// answers asks for several things on one connection.
func answers(t *testing.T, l *library.Library, opt Options, lane bool, requests [][]hpack.HeaderField) (list []string) {
	t.Helper()
	l.Retain() // for the next server
	s := New(l, opt)
	defer stop(t, s)
	p := greet(t, s, lane, wide)
	defer p.Close()
	p.framer.WriteWindowUpdate(0, maxWindow-firstWindow)
	var ids []uint32
	for _, list := range requests {
		ids = append(ids, p.ask(true, list...))
		p.send()
	}
	h := p.listen(t)
	for _, id := range ids {
		list = append(list, h.streams[id].String())
	}
	if h.away != nil {
		t.Errorf("the connection ended: %v", h.away.ErrCode)
	}
	return list
}

// isJudged reports whether a request has something that is judged more strictly than net/http does:
// RFC 9113, section 8, says what a request must not have.
func isJudged(list []hpack.HeaderField) bool {
	return !slices.Contains(list, hpack.HeaderField{Name: ":authority", Value: "x"}) ||
		slices.ContainsFunc(list, func(f hpack.HeaderField) bool {
			return strings.TrimSpace(f.Value) != f.Value || f.Name == ":path" && !strings.HasPrefix(f.Value, "/") ||
				f.Name == ":method" && f.Value != "GET" || slices.Contains([]string{"host", "content-length", "te"}, f.Name)
		})
}

// expectSameHTTP2 asks both for the same.
func expectSameHTTP2(t *testing.T, l *library.Library, requests ...[]hpack.HeaderField) (lane []string) {
	t.Helper()
	var reference []string
	synctest.Test(t, func(t *testing.T) {
		lane = answers(t, l, Options{}, true, requests)
		reference = answers(t, l, Options{}, false, requests)
	})
	for i, list := range requests {
		if lane[i] != reference[i] && reference[i] == "a reset" {
			// net/http refuses streams when it is busy with others, so it is asked once more, alone
			synctest.Test(t, func(t *testing.T) { reference[i] = answers(t, l, Options{}, false, requests[i:i+1])[0] })
		}
		if lane[i] != reference[i] && (lane[i] != "400" || !isJudged(list)) {
			t.Errorf("%.600q\n--- lane\n%s\n--- net/http\n%s", list, excerpt(lane[i]), excerpt(reference[i]))
		}
	}
	return lane
}
