//go:build linux

package serve

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/deliver/library"
	"stele/internal/testkit/must"
)

// TestSuggestionsAreFew: of a flood of wrong addresses, as many get the nearest right one as
// there is time for. All are answered, and nothing of them is kept.
func TestSuggestionsAreFew(t *testing.T) {
	for name, opt := range map[string]Options{"the loops": {}, "net/http": {Wrap: plainly}, "large": {Memory: 1}} {
		l := openSpecimen(t, opt)
		library.ForTest(l).SetSuggesting(time.Hour) // of which one suggestion uses up all
		s, address := onLoopback(t, l, opt)
		conn := must.Get(net.Dial("tcp", address))(t)
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		const asked = 100
		go func() {
			for range asked { // what does not arrive is not answered
				fmt.Fprint(conn, get("/api/v1/evidence/evd-mmr-one-doze.json"))
			}
		}()
		in, suggested := bufio.NewReader(conn), 0
		for range asked {
			answer, err := http.ReadResponse(in, nil)
			must.Do(t, err)
			body, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != http.StatusNotFound {
				t.Fatalf("%s: %v, %v", name, answer.Status, err)
			}
			if strings.Contains(string(body), `"nearest": "/api/v1/evidence/evd-mmr-one-dose.json"`) {
				suggested++
			}
			if !strings.Contains(string(body), `"collection": "/api/v1/evidence.json"`) {
				t.Errorf("%s: %s", name, body)
			}
		}
		if suggested != 1 {
			t.Errorf("%s: %d of %d wrong addresses have a suggestion", name, suggested, asked)
		}
		if err := s.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	}
}
