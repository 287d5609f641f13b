package serve

import (
	"bytes"
	"context"
	"flag"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"pgregory.net/rapid"

	"stele/internal/deliver/library"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/internal/testkit/specimen"
)

// TestHTTP2Agrees: the lane answers as net/http does, from memory and from disk, whatever is
// asked for and how.
func TestHTTP2Agrees(t *testing.T) {
	race.LeaveOut(t, "sends one request after the other")
	for _, opt := range []Options{{}, {Memory: 1}} {
		l := openSpecimen(t, opt)
		var requests [][]hpack.HeaderField
		for _, path := range append(specimenPaths, "/?a=b", "/plain.txt?%zz", "/%70lain.txt", "/a%2fb", "/%00", "/%5c", "/\\", "/%", "/%zz", "/%ff%fe", "/\xff", "/ü", "/#x", "//x/plain.txt", "*", "x", "http://x/", "", "/ ", "/a b", "/\x00") {
			for _, method := range []string{"GET", "HEAD"} {
				requests = append(requests, requestFields(method, path), requestFields(method, path, "Accept-Encoding: gzip, br", "Accept: text/html"))
			}
		}
		for _, method := range []string{"OPTIONS", "POST", "DELETE", "TRACE", "get", "PRI", "G T", "", "\x00"} {
			requests = append(requests, requestFields(method, "/"), requestFields(method, "*"))
		}
		for name, values := range specimen.FieldValues {
			for _, value := range values {
				for _, path := range []string{specimen.Record, specimen.Middle} {
					requests = append(
						requests,
						requestFields("GET", path, header(l, path, name, value)),
						requestFields("GET", path, header(l, path, name, value), "Accept-Encoding: gzip", "Range: bytes=1-2", header(l, path, name, value)),
					)
				}
			}
		}
		for _, lines := range [][]string{
			{"Connection: close"},
			{"Connection: keep-alive"},
			{"Keep-Alive: 5"},
			{"Proxy-Connection: x"},
			{"Transfer-Encoding: chunked"},
			{"Upgrade: h2c"},
			{"TE: trailers"},
			{"TE: gzip"},
			{"TE: trailers, gzip"},
			{"Cookie: a", "Cookie: b"},
			{"Host: x"},
			{"Host: y"},
			{"User-Agent: a\x00b"},
			{"User-Agent: a\nb"},
			{"User-Agent: \xff"},
			{"User-Agent: a\x7fb"},
			{"User-Agent: "},
			{"User Agent: a"},
			{"(: a"},
			{": a"},
			{"Content-Length: 0"},
			{"Expect: 100-continue"},
			{"Accept: ", "Accept: text/html"},
			{"Cookie: " + strings.Repeat("a", 9000)},
			{"X-Unknown: 1"},
		} {
			requests = append(requests, requestFields("GET", specimen.Record, lines...), requestFields("GET", "/nothing", lines...))
		}
		field := func(name, value string) hpack.HeaderField { return hpack.HeaderField{Name: name, Value: value} }
		good := requestFields("GET", "/")
		requests = append(
			requests,
			good[:3],
			good[1:],
			slices.Concat(good[:1], good[2:]),
			slices.Concat(good[:2], good[3:]),
			slices.Concat(good, good[:1]),
			slices.Concat(good, good[3:]),
			slices.Concat(good[:2], good[1:]),
			append(slices.Clone(good), field(":status", "200")),
			append(slices.Clone(good), field(":x", "")),
			append(slices.Clone(good), field("a", "b"), field(":path", "/")),
			append(slices.Clone(good), field("Accept", "*/*")),
			append(slices.Clone(good), field("", "x")),
			[]hpack.HeaderField{field(":method", "GET"), field(":scheme", "ftp"), field(":path", "/")},
			[]hpack.HeaderField{field(":method", "GET"), field(":scheme", "http"), field(":path", "/")},
			[]hpack.HeaderField{
				field(":method", "CONNECT"),
				field(":authority", "x:443"),
			},
			[]hpack.HeaderField{field(":method", "CONNECT")},
			append([]hpack.HeaderField{field(":method", "CONNECT"), field(":authority", "x:443")}, good[3]),
			[]hpack.HeaderField{},
		)
		answered := 0
		for _, reply := range expectSameHTTP2(t, l, requests...) {
			if strings.HasPrefix(reply, "2") || strings.HasPrefix(reply, "3") || strings.HasPrefix(reply, "4") {
				answered++
			}
		}
		if answered < len(requests)/2 {
			t.Errorf("only %d of %d requests had an answer", answered, len(requests))
		}
	}
}

// FuzzHTTP2Request: whatever the fields of a request say, the lane and net/http agree.
func FuzzHTTP2Request(f *testing.F) {
	f.Add("GET", "https", "x", "/", "accept-encoding", "gzip", "range", "bytes=0-1")
	f.Add("HEAD", "http", "", "/plain.txt?x", "if-none-match", "*", "te", "trailers")
	f.Add("CONNECT", "", "x:443", "", "connection", "close", ":path", "/")
	f.Add("OPTIONS", "https", "x", "*", "x-y", "\t", "cookie", "")
	l := openSpecimen(f, Options{})
	f.Fuzz(func(t *testing.T, method, scheme, authority, path, name1, value1, name2, value2 string) {
		var list []hpack.HeaderField
		for _, field := range []hpack.HeaderField{
			{Name: ":method", Value: method},
			{Name: ":scheme", Value: scheme},
			{Name: ":authority", Value: authority},
			{Name: ":path", Value: path},
			{Name: name1, Value: value1},
			{
				Name:  name2,
				Value: value2,
			},
		} {
			if field.Value != "" || !strings.HasPrefix(field.Name, ":") {
				list = append(list, field)
			}
		}
		expectSameHTTP2(t, l, list)
	})
}

// TestHTTP2LargeHead: a head that is too large has an answer. If it is in several frames, the rest
// of it is not read, and the connection ends, as it does with a head that does not end.
func TestHTTP2LargeHead(t *testing.T) {
	withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
		p := greet(t, s, true)
		defer p.Close()
		block := p.head(requestFields("GET", "/", "Cookie: "+strings.Repeat("\x7e", 16_300))...)
		p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: block[:9000], EndStream: true})
		p.framer.WriteContinuation(1, true, block[9000:])
		p.next = 3
		small := p.get("/plain.txt")
		p.send()
		h := p.listen(t)
		if got := h.streams[1].status; got != "431" {
			t.Errorf("the answer is %s", got)
		}
		if got := string(h.streams[small].body); got != "no variants\n" || h.away != nil {
			t.Errorf("then comes %q, %v", got, h.away)
		}
		block = p.head(requestFields("GET", "/", "Cookie: "+strings.Repeat("\x7e", 30_000))...)
		p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 5, BlockFragment: block[:maxFrame], EndStream: true})
		p.framer.WriteContinuation(5, false, block[maxFrame:20_000])
		p.send()
		if h := p.listen(t); h.streams[5] == nil || h.streams[5].status != "431" || !h.streams[5].ended ||
			h.away == nil || h.away.ErrCode != http2.ErrCodeEnhanceYourCalm || h.away.LastStreamID != 5 || !h.over {
			t.Errorf("a head of more than it may have is answered with %v, %v, and the connection is closed: %v", h.streams[5], h.away, h.over)
		}
		p = greet(t, s, true)
		defer p.Close()
		p.framer.WriteHeaders(
			http2.HeadersFrameParam{StreamID: 1, BlockFragment: p.head(requestFields("GET", "/")...), EndStream: true},
		)
		for range 100 {
			p.framer.WriteContinuation(1, false, nil)
		}
		p.send()
		if h := p.listen(t); h.away == nil || h.away.ErrCode != http2.ErrCodeEnhanceYourCalm || !h.over {
			t.Errorf("an endless head is answered with %v, and the connection is closed: %v", h.away, h.over)
		}
	})
}

// TestHTTP2Body: nobody reads a body, but the answer comes, a client whose body is long is asked to
// stop, and the connection goes on.
func TestHTTP2Body(t *testing.T) {
	withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
		p := greet(t, s, true, wide)
		defer p.Close()
		var ids []uint32
		for range 20 { // together more than the connection's window
			id := p.ask(false, requestFields("POST", "/plain.txt")...)
			ids = append(ids, id)
			p.framer.WriteData(id, false, make([]byte, maxFrame))
			p.send()
			p.framer.WriteData(id, false, make([]byte, maxFrame))
			p.framer.WriteDataPadded(id, true, []byte("end"), make([]byte, 200))
			p.send()
		}
		last := p.ask(false, requestFields("GET", "/plain.txt")...)
		p.framer.WriteHeaders(
			http2.HeadersFrameParam{
				StreamID:      last,
				BlockFragment: p.head(hpack.HeaderField{Name: "x", Value: "behind"}),
				EndStream:     true,
				EndHeaders:    true,
			},
		)
		p.send()
		h := p.listen(t)
		for _, id := range ids {
			if st := h.streams[id]; st == nil || st.status != "405" || !st.ended || st.reset == nil ||
				*st.reset != http2.ErrCodeNo {
				t.Fatalf("stream %d: %+v", id, st)
			}
		}
		if got := h.streams[last]; got.status != "200" || string(got.body) != "no variants\n" || h.away != nil {
			t.Errorf("a GET with a body: %v, %v", got, h.away)
		}
	})
}

// TestHTTP2Malformed: what RFC 9113, section 8, calls malformed ends the stream, and nothing else.
// The next request on the connection is answered.
func TestHTTP2Malformed(t *testing.T) {
	plain := []string{":method", "GET", ":scheme", "https", ":authority", "a", ":path", "/manifest.json"}
	with := func(more ...string) []string { return append(append([]string{}, plain...), more...) }
	for what, c := range map[string]struct {
		fields      []string
		status, end string
	}{
		"a plain request":                {plain, "200", "whole"},
		"the same host":                  {with("host", "A:443"), "200", "whole"},
		"another host":                   {with("host", "b"), "400", "PROTOCOL_ERROR"},
		"two hosts":                      {with("host", "a", "host", "a"), "400", "PROTOCOL_ERROR"},
		"a host that is none":            {append(append([]string{}, plain[:4]...), ":authority", "a/b", ":path", "/"), "400", "PROTOCOL_ERROR"},
		"no host at all":                 {append(append([]string{}, plain[:4]...), ":path", "/"), "400", "PROTOCOL_ERROR"},
		"an empty host":                  {append(append([]string{}, plain[:4]...), ":authority", "", ":path", "/"), "400", "PROTOCOL_ERROR"},
		"a host as HTTP/1.1 has it":      {append(append([]string{}, plain[:4]...), ":path", "/manifest.json", "host", "a"), "200", "whole"},
		"a user":                         {append(append([]string{}, plain[:4]...), ":authority", "u@a", ":path", "/"), "", "PROTOCOL_ERROR"},
		"a path without a slash":         {append(append([]string{}, plain[:6]...), ":path", "manifest.json"), "", "PROTOCOL_ERROR"},
		"a URL for a path":               {append(append([]string{}, plain[:6]...), ":path", "https://a/manifest.json"), "400", "PROTOCOL_ERROR"},
		"a star":                         {append(append([]string{}, plain[:6]...), ":path", "*"), "400", "PROTOCOL_ERROR"},
		"a star where it may be":         {[]string{":method", "OPTIONS", ":scheme", "https", ":authority", "a", ":path", "*"}, "204", "whole"},
		"a path that is too long":        {append(append([]string{}, plain[:6]...), ":path", "/"+strings.Repeat("a", 9000)), "414", "whole"},
		"a method that is not known":     {[]string{":method", "BREW", ":scheme", "https", ":authority", "a", ":path", "/"}, "501", "whole"},
		"a method that is none":          {[]string{":method", "G(T", ":scheme", "https", ":authority", "a", ":path", "/"}, "400", "PROTOCOL_ERROR"},
		"two authorities":                {[]string{":method", "GET", ":scheme", "https", ":authority", "", ":authority", "a", ":path", "/"}, "", "PROTOCOL_ERROR"},
		"a large letter in a name":       {with("Accept", "*/*"), "", "PROTOCOL_ERROR"},
		"a space before a value":         {with("accept", " */*"), "400", "PROTOCOL_ERROR"},
		"a tab after a value":            {with("accept", "*/*\t"), "400", "PROTOCOL_ERROR"},
		"a line end in a value":          {with("accept", "a\nb"), "", "PROTOCOL_ERROR"},
		"a field of a connection":        {with("connection", "close"), "400", "PROTOCOL_ERROR"},
		"a length and nothing":           {with("content-length", "3"), "400", "PROTOCOL_ERROR"},
		"a length of nothing":            {with("content-length", "0"), "200", "whole"},
		"a length that is no number":     {with("content-length", "+0"), "400", "PROTOCOL_ERROR"},
		"two lengths":                    {with("content-length", "0", "content-length", "1"), "400", "PROTOCOL_ERROR"},
		"a pseudo field that is unknown": {append([]string{":x", "y"}, plain...), "", "PROTOCOL_ERROR"},
		"a pseudo field after others":    {append(append([]string{}, plain[:6]...), "accept", "*/*", ":path", "/"), "", "PROTOCOL_ERROR"},
	} {
		withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
			p := greet(t, s, true, wide)
			defer p.Close()
			id := p.ask(true, fieldsOf(c.fields...)...)
			p.send()
			if status, end := p.listen(t).end(id); status != c.status || end != c.end {
				t.Errorf("%s: %s, %s; want %s, %s", what, status, end, c.status, c.end)
			}
			p.expectNext(t, what)
		})
	}
}

// TestHTTP2BodyLength: a body has the length that it says (RFC 9113, section 8.1.1), and what comes
// after it is as it should be (section 8.1), whether the answer was short or is not sent yet.
func TestHTTP2BodyLength(t *testing.T) {
	for what, c := range map[string]struct {
		length string
		send   func(p *speaker)
		want   string
	}{
		"more than it says": {"3", func(p *speaker) { p.framer.WriteData(1, false, []byte("abcd")) }, "PROTOCOL_ERROR"},
		"less than it says": {"3", func(p *speaker) { p.framer.WriteData(1, true, []byte("ab")) }, "PROTOCOL_ERROR"},
		"more, in two frames": {"3", func(p *speaker) {
			p.framer.WriteData(1, false, []byte("ab"))
			p.framer.WriteData(1, true, []byte("cd"))
		}, "PROTOCOL_ERROR"},
		"less, and trailers":   {"3", func(p *speaker) { p.framer.WriteData(1, false, []byte("ab")); p.trailers(true, "x", "y") }, "PROTOCOL_ERROR"},
		"trailers without end": {"2", func(p *speaker) { p.framer.WriteData(1, false, []byte("ab")); p.trailers(false, "x", "y") }, "PROTOCOL_ERROR"},
		"pseudo fields after":  {"2", func(p *speaker) { p.framer.WriteData(1, false, []byte("ab")); p.trailers(true, ":path", "/") }, "PROTOCOL_ERROR"},
		"what it says":         {"3", func(p *speaker) { p.framer.WriteData(1, true, []byte("abc")); p.framer.WriteData(1, true, nil) }, "STREAM_CLOSED"},
		"what it says, trailers": {"3", func(p *speaker) {
			p.framer.WriteData(1, false, []byte("abc"))
			p.trailers(true, "x", "y")
			p.framer.WriteData(1, true, nil)
		}, "STREAM_CLOSED"},
		"a long one": {"100000", func(*speaker) {}, "NO_ERROR"},
	} {
		for _, path := range []string{specimen.Plain, specimen.Large} {
			if what == "a long one" && path != specimen.Plain {
				continue // whose answer does not end
			}
			withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
				p := greet(t, s, true)
				defer p.Close()
				id := p.ask(false, requestFields("GET", path, "content-length: "+c.length)...)
				c.send(p)
				p.send()
				if _, end := p.listen(t).end(id); end != c.want {
					t.Errorf("%s of %s: %s, want %s", what, path, end, c.want)
				}
				p.framer.WriteData(id, true, nil)
				p.expectNext(t, what+" of "+path)
			})
		}
	}
}

// trailers sends fields after the body of the first request.
func (p *speaker) trailers(ends bool, fields ...string) {
	p.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: 1, BlockFragment: p.head(fieldsOf(fields...)...), EndStream: ends, EndHeaders: true,
	})
}

// fieldsOf are fields, given as names and values in turn.
func fieldsOf(pairs ...string) (list []hpack.HeaderField) {
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// end is the status of a stream, and how the stream ended.
func (h heard) end(id uint32) (status, end string) {
	st := h.streams[id]
	switch {
	case h.away != nil:
		return "", "the connection: " + h.away.ErrCode.String()
	case st == nil:
		return "", ""
	case st.reset != nil:
		return st.status, st.reset.String()
	case st.ended:
		return st.status, "whole"
	}
	return st.status, "open"
}

// expectNext makes sure that the next request on a connection is answered.
func (p *speaker) expectNext(t *testing.T, after string) {
	t.Helper()
	id := p.ask(true, requestFields(http.MethodHead, specimen.Plain)...)
	p.send()
	if status, end := p.listen(t).end(id); status != "200" || end != "whole" {
		t.Errorf("after %s, the next request gets %s, %s", after, status, end)
	}
}

// TestHTTP2Windows: bodies keep to the windows that the client gives, whatever it does with them,
// and come whole.
func TestHTTP2Windows(t *testing.T) {
	if race.Enabled {
		must.Do(t, flag.Set("rapid.checks", "20"))
	}
	for _, opt := range []Options{{}, {Memory: 1}} {
		l := openSpecimen(t, opt)
		rapid.Check(t, func(rt *rapid.T) {
			initial := rapid.Uint32Range(0, 100_000).Draw(rt, "initial")
			seed := rapid.Uint64().Draw(rt, "seed")
			synctest.Test(t, func(t *testing.T) {
				l.Retain()
				s := New(l, opt)
				defer stop(t, s)
				random := rand.New(rand.NewPCG(seed, 0))
				p := greet(t, s, true, http2.Setting{ID: http2.SettingInitialWindowSize, Val: initial})
				defer p.Close()
				paths, windows, connection := map[uint32]string{}, map[uint32]int64{}, int64(firstWindow)
				for range 1 + random.IntN(4) {
					path := []string{specimen.Large, specimen.Middle, specimen.Record, "/evidence/evd-big/"}[random.IntN(4)]
					id := p.get(path)
					paths[id], windows[id] = path, int64(initial)
				}
				given := int64(initial)
				for done := false; !done; {
					p.send()
					h := p.listen(t)
					all := int64(0)
					done = true
					for id := range paths {
						size := int64(len(h.streams[id].body))
						if all += size; size > windows[id] {
							t.Fatalf("stream %d has %d bytes, and may have %d", id, size, windows[id])
						}
						done = done && h.streams[id].ended
					}
					if all > connection {
						t.Fatalf("there are %d bytes, and may be %d", all, connection)
					}
					if random.IntN(4) == 0 {
						now := random.Int64N(100_000)
						p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(now)})
						for id := range windows {
							// it may have sent as much before it heard of it
							windows[id] = max(windows[id], windows[id]+now-given)
						}
						given = now
					}
					more := 1 + random.Int64N(200_000)
					connection += more
					p.framer.WriteWindowUpdate(0, uint32(more))
					for id := range windows {
						more := 1 + random.Int64N(100_000)
						windows[id] += more
						p.framer.WriteWindowUpdate(id, uint32(more))
					}
				}
				h := p.listen(t)
				for id, path := range paths {
					var r library.Request
					r.Method, r.Path = http.MethodGet, path
					var a library.Answer
					s.Ask(&r, &a, new(library.Scratch))
					want := make([]byte, a.Size)
					if err := a.ReadAt(want, 0); err != nil || !bytes.Equal(want, h.streams[id].body) {
						t.Errorf("%s is not what it is: %d bytes of %d, %v", path, len(h.streams[id].body), len(want), err)
					}
					a.Release()
				}
			})
		})
	}
}

// TestHTTP2TakesTurns: a large body, and one that waits for room, do not hold up what is asked for
// meanwhile.
func TestHTTP2TakesTurns(t *testing.T) {
	withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
		p := greet(t, s, true)
		defer p.Close()
		stuck := p.get(specimen.Large) // larger than the window
		p.send()
		p.framer.WriteWindowUpdate(0, 1<<20)
		other, small := p.get(specimen.Large), p.get("/plain.txt")
		p.framer.WriteWindowUpdate(other, 1<<20)
		p.framer.WritePing(false, [8]byte{1})
		p.send()
		h := p.listen(t)
		if h.streams[stuck].ended || !h.streams[other].ended || !h.streams[small].ended || len(h.pings) != 1 {
			t.Errorf("ended: %v, %v, %v; %d pings", h.streams[stuck].ended, h.streams[other].ended, h.streams[small].ended, len(h.pings))
		}
		p.framer.WriteRSTStream(stuck, http2.ErrCodeCancel)
		p.framer.WriteWindowUpdate(stuck, 1<<20)
		again := p.get("/plain.txt")
		p.send()
		if h := p.listen(t); h.streams[stuck].ended || !h.streams[again].ended || h.away != nil {
			t.Errorf("after a reset: %v, %v, %v", h.streams[stuck].ended, h.streams[again].ended, h.away)
		}
	})
}

// TestHTTP2ManyWait: no more answers wait than are agreed on.
func TestHTTP2ManyWait(t *testing.T) {
	withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
		p := greet(t, s, true, http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
		defer p.Close()
		for range maxWaiting + 50 {
			p.get("/plain.txt")
		}
		p.send()
		refused := 0
		for _, st := range p.listen(t).streams {
			if st.reset != nil && *st.reset == http2.ErrCodeRefusedStream {
				refused++
			}
		}
		if refused != 50 {
			t.Errorf("%d are refused", refused)
		}
		p.framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 100})
		p.send()
		ended := 0
		for _, st := range p.listen(t).streams {
			if st.ended && string(st.body) == "no variants\n" {
				ended++
			}
		}
		if ended != maxWaiting {
			t.Errorf("%d are answered", ended)
		}
	})
}

// TestHTTP2WrongField: a request with a field of HTTP/1.1 is told so, and its stream ends with
// that, whether or not there is room for the words.
func TestHTTP2WrongField(t *testing.T) {
	for _, window := range []uint32{0, firstWindow} {
		withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
			p := greet(t, s, true, http2.Setting{ID: http2.SettingInitialWindowSize, Val: window})
			defer p.Close()
			id := p.get("/plain.txt", "Connection: close")
			p.send()
			p.framer.WriteWindowUpdate(id, 1000)
			p.send()
			h := p.listen(t)
			st := h.streams[id]
			if st.status != "400" || st.ended != (window > 0) || st.reset == nil ||
				*st.reset != http2.ErrCodeProtocol ||
				h.away != nil {
				t.Errorf("with a window of %d: %+v", window, st)
			}
		})
	}
}

// TestHTTP2TableSize: a client whose table is small is not asked to keep anything in it.
func TestHTTP2TableSize(t *testing.T) {
	for _, size := range []uint32{0, 1, 4095, 4096, 1 << 20} {
		withHTTP2(t, Options{}, func(t *testing.T, s *Server) {
			p := greet(t, s, true)
			defer p.Close()
			before := p.get("/plain.txt")
			p.send()
			p.framer.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: size})
			after, more := p.get("/plain.txt"), p.get("/plain.txt")
			p.send()
			h := p.listen(t)
			if h.streams[before].String() != h.streams[after].String() ||
				h.streams[before].String() != h.streams[more].String() {
				t.Errorf("%d: %v\n%v\n%v", size, h.streams[before], h.streams[after], h.streams[more])
			}
		})
	}
}

// TestHTTP2Idle: a connection on which nothing is asked for is ended in time, pings or not, and the
// client hears of it; sooner, if what it says is not whole.
func TestHTTP2Idle(t *testing.T) {
	opt := Options{IdleTime: time.Minute, HeaderTime: 20 * time.Second}
	withHTTP2(t, opt, func(t *testing.T, s *Server) {
		for name, c := range map[string]struct {
			begin func(p *speaker)
			pings bool
			ends  time.Duration
		}{
			"nothing asked": {func(p *speaker) {}, true, opt.IdleTime},
			"answered":      {func(p *speaker) { p.get("/plain.txt") }, true, opt.IdleTime},
			"waits":         {func(p *speaker) { p.get(specimen.Large) }, true, opt.IdleTime},
			"half a frame":  {func(p *speaker) { p.out.WriteString("\x00\x00\x10\x01") }, false, opt.HeaderTime},
			"half a head": {func(p *speaker) {
				p.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x82}})
			}, false, opt.HeaderTime},
		} {
			p := greet(t, s, true)
			begun := time.Now()
			c.begin(p)
			p.send()
			for time.Since(begun) < c.ends-2*time.Second {
				if _, over := p.got(); over {
					t.Errorf("%s: ended after %v", name, time.Since(begun))
				}
				if c.pings {
					p.framer.WritePing(false, [8]byte{})
				}
				p.send()
			}
			time.Sleep(4 * time.Second)
			synctest.Wait()
			if h := p.listen(t); h.away == nil || h.away.ErrCode != http2.ErrCodeNo || !h.over {
				t.Errorf("%s: %v, ended: %v", name, h.away, h.over)
			}
			p.Close()
		}
	})
}

// TestHTTP2NobodyReads: a client that takes nothing is given up in time.
func TestHTTP2NobodyReads(t *testing.T) {
	opt := Options{IdleTime: time.Minute}
	withHTTP2(t, opt, func(t *testing.T, s *Server) {
		here, there := newWire()
		defer here.Close()
		s.room <- struct{}{}
		c := newLimitedConn(s.sharedState, there)
		go serveHTTP2(s.sharedState, c, c)
		time.Sleep(2 * opt.IdleTime)
		expectEmpty(t, s)
	})
}

// TestHTTP2Stop: a server that stops says so first, answers what was asked before the client heard
// it, and then says what it has answered (RFC 9113, section 6.8). What waits is sent to the end.
func TestHTTP2Stop(t *testing.T) {
	l := openSpecimen(t, Options{})
	synctest.Test(t, func(t *testing.T) {
		s := New(l, Options{})
		idle, busy := greet(t, s, true), greet(t, s, true)
		defer idle.Close()
		defer busy.Close()
		idle.get("/plain.txt")
		idle.send()
		large := busy.get(specimen.Large)
		busy.send()
		stopped := make(chan error, 1)
		go func() { stopped <- s.Shutdown(context.Background()) }()
		synctest.Wait()
		h := idle.listen(t)
		if h.away == nil || h.away.LastStreamID != maxWindow || len(h.pings) != 1 || h.over {
			t.Fatalf("at first: %v, %d pings, ended: %v", h.away, len(h.pings), h.over)
		}
		last := idle.get(specimen.Plain) // the client has not heard it yet
		idle.framer.WritePing(true, h.pings[0])
		idle.send()
		h = idle.listen(t)
		if h.away.LastStreamID != last || h.away.ErrCode != http2.ErrCodeNo || !h.over || h.streams[last].status != "200" {
			t.Errorf("idle: %v, ended: %v", h.away, h.over)
		}
		late := busy.ask(false, requestFields("GET", "/plain.txt")...)
		busy.framer.WriteData(late, true, []byte("x"))
		busy.framer.WriteWindowUpdate(late, 1)
		busy.framer.WriteWindowUpdate(0, 1<<20)
		busy.framer.WriteWindowUpdate(large, 1<<20)
		busy.send()
		h = busy.listen(t)
		if st := h.streams[large]; !st.ended || len(st.body) != 300<<10 {
			t.Errorf("the answer has %d bytes, ended: %v", len(st.body), st.ended)
		}
		if h.away == nil || h.away.LastStreamID != large || h.streams[late] != nil || !h.over {
			t.Errorf("busy: %v, late: %v, ended: %v", h.away, h.streams[late], h.over)
		}
		if err := <-stopped; err != nil {
			t.Error(err)
		}
		expectEmpty(t, s)
	})
}

// FuzzHTTP2 says anything at all. The server must come to an end with it, and go on with others.
func FuzzHTTP2(f *testing.F) {
	p := &speaker{next: 1}
	p.framer, p.encode = http2.NewFramer(&p.out, nil), hpack.NewEncoder(&p.block)
	p.framer.WriteSettings(wide, http2.Setting{ID: http2.SettingHeaderTableSize, Val: 0})
	p.framer.WriteSettingsAck()
	p.get("/plain.txt", "Accept-Encoding: gzip")
	p.get(specimen.Large)
	p.framer.WriteWindowUpdate(0, 1<<20)
	p.framer.WriteWindowUpdate(3, 1<<20)
	p.framer.WriteData(3, true, []byte("x"))
	p.framer.WriteRSTStream(1, http2.ErrCodeCancel)
	p.framer.WritePing(false, [8]byte{})
	p.framer.WriteGoAway(0, http2.ErrCodeNo, nil)
	f.Add(p.out.Bytes(), 7)
	f.Add(p.out.Bytes(), 1000)
	f.Add([]byte("\x00\x00\x01\x01\x04\x00\x00\x00\x01\x82\x00\x00\x01\x09\x04\x00\x00\x00\x01\x84"), 3)
	l := openSpecimen(f, Options{})
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = min(max(size, 1), len(data)+1)
		synctest.Test(t, func(t *testing.T) {
			l.Retain()
			s := New(l, Options{})
			defer stop(t, s)
			p := greet(t, s, true)
			defer p.Close()
			p.send()
			for part := range slices.Chunk(data[:min(len(data), 200*size)], size) {
				p.say(part)
			}
			p.listen(t)
			other := greet(t, s, true)
			defer other.Close()
			id := other.get("/plain.txt")
			other.send()
			if got := other.listen(t).streams[id]; got == nil || !got.ended {
				t.Errorf("another client gets %v", got)
			}
		})
	})
}
