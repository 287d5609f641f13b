package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// serverKey is where a script keeps its server.
type serverKey struct{}

// serveCommands are commands for scripts about servers that run.
//
//	server ARGS...         runs "stele serve ARGS", waits until it says where it is,
//	                       and sets $URL and $HOST
//	server -inherit ARGS   the same with a socket that it is given as systemd does
//	wrote out|err REGEXP   waits until the server has written something
//	fetch [-h HEADER] ADDRESS   writes status, headers and body of an answer to the file "answer";
//	                       unix:SOCKET:/path asks over a socket
//	fetched REGEXP ADDRESS the same again and again, until the answer matches
//	event REGEXP           waits until the event stream of a preview says something
//	begin ADDRESS          begins a download and reads its head; "finish" reads the rest,
//	                       "broken" expects that it cannot
//	signal NAME            sends a signal; "ended CODE" waits until the server ends
var serveCommands = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"server": startServer, "wrote": awaitOutput, "fetch": fetchAnswer, "fetched": awaitAnswer, "event": awaitEvent,
	"begin": beginDownload, "finish": finishDownload, "broken": brokenDownload, "signal": sendSignal, "ended": awaitEnd,
}

// scriptServer is the server of a script.
type scriptServer struct {
	*running
	download *http.Response
}

func theServer(ts *testscript.TestScript) *scriptServer {
	s, ok := ts.Value(serverKey{}).(**scriptServer)
	if !ok || *s == nil {
		ts.Fatalf("no server runs")
	}
	return *s
}

func startServer(ts *testscript.TestScript, _ bool, args []string) {
	change := func(c *exec.Cmd) {
		c.Path, c.Err = "", nil
		for dir := range strings.SplitSeq(ts.Getenv("PATH"), string(os.PathListSeparator)) {
			if path := dir + "/stele"; c.Path == "" && isExecutable(path) {
				c.Path = path
			}
		}
		for _, name := range []string{"SOURCE_DATE_EPOCH", "HOME"} {
			if value := ts.Getenv(name); value != "" {
				c.Env = append(c.Env, name+"="+value)
			}
		}
	}
	if args[0] == "-inherit" {
		args = args[1:]
		plain := change
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		f, err := l.(*net.TCPListener).File()
		ts.Check(err)
		defer f.Close()
		defer l.Close()
		ts.Setenv("INHERITED", "http://"+l.Addr().String())
		change = func(c *exec.Cmd) { // systemd knows the process; a shell must find out
			plain(c)
			c.Args = append([]string{"sh", "-c", `LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@"`, c.Path}, c.Args[1:]...)
			c.Path, c.ExtraFiles = "/bin/sh", []*os.File{f}
		}
	}
	r, err := run(ts.MkAbs("."), change, args...)
	ts.Check(err)
	ts.Defer(r.kill)
	*ts.Value(serverKey{}).(**scriptServer) = &scriptServer{running: r}
	ts.Setenv("URL", r.url)
	if at, err := url.Parse(r.url); err == nil {
		ts.Setenv("HOST", at.Host)
	}
}

func isExecutable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&0o111 != 0
}

func awaitOutput(ts *testscript.TestScript, neg bool, args []string) {
	s := theServer(ts)
	o := &s.err
	if args[0] == "out" {
		o = &s.out
	}
	pattern := regexp.MustCompile("(?m)" + args[1])
	if neg {
		if pattern.MatchString(o.String()) {
			ts.Fatalf("the server wrote %s:\n%s", pattern, o)
		}
		return
	}
	ts.Check(s.await(o, pattern))
}

// ask gets an answer.
func ask(address, header string) (*http.Response, error) {
	dialer := &net.Dialer{Timeout: patience}
	transport := &http.Transport{
		DisableKeepAlives:  true,
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true},
		ForceAttemptHTTP2:  true,
		DisableCompression: true,
	}
	if rest, ok := strings.CutPrefix(address, "unix:"); ok {
		socket, path, _ := strings.Cut(rest, ":")
		address = "http://unix" + path
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", socket)
		}
	}
	q, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	if name, value, ok := strings.Cut(header, ": "); ok {
		q.Header.Set(name, value)
	}
	return transport.RoundTrip(q)
}

// answerText is an answer as a text.
func answerText(address, header string) (string, error) {
	answer, err := ask(address, header)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\n", answer.Proto, answer.Status)
	if err := answer.Header.Write(&b); err != nil {
		return "", err
	}
	_, err = io.Copy(&b, answer.Body)
	return strings.ReplaceAll(b.String(), "\r\n", "\n"), err
}

func fetchAnswer(ts *testscript.TestScript, neg bool, args []string) {
	header := ""
	if args[0] == "-h" {
		header, args = args[1], args[2:]
	}
	text, err := answerText(args[0], header)
	if neg {
		if err == nil {
			ts.Fatalf("there is an answer: %s", text)
		}
		return
	}
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("answer"), []byte(text), 0o644))
}

func awaitAnswer(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile("(?m)" + args[0])
	late := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := answerText(args[1], "")
		if err == nil && pattern.MatchString(text) {
			return
		}
		select {
		case <-tick.C:
		case <-late:
			ts.Fatalf("no answer matched %s; the last was: %v\n%s", pattern, err, text)
		}
	}
}

// awaitEvent reads the event stream from its beginning, which is the state at the moment.
func awaitEvent(ts *testscript.TestScript, _ bool, args []string) {
	s := theServer(ts)
	answer, err := ask(s.url+"/.stele/events", "Accept: text/event-stream")
	ts.Check(err)
	defer answer.Body.Close()
	late := time.AfterFunc(patience, func() { answer.Body.Close() })
	defer late.Stop()
	pattern := regexp.MustCompile(args[0])
	var said strings.Builder
	for in := bufio.NewScanner(answer.Body); in.Scan(); {
		if fmt.Fprintln(&said, in.Text()); pattern.MatchString(in.Text()) {
			return
		}
	}
	ts.Fatalf("no event matched %s:\n%s", pattern, &said)
}

func beginDownload(ts *testscript.TestScript, _ bool, args []string) {
	var err error
	theServer(ts).download, err = ask(args[0], "")
	ts.Check(err)
}

func finishDownload(ts *testscript.TestScript, _ bool, _ []string) {
	answer := theServer(ts).download
	n, err := io.Copy(io.Discard, answer.Body)
	if err != nil || n != answer.ContentLength {
		ts.Fatalf("%d bytes of %d: %v", n, answer.ContentLength, err)
	}
}

func brokenDownload(ts *testscript.TestScript, _ bool, _ []string) {
	if n, err := io.Copy(io.Discard, theServer(ts).download.Body); err == nil {
		ts.Fatalf("all %d bytes came", n)
	}
}

func sendSignal(ts *testscript.TestScript, _ bool, args []string) {
	s, ok := map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP}[args[0]]
	if !ok {
		ts.Fatalf("no signal %s", args[0])
	}
	ts.Check(theServer(ts).signal(s))
}

func awaitEnd(ts *testscript.TestScript, _ bool, args []string) {
	s := theServer(ts)
	code, err := s.wait()
	ts.Check(err)
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("it ended with %d, want %s:\n%s%s", code, args[0], &s.out, &s.err)
	}
}
