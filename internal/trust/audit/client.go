package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/trust/answers"
)

const (
	tries    = 3                // of a request with no answer or with 5xx
	hops     = 5                // redirects that are followed
	maxPause = time.Minute      // longest accepted Retry-After
	patience = 30 * time.Second // longest time without progress
	partOf   = 4                // an answer may take 1/partOf of the budget
)

var (
	errTime    = errors.New("the time limit of the audit was reached")
	errTooMuch = errors.New("the answer is too large for the audit")
	errBudget  = errors.New("the byte limit of the audit was reached")
)

// limits are the errors for exceeded limits, after which requests are not repeated.
var limits = []error{
	answers.ErrStalled, answers.ErrEncoding, errTime, errTooMuch, errBudget, errLong, errMany, errDeep,
	context.Canceled,
}

// client sends requests to a service, with limits on bytes and time.
type client struct {
	http     *http.Client
	base     string // without a final slash
	bytes    int64  // total limit, for encoded and for decoded bytes
	pause    time.Duration
	received atomic.Int64 // encoded bytes
	decoded  atomic.Int64
	requests atomic.Int64

	mu    sync.Mutex
	until time.Time // until when the service asked clients to wait
}

// query is a request without a body.
type query struct {
	method, path string
	header       [][2]string
}

// answer is the answer to a query, or the reason why the query was not answered.
type answer struct {
	query
	first  string // requested URL
	url    string // URL after redirects
	proto  string
	status int // 0 without an answer
	header http.Header
	via    []string // URLs of redirects
	away   string   // redirect to another host, which is not followed
	markup bool     // whether the body begins like HTML
	err    error    // why the answer is missing or incomplete
	bad    error    // why the content is invalid
}

func newClient(base string, opt Options) (*client, error) {
	address, err := answers.ParseBase(base)
	if err != nil {
		return nil, err
	}
	if address.User != nil {
		return nil, errors.New("an audit uses no credentials: remove the user and password from the URL")
	}
	transport := opt.Transport
	if transport == nil {
		transport = answers.NewTransport(atATime)
	}
	return &client{
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		base: strings.TrimRight(address.String(), "/"), bytes: opt.Bytes, pause: opt.Pause,
	}, nil
}

// sendWithRetries sends a request, repeats it if necessary, and passes the decoded body of a
// successful answer to read. It may call read for each attempt. The error of read says why the
// content is invalid.
func (c *client) sendWithRetries(ctx context.Context, q query, read func(io.Reader) error) *answer {
	for try := 1; ; try++ {
		a := c.sendAndFollow(ctx, q, read)
		pause, again := c.retryPause(a, try)
		if !again || ctx.Err() != nil {
			return a
		}
		c.mu.Lock()
		if next := time.Now().Add(pause); next.After(c.until) {
			c.until = next
		}
		c.mu.Unlock()
	}
}

// retryPause returns the pause before repeating a request, and whether to repeat it.
func (c *client) retryPause(a *answer, try int) (time.Duration, bool) {
	if try == tries || isLimit(a.err) || !answers.IsTransient(a.status, a.err) {
		return 0, false
	}
	pause := max(answers.RetryAfter(a.header), c.pause<<(try-1))
	return pause, pause <= maxPause
}

// isLimit reports whether err is one of the audit's own limits.
func isLimit(err error) bool {
	return slices.ContainsFunc(limits, func(limit error) bool { return errors.Is(err, limit) })
}

// wait waits until the next request may be sent.
func (c *client) wait(ctx context.Context) error {
	for {
		c.mu.Lock()
		left := time.Until(c.until)
		c.mu.Unlock()
		if left <= 0 {
			return context.Cause(ctx)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(left):
		}
	}
}

// sendAndFollow sends a request and follows redirects on the same host.
func (c *client) sendAndFollow(ctx context.Context, q query, read func(io.Reader) error) *answer {
	a := &answer{query: q, first: c.base + q.path, url: c.base + q.path}
	for {
		if a.err = c.wait(ctx); a.err == nil {
			c.send(ctx, a, read)
		}
		to := a.redirectURL()
		if to == nil {
			return a
		}
		if !sameHost(a.url, to) {
			a.away = to.String()
			return a
		}
		a.via = append(a.via, to.String())
		a.url = to.String()
		if len(a.via) > hops {
			return a
		}
	}
}

// redirectURL returns the URL that an answer redirects to, or nil.
func (a *answer) redirectURL() *url.URL {
	switch a.status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect,
		http.StatusPermanentRedirect:
		at, err := url.Parse(a.url)
		if err != nil {
			return nil
		}
		if to, err := at.Parse(a.header.Get("Location")); err == nil && a.header.Get("Location") != "" {
			return to
		}
	}
	return nil
}

// sameHost reports whether the URL to is on the host of from, possibly with an upgrade to HTTPS.
func sameHost(from string, to *url.URL) bool {
	at, err := url.Parse(from)
	return err == nil && to.User == nil && answers.SameHost(at, to)
}

func (c *client) send(ctx context.Context, a *answer, read func(io.Reader) error) {
	request, err := http.NewRequestWithContext(ctx, a.method, a.url, nil)
	if err != nil {
		a.err = err
		return
	}
	for _, line := range a.query.header {
		request.Header.Set(line[0], line[1])
	}
	c.requests.Add(1)
	response, err := answers.Send(c.http, request, answers.NewMeter(math.MaxInt64, patience))
	if err != nil {
		a.err = err
		return
	}
	defer response.Close() // it was only read
	a.status, a.header, a.proto, a.bad = response.StatusCode, response.Header, response.Proto, nil
	in := &body{client: c, in: response}
	if read == nil || a.status != http.StatusOK && a.status != http.StatusPartialContent {
		io.CopyN(io.Discard, in, 1<<10) // allows the connection to be reused
		return
	}
	content, err := c.decode(in, answers.Encoding(response.Header))
	if err == nil {
		a.bad = read(content)
	}
	a.markup = in.first == '<'
	a.err = cmp.Or(in.err, err)
}

func (c *client) decode(in *body, encoding string) (io.Reader, error) {
	r, err := answers.Decode(in, encoding)
	switch {
	case encoding == "" || errors.Is(err, answers.ErrEncoding):
		return r, err
	case err != nil:
		return nil, fmt.Errorf("%w: not valid %s", answers.ErrEncoding, encoding)
	}
	return &decoded{client: c, body: in, in: r}, nil
}

// body is the encoded body, within the limits.
type body struct {
	client *client
	in     io.Reader
	size   int64
	first  byte
	err    error // why reading ended early
}

func (b *body) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.in.Read(p)
	if b.size == 0 && n > 0 {
		b.first = p[0]
	}
	b.size += int64(n)
	b.err = b.client.countBytes(&b.client.received, b.size, n)
	if b.err == nil && err != io.EOF {
		b.err = err
	}
	if b.err != nil {
		err = b.err
	}
	return n, err
}

// countBytes adds n bytes to all and to size, the bytes of the answer. It returns an error if
// either is too large.
func (c *client) countBytes(all *atomic.Int64, size int64, n int) error {
	switch total := all.Add(int64(n)); {
	case total > c.bytes:
		return errBudget
	case size > c.bytes/partOf:
		return errTooMuch
	}
	return nil
}

// decoded counts decoded bytes, which may be many more than encoded ones.
type decoded struct {
	client *client
	body   *body
	in     io.Reader
	size   int64
}

func (d *decoded) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	d.size += int64(n)
	if limit := d.client.countBytes(&d.client.decoded, d.size, n); limit != nil {
		d.body.err, err = limit, limit
	}
	if err != nil && err != io.EOF && d.body.err == nil {
		d.body.err = fmt.Errorf("%w: %w", answers.ErrEncoding, err)
	}
	return n, err
}

// noAnswerReason returns the reason why an answer does not show whether the route exists, or "".
// Availability is not promised, so a server error is not a failure.
func (a *answer) noAnswerReason() string {
	switch {
	case a.err != nil:
		return a.err.Error()
	case a.status == http.StatusNotImplemented && a.method != http.MethodGet:
		return ""
	case a.status >= http.StatusInternalServerError, a.status == http.StatusTooManyRequests:
		return "answer " + a.statusText() + ", even when repeated"
	}
	return ""
}

func (a *answer) statusText() string {
	return strings.TrimSpace(strconv.Itoa(a.status) + " " + http.StatusText(a.status))
}

// requestText returns the request as it was sent.
func (a *answer) requestText() string {
	lines := []string{a.method + " " + a.first}
	for _, h := range a.query.header {
		lines = append(lines, h[0]+": "+h[1])
	}
	return strings.Join(lines, "\n")
}

func (a *answer) headerText() string {
	if a.status == 0 {
		return ""
	}
	lines := []string{a.proto + " " + a.statusText()}
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		for _, value := range a.header[name] {
			lines = append(lines, fmt.Sprintf("%.60s: %.200s", name, value))
		}
	}
	if len(lines) > 40 {
		lines = append(lines[:40], "…")
	}
	return strings.ToValidUTF8(strings.Join(lines, "\n"), "\uFFFD")
}

// curlCommand returns the request as a curl command.
func (a *answer) curlCommand() string {
	words := []string{"curl", "-sS", "-D", "-"}
	switch a.method {
	case http.MethodGet:
	case http.MethodHead:
		words = []string{"curl", "-sSI"}
	default:
		words = append(words, "-X", a.method)
	}
	for _, h := range a.query.header {
		words = append(words, "-H", h[0]+": "+h[1])
	}
	words = append(words, a.first)
	for i, w := range words {
		words[i] = quoteShell(w)
	}
	return strings.Join(words, " ")
}
