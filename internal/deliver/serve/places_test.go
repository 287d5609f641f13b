//go:build linux

package serve_test

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"golang.org/x/sys/unix"

	"stele/internal/deliver/serve"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
)

const (
	halfHead  = "GET / HTTP/1.1\r\nHost: a\r\nX: a"
	wholeHead = "GET /" + large + " HTTP/1.1\r\nHost: a\r\n\r\n"
)

// attacks are what clients say who mean to keep their places, each to a server with TLS or without.
var attacks = map[string]struct {
	secure bool
	http2  bool
	says   string
}{
	"half a hello":             {secure: false, says: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"}, // to a server with TLS
	"nothing":                  {says: ""},
	"nothing, TLS":             {secure: true, says: ""},
	"half a head":              {says: halfHead},
	"half a head, TLS":         {secure: true, says: halfHead},
	"half a large head":        {says: halfHead + strings.Repeat("a", 6<<10)},
	"half a large head, TLS":   {secure: true, says: halfHead + strings.Repeat("a", 6<<10)},
	"an answer and no more":    {says: "GET /manifest.json HTTP/1.1\r\nHost: a\r\n\r\n"},
	"answers not read":         {says: strings.Repeat(wholeHead, 4)},
	"answers not read, TLS":    {secure: true, says: strings.Repeat(wholeHead, 4)},
	"odd answers not read":     {says: strings.Repeat(strings.Replace(wholeHead, "Host", "X-Odd: b\r\nHost", 1), 4)},
	"streams without a window": {secure: true, http2: true, says: withoutWindow()},
	"half a preface":           {secure: true, http2: true, says: http2.ClientPreface[:10]},
}

// withoutWindow is what a client of HTTP/2 says that asks and has no room for answers.
func withoutWindow() string {
	var out, block bytes.Buffer
	out.WriteString(http2.ClientPreface)
	f, e := http2.NewFramer(&out, nil), hpack.NewEncoder(&block)
	f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
	asks := map[string]string{":method": "GET", ":scheme": "https", ":authority": "a", ":path": "/" + large}
	for name, value := range asks {
		e.WriteField(hpack.HeaderField{Name: name, Value: value})
	}
	head := http2.HeadersFrameParam{StreamID: 1, BlockFragment: block.Bytes(), EndStream: true, EndHeaders: true}
	f.WriteHeaders(head)
	return out.String()
}

// attack keeps a place until stop is closed: it comes back as soon as it is let go.
func attack(address string, secure, overHTTP2 bool, says string, stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		default:
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			continue
		}
		ended := make(chan struct{})
		go func() {
			select {
			case <-stop:
			case <-ended:
			}
			conn.Close()
		}()
		client := conn
		if secure {
			config := &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}
			if overHTTP2 {
				config.NextProtos = []string{"h2"}
			}
			client = tls.Client(conn, config)
		}
		io.WriteString(client, says) // it may be let go meanwhile
		awaitHangUp(conn)
		close(ended)
	}
}

// awaitHangUp waits until the other side has closed a connection, without reading from it.
func awaitHangUp(conn net.Conn) {
	raw, err := conn.(*net.TCPConn).SyscallConn()
	if err != nil {
		return
	}
	for open := true; open; {
		if err := raw.Control(func(fd uintptr) { open = !hangsUp(fd) }); err != nil {
			return
		}
	}
}

// hangsUp waits for a moment, and reports whether the other side of a connection is gone.
func hangsUp(fd uintptr) bool {
	const milliseconds = 50
	polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLRDHUP}}
	n, err := unix.Poll(polled, milliseconds)
	return n > 0 || err != nil && err != unix.EINTR
}

// TestLongPlacesUnderAttack: while clients that mean to stay hold all places, and come back when
// they are let go, ordinary clients are answered. Nobody's time runs out meanwhile.
func TestLongPlacesUnderAttack(t *testing.T) {
	long.Only(t)
	places, attackers := 100, 150
	if testing.Short() || race.Enabled {
		places, attackers = 10, 15
	}
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			leavesNothing(t)
			opt := serve.Options{Connections: places, HeaderTime: time.Hour, IdleTime: time.Hour}
			if a.secure || name == "half a hello" {
				opt.TLS = secureOptions(t)
			}
			s := serve.New(openedLarge(t, opt), opt)
			address := listening(t, s)
			stop := make(chan struct{})
			var all sync.WaitGroup
			for range attackers {
				all.Go(func() { attack(address, a.secure, a.http2, a.says, stop) })
			}
			await(t, "all places to be taken", func() bool { return openConnections(t, s) >= places })
			for range 3 {
				began := time.Now()
				if err := ordinary(address, opt.TLS != nil); err != nil {
					t.Error(err)
				}
				t.Logf("an ordinary client waited for %v", time.Since(began).Round(time.Millisecond))
			}
			close(stop)
			all.Wait()
		})
	}
}

// ordinary asks as browsers do: again where the connection is lost before there is an answer. On a
// busy machine an ordinary client may be the one that has stood still longest.
func ordinary(address string, secure bool) (err error) {
	for range 10 {
		if err = ask(address, secure); err == nil {
			break
		}
	}
	return err
}

// ask asks once, on a connection of its own.
func ask(address string, secure bool) error {
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, ForceAttemptHTTP2: true, DisableKeepAlives: true,
	}
	defer transport.CloseIdleConnections()
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	answer, err := (&http.Client{Transport: transport, Timeout: time.Minute}).Get(scheme + address + "/manifest.json")
	if err != nil {
		return err
	}
	if _, err = io.Copy(io.Discard, answer.Body); err == nil && answer.StatusCode != http.StatusOK {
		err = errors.New(answer.Status)
	}
	return errors.Join(err, answer.Body.Close())
}

// fewFiles is where a process that may open few files says at which address it serves.
const fewFiles = "STELE_TEST_FEW_FILES"

// TestFewFiles: a server that may have fewer open files than connections answers ordinary clients
// while silent ones take up all that there are.
func TestFewFiles(t *testing.T) {
	if os.Getenv(fewFiles) != "" {
		opt := serve.Options{HeaderTime: time.Hour, IdleTime: time.Hour}
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
		release := opened(t, opt)
		must.Do(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 60, Max: 60}))
		os.Stdout.WriteString(l.Addr().String() + "\n")
		serve.New(release, opt).Serve(l)
		return
	}
	if testing.Short() {
		t.Skip("runs a process of its own")
	}
	server := exec.Command(os.Args[0], "-test.run", "^TestFewFiles$")
	server.Env = append(os.Environ(), fewFiles+"=1")
	out := must.Get(server.StdoutPipe())(t)
	must.Do(t, server.Start())
	defer func() {
		server.Process.Kill()
		server.Wait() // which says that it was killed
	}()
	line := make([]byte, 64)
	n := must.Get(out.Read(line))(t)
	address := strings.TrimSpace(string(line[:n]))
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() { attack(address, false, false, "", stop) })
	}
	for range 3 {
		if err := ordinary(address, false); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	all.Wait()
}
