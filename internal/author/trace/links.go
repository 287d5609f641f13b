package trace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"stele/record"
)

// Links is what was found when the addresses of sources were asked.
type Links struct {
	Count   int // addresses
	Dead    []DeadLink
	Untried int // that did not answer, answered unclearly, or were too many
}

// DeadLink is an address at which there is nothing any more.
type DeadLink struct {
	URL, Why, Record string
}

// Limits of asking.
const (
	mostLinks  = 10_000
	linkTime   = 20 * time.Second
	linkAskers = 8
)

// TryLinks asks each address of a source once, a few at a time. Dead is what answers 404 or 410, or
// has a host that does not exist; what does not answer may be back tomorrow.
func TryLinks(ctx context.Context, files fs.FS, client *http.Client) (*Links, error) {
	of := map[string]string{} // by address: the first record that has it
	var all []string
	add := func(address record.URL, id record.ID) {
		text, _, _ := strings.Cut(string(address), "#")
		if _, known := of[text]; text != "" && !known {
			text = strings.Clone(text)
			of[text] = strings.Clone(string(id))
			all = append(all, text)
		}
	}
	for _, rec := range Records(files, func(string) bool { return true }) {
		e := rec.Common()
		for _, l := range e.SourceLinks {
			add(l.URL, e.ID)
		}
		if s, ok := rec.(*record.SourceObject); ok {
			add(s.URLMain, e.ID)
			add(s.URLDownload, e.ID)
		}
	}
	links := &Links{Count: len(all), Untried: max(0, len(all)-mostLinks)}
	next := make(chan string)
	var wait sync.WaitGroup
	var lock sync.Mutex
	for range linkAskers {
		wait.Go(func() {
			for address := range next {
				why, known := try(ctx, client, address)
				lock.Lock()
				if !known {
					links.Untried++
				} else if why != "" {
					links.Dead = append(links.Dead, DeadLink{address, why, of[address]})
				}
				lock.Unlock()
			}
		})
	}
	for _, address := range all[:min(len(all), mostLinks)] {
		next <- address
	}
	close(next)
	wait.Wait()
	slices.SortFunc(links.Dead, func(a, b DeadLink) int { return strings.Compare(a.URL, b.URL) })
	return links, context.Cause(ctx)
}

// try asks an address, and answers why it is dead, or "" if it is not, and whether that is known.
func try(ctx context.Context, client *http.Client, address string) (why string, known bool) {
	for _, method := range []string{http.MethodHead, http.MethodGet} { // some know only the second
		status, err := ask(ctx, client, method, address)
		var missing *net.DNSError
		switch {
		case errors.As(err, &missing) && missing.IsNotFound:
			return "the host does not exist", true
		case err != nil:
			return "", false
		case status < 400:
			return "", true
		case method == http.MethodGet && (status == http.StatusNotFound || status == http.StatusGone):
			return fmt.Sprintf("%d %s", status, http.StatusText(status)), true
		}
	}
	return "", false
}

func ask(ctx context.Context, client *http.Client, method, address string) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, linkTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("User-Agent", "stele-review")
	answer, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, answer.Body.Close()
}
