package signing

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/testkit/witnesstest"
)

// omniwitness starts the witness of others and returns the policy that asks it.
func omniwitness(t *testing.T, p *publisher) (*witnesstest.Witness, *Policy) {
	t.Helper()
	w, end, err := witnesstest.Start(witnesstest.Program(t), t.TempDir(), "witness.example", public(t, p.keys[0]))
	must.Do(t, err)
	t.Cleanup(end)
	return w, parsedPolicy(t, fmt.Sprintf("log %s\nwitness one %s %s\nquorum one\n", public(t, p.keys[0]), w.Key, w.URL))
}

// asking asks the witnesses of a policy.
func asking(p *Policy) SignOptions {
	return SignOptions{Cosign: func(ctx context.Context, log *Log, checkpoint []byte) ([]byte, error) {
		return p.Cosign(ctx, log, checkpoint)
	}}
}

func TestLongWitness(t *testing.T) {
	long.Only(t)
	p := newPublisher(t)
	_, policy := omniwitness(t, p)
	for range 5 {
		p.publish(asking(policy))
		v, err := p.verify(VerifyOptions{Policy: policy})
		if err != nil || len(v.Witnesses) != 1 || v.Witnesses[0] != "one" {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	p.publish(SignOptions{}) // without the witness
	if _, err := p.verify(VerifyOptions{Policy: policy}); err == nil ||
		!strings.Contains(err.Error(), "0 of the 1 that the policy names") {
		t.Errorf("without a cosignature: %v", err)
	}
	if _, err := p.verify(VerifyOptions{}); err != nil {
		t.Errorf("who asks for no witness: %v", err)
	}
	p.publish(asking(policy)) // the witness catches up
	if _, err := p.verify(VerifyOptions{Policy: policy}); err != nil {
		t.Error(err)
	}
}

// TestLongWitnessRefuses a log that was rewritten, one that went back, one it does not know, and
// one that somebody else signed.
func TestLongWitnessRefuses(t *testing.T) {
	long.Only(t)
	p := newPublisher(t)
	_, policy := omniwitness(t, p)
	for range 3 {
		p.publish(asking(policy))
	}
	for releases, says := range map[int]string{2: "have cosigned 3 entries", 3: "does not continue", 5: "does not continue"} {
		fork := rewritten(t, p.keys, releases)
		_, err := fork.sign(asking(policy))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("a fork of %d entries: %v", releases, err)
		}
	}
	for name, key := range map[string]string{"unknown": newKey(t, "unknown.example"), "another key": newKey(t, origin)} {
		q := newPublisher(t)
		q.keys = []string{key}
		q.build()
		if _, err := q.sign(asking(policy)); err == nil || !strings.Contains(err.Error(), `witness "one": answer`) {
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
		must.Get(q.sign(SignOptions{}))(t)
		q.build()
	}
	return q
}

// TestHostileWitness: what a witness answers is neither followed nor believed.
func TestHostileWitness(t *testing.T) {
	p := newPublisher(t)
	p.publish(SignOptions{})
	p.publish(SignOptions{})
	var asked, elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	size := func(w http.ResponseWriter, n int64) {
		w.Header().Set("Content-Type", sizeType)
		w.WriteHeader(http.StatusConflict)
		fmt.Fprintf(w, "%d\n", n)
	}
	for name, c := range map[string]struct {
		answer func(http.ResponseWriter, *http.Request)
		says   string
	}{
		"sizes that vary": {func(w http.ResponseWriter, _ *http.Request) { size(w, 1+asked.Add(1)%2) }, "a different size"},
		"one size":        {func(w http.ResponseWriter, _ *http.Request) { size(w, 2) }, "refuses the log"},
		"size 0":          {func(w http.ResponseWriter, _ *http.Request) { size(w, 0) }, "refuses the log"},
		"a size beyond":   {func(w http.ResponseWriter, _ *http.Request) { size(w, 9) }, "9 entries of this log, which has 3"},
		"a negative size": {func(w http.ResponseWriter, _ *http.Request) { size(w, -1) }, "malformed size"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		}, "correct the URL"},
		"nothing":           {func(http.ResponseWriter, *http.Request) {}, "did not sign with its key"},
		"no end":            {func(w http.ResponseWriter, _ *http.Request) { endless(w) }, "did not sign with its key"},
		"control codes":     {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "\x1b[2J", http.StatusTeapot) }, `"\x1b[2J"`},
		"somebody's answer": {func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "— somebody AAAAAAAA\n") }, "did not sign with its key"},
	} {
		server := httptest.NewServer(http.HandlerFunc(c.answer))
		key, _ := cosigner(t, "w.example")
		policy := parsedPolicy(t, fmt.Sprintf("log %s\nwitness one %s %s\nquorum one", public(t, p.keys[0]), key, server.URL))
		q := p.copied()
		q.build()
		_, err := q.sign(asking(policy))
		server.Close()
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "forked") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("another address was asked")
	}
}

func endless(w io.Writer) {
	for line := []byte("— w.example AAAA\n"); ; {
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

// cosigner makes a key of a witness, and what signs with it.
func cosigner(t *testing.T, name string) (key string, sign func(checkpoint []byte) []byte) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	must.Do(t, err)
	typed := append([]byte{algCosignature}, public...)
	id := binary.BigEndian.AppendUint32(nil, keyID(name, typed))
	key = fmt.Sprintf("%s+%x+%s", name, id, base64.StdEncoding.EncodeToString(typed))
	return key, func(checkpoint []byte) []byte {
		s := must.Get(parseSigned(checkpoint))(t)
		const unix = 1_800_000_000
		sig := binary.BigEndian.AppendUint64(id[:4:4], unix)
		sig = append(sig, ed25519.Sign(private, cosignedText([]byte(s.signedText()), unix))...)
		return fmt.Appendf(checkpoint, "— %s %s\n", name, base64.StdEncoding.EncodeToString(sig))
	}
}

func TestPolicies(t *testing.T) {
	p := newPublisher(t)
	log := "log " + public(t, p.keys[0]) + "\n"
	lines := ""
	var sign []func([]byte) []byte
	for i := range 4 {
		key, s := cosigner(t, fmt.Sprintf("w%d.example", i))
		sign = append(sign, s)
		lines += fmt.Sprintf("witness w%d %s\n", i, key)
	}
	p.publish(SignOptions{Cosign: func(_ context.Context, _ *Log, checkpoint []byte) ([]byte, error) {
		return sign[2](sign[0](checkpoint)), nil
	}})
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
		"":                                     "malformed public key",
		log:                                    "no quorum",
		"quorum none\n":                        "no log",
		log + "quorum w9":                      `unknown witness or group "w9"`,
		log + log + "quorum none":              "duplicate key",
		log + lines + lines + "quorum none":    "line 6",
		log + lines + "group g 0 w1\nquorum g": "number",
		log + lines + "group g 2 w1\nquorum g": "number",
		log + lines + "group g any w1 w1\nquorum g":              "already",
		log + lines + "group g any w1\ngroup h any w1\nquorum g": "already",
		log + lines + "group w1 any w2\nquorum w1":               "duplicate name",
		log + "quorum none\nquorum none":                         "duplicate quorum",
		log + "wittness a b\nquorum none":                        "malformed line",
		log + "witness a " + public(t, p.keys[0]) + "\nquorum a": "malformed witness key",
		p.keys[0]: "private key",
	} {
		if _, err := ParsePolicy(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}
