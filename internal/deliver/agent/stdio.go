package agent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxMessage is the maximum size of a message to the server, in bytes.
const maxMessage = 1 << 20

// Transport returns a transport that reads one message per line, and writes answers. It answers a
// malformed line with an error and reads the next one, so that one mistake of a client does not end
// the connection.
func Transport(in io.ReadCloser, out io.Writer) mcp.Transport {
	w := &answers{out: out}
	w.done.L = &w.mu
	return &mcp.IOTransport{Reader: &messages{in: in, lines: bufio.NewReaderSize(in, 64<<10), answers: w}, Writer: w}
}

// answers writes answers one after the other, so that they are not mixed.
type answers struct {
	out     io.Writer
	mu      sync.Mutex
	pending int // number of unanswered calls
	done    sync.Cond
}

// beginsAnswer is the beginning of a message. As this server sends no requests, all messages are
// answers.
var beginsAnswer = []byte(`{"jsonrpc":"2.0","id":`)

func (a *answers) Write(b []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if bytes.HasPrefix(b, beginsAnswer) {
		a.addPending(-1)
	}
	return a.out.Write(b)
}

func (a *answers) writeRefusal(answer string) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return io.WriteString(a.out, answer)
}

// countMessage counts a message to the server: a call needs an answer, unless it is cancelled.
func (a *answers) countMessage(m jsonrpc.Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if request, ok := m.(*jsonrpc.Request); ok && request.IsCall() {
		a.addPending(1)
	} else if ok && request.Method == "notifications/cancelled" {
		a.addPending(-1)
	}
}

func (a *answers) addPending(more int) {
	if a.pending += more; a.pending <= 0 {
		a.pending = 0
		a.done.Broadcast()
	}
}

// longestWait is the maximum time to wait for answers after the input has ended.
const longestWait = 30 * time.Second

// wait waits until all calls are answered, within the time limit.
func (a *answers) wait() {
	defer time.AfterFunc(longestWait, func() { a.Close() }).Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.pending > 0 {
		a.done.Wait()
	}
}

// Close makes wait return. It does not close the standard output, which belongs to the program.
func (a *answers) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addPending(-a.pending)
	return nil
}

type messages struct {
	in      io.ReadCloser
	lines   *bufio.Reader
	answers *answers
	rest    []byte
}

func (m *messages) Read(b []byte) (int, error) {
	for len(m.rest) == 0 {
		line, err := m.nextLine()
		if errors.Is(err, io.EOF) {
			m.answers.wait()
		}
		if err != nil {
			return 0, err
		}
		m.rest = line
	}
	n := copy(b, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

func (m *messages) Close() error { return m.in.Close() }

// Answers to malformed lines.
const (
	notJSON   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"invalid JSON"}}` + "\n"
	noMessage = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a single JSON-RPC 2.0 message"}}` + "\n"
	tooLong   = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is larger than 1 MiB"}}` + "\n"
)

// nextLine returns the next line, or "" if it is malformed.
func (m *messages) nextLine() ([]byte, error) {
	line, long, err := m.readLine()
	if err != nil {
		return nil, err
	}
	if line = bytes.TrimSpace(line); len(line) == 0 && !long {
		return nil, nil
	}
	message, wrong := jsonrpc.DecodeMessage(line)
	answer := noMessage
	switch {
	case long:
		answer = tooLong
	case wrong == nil && line[0] == '{':
		m.answers.countMessage(message)
		return append(line, '\n'), nil
	case !json.Valid(line):
		answer = notJSON
	}
	_, err = m.answers.writeRefusal(answer)
	return nil, err
}

// readLine reads a line. It drops the rest of a line that is too long.
func (m *messages) readLine() (line []byte, long bool, err error) {
	for {
		part, err := m.lines.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxMessage; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0 && !long:
			return line, false, nil
		default:
			return line, long, err
		}
	}
}
