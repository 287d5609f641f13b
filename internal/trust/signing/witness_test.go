package signing

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/base/layout"
)

func witnessServer(t *testing.T, p *publisher, name string) (*WitnessServer, Witness) {
	t.Helper()
	w, err := NewWitnessServer(newKey(t, name), t.TempDir(), []string{public(t, p.keys[0])},
		func() time.Time { return time.Unix(1_800_000_000, 0) })
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(w)
	t.Cleanup(server.Close)
	policy := parsedPolicy(t, fmt.Sprintf("log %s\nwitness w %s %s\nquorum w\n", public(t, p.keys[0]), w.PublicKey(), server.URL))
	return w, policy.Witnesses()[0]
}

func cosign(w ...Witness) func(context.Context, *Log, []byte) ([]byte, error) {
	return func(ctx context.Context, log *Log, checkpoint []byte) ([]byte, error) {
		var err error
		for _, one := range w {
			if checkpoint, err = one.Cosign(ctx, http.DefaultClient, log, checkpoint); err != nil {
				return nil, err
			}
		}
		return checkpoint, nil
	}
}

func TestWitness(t *testing.T) {
	p := newPublisher(t)
	server, w := witnessServer(t, p, "witness.example/1")
	policy := parsedPolicy(t, "log "+public(t, p.keys[0])+"\nwitness one "+server.PublicKey()+"\nquorum one")
	for range 5 {
		p.publish(SignOptions{Cosign: cosign(w)})
		v, err := p.verify(VerifyOptions{Policy: policy})
		if err != nil || len(v.Witnesses) != 1 || v.Witnesses[0] != "one" {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	var quorum *QuorumError
	p.publish(SignOptions{}) // without a witness
	if _, err := p.verify(VerifyOptions{Policy: policy}); !errors.As(err, &quorum) {
		t.Errorf("without a cosignature: %v", err)
	}
	if _, err := p.verify(VerifyOptions{}); err != nil {
		t.Errorf("who asks for no witness: %v", err)
	}
	p.publish(SignOptions{Cosign: cosign(w)}) // the witness catches up
	if _, err := p.verify(VerifyOptions{Policy: policy}); err != nil {
		t.Error(err)
	}
}

// TestWitnessRefuses a log that was rewritten, one that went back, one it does not know, and one
// that somebody else signed.
func TestWitnessRefuses(t *testing.T) {
	p := newPublisher(t)
	_, w := witnessServer(t, p, "witness.example/1")
	for range 3 {
		p.publish(SignOptions{Cosign: cosign(w)})
	}
	for releases, says := range map[int]string{2: "went back", 3: "forked", 5: "422"} {
		fork := rewritten(t, p.keys, releases)
		_, err := fork.sign(SignOptions{Cosign: cosign(w)})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a fork of %d entries: %v", releases, err)
		}
	}
	for name, key := range map[string]string{"404": newKey(t, "unknown.example"), "403": newKey(t, origin)} {
		q := newPublisher(t)
		q.keys = []string{key}
		q.build()
		if _, err := q.sign(SignOptions{Cosign: cosign(w)}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// rewritten is a publisher whose log has other releases in it, the last one not signed.
func rewritten(t *testing.T, keys []string, releases int) *publisher {
	t.Helper()
	q := newPublisher(t)
	q.keys = keys
	q.n = 10
	q.build()
	for range releases - 1 {
		if _, err := q.sign(SignOptions{}); err != nil {
			t.Fatal(err)
		}
		q.build()
	}
	return q
}

func TestWitnessReadsStrictly(t *testing.T) {
	p := newPublisher(t)
	server, _ := witnessServer(t, p, "witness.example/1")
	p.publish(SignOptions{})
	checkpoint := string(p.files[layout.CheckpointPath].Data)
	for body, want := range map[string]int{
		"":                             http.StatusBadRequest,
		"old 0\n" + checkpoint:         http.StatusBadRequest,
		"old 00\n\n" + checkpoint:      http.StatusBadRequest,
		"old -1\n\n" + checkpoint:      http.StatusBadRequest,
		"old 2\n\n" + checkpoint:       http.StatusBadRequest,
		"old 0\nAAAA\n\n" + checkpoint: http.StatusBadRequest,
		"old 0\n" + strings.Repeat("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", 64) + "\n" + checkpoint: http.StatusBadRequest,
		"old 0\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n" + checkpoint:                               http.StatusUnprocessableEntity,
		strings.Repeat("x", maxNote+1): http.StatusRequestEntityTooLarge,
		"old 1\n\n" + checkpoint:       http.StatusConflict,
	} {
		r := httptest.NewRequest(http.MethodPost, "/add-checkpoint", strings.NewReader(body))
		rec := httptest.NewRecorder()
		server.ServeHTTP(rec, r)
		if rec.Code != want {
			t.Errorf("%.40q: %d %s, want %d", body, rec.Code, rec.Body, want)
		}
	}
	rec := httptest.NewRecorder()
	server.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/add-checkpoint", nil))
	if rec.Code != http.StatusMethodNotAllowed || rec.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d", rec.Code)
	}
}

// TestWitnessAtOnce: of many that ask at once with one old size, the memory never goes back.
func TestWitnessAtOnce(t *testing.T) {
	p := newPublisher(t)
	_, w := witnessServer(t, p, "witness.example/1")
	var logs []*publisher
	for range 8 {
		p.publish(SignOptions{})
		logs = append(logs, p.copied())
	}
	var wg sync.WaitGroup
	for _, q := range logs {
		wg.Go(func() {
			s, err := parseSigned(q.files[layout.CheckpointPath].Data)
			if err != nil {
				t.Error(err)
				return
			}
			log, err := readLog(t.Context(), FS(q.files), s.Size)
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = w.Cosign(t.Context(), http.DefaultClient, log, s.note) // it may come too late
		})
	}
	wg.Wait()
	p.publish(SignOptions{Cosign: cosign(w)}) // whatever was seen, it is part of this log
}

func TestPolicies(t *testing.T) {
	p := newPublisher(t)
	log := "log " + public(t, p.keys[0]) + "\n"
	var witnesses []Witness
	lines := ""
	for i := range 4 {
		s, w := witnessServer(t, p, fmt.Sprintf("w%d.example", i))
		witnesses = append(witnesses, w)
		lines += fmt.Sprintf("witness w%d %s\n", i, s.PublicKey())
	}
	p.publish(SignOptions{Cosign: cosign(witnesses[0], witnesses[2])})
	for text, ok := range map[string]bool{
		"quorum none":                  true,
		"quorum w0":                    true,
		"quorum w1":                    false,
		"group g all w0 w2\nquorum g":  true,
		"group g all w0 w1\nquorum g":  false,
		"group g any w1 w2\nquorum g":  true,
		"group g 2 w0 w1 w2\nquorum g": true,
		"group g 3 w0 w1 w2\nquorum g": false,
		"group a any w0 w1\ngroup b any w2 w3\ngroup c all a b\nquorum c": true,
		"group a any w1 w3\ngroup b any w2 w0\ngroup c all a b\nquorum c": false,
	} {
		_, err := p.verify(VerifyOptions{Policy: parsedPolicy(t, log+lines+text)})
		if (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, says := range map[string]string{
		"":                                     "not a public key",
		log:                                    "no quorum",
		"quorum none\n":                        "names no log",
		log + "quorum w9":                      `named "w9"`,
		log + log + "quorum none":              "twice",
		log + lines + lines + "quorum none":    "line 6",
		log + lines + "group g 0 w1\nquorum g": "number",
		log + lines + "group g 2 w1\nquorum g": "number",
		log + lines + "group g any w1 w1\nquorum g":              "already",
		log + lines + "group g any w1\ngroup h any w1\nquorum g": "already",
		log + lines + "group w1 any w2\nquorum w1":               "taken",
		log + "quorum none\nquorum none":                         "already",
		log + "wittness a b\nquorum none":                        "not written as",
		log + "witness a " + public(t, p.keys[0]) + "\nquorum a": "not a public key of a witness",
		p.keys[0]: "private key",
	} {
		if _, err := ParsePolicy(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}
