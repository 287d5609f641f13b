package signing

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// sizeType is the type of an answer that says what a witness has seen.
const sizeType = "text/x.tlog.size"

// WitnessServer is a witness, as c2sp.org/tlog-witness has it: it remembers the newest checkpoint
// of each log it knows, and cosigns only what continues it. It is an http.Handler.
type WitnessServer struct {
	key  string
	dir  string
	logs map[string][]note.Verifier // by origin
	now  func() time.Time

	mu sync.Mutex // from looking at a checkpoint until the next one is kept
}

// NewWitnessServer makes a witness that signs with a private key, keeps its memory in a folder, and
// knows the logs of these public keys.
func NewWitnessServer(private, dir string, logs []string, now func() time.Time) (*WitnessServer, error) {
	if _, err := newCosigner(private); err != nil {
		return nil, err
	}
	w := &WitnessServer{key: private, dir: dir, logs: map[string][]note.Verifier{}, now: now}
	for _, text := range logs {
		v, err := parseKey(text)
		if err != nil {
			return nil, err
		}
		w.logs[v.Name()] = append(w.logs[v.Name()], v)
	}
	return w, os.MkdirAll(dir, 0o755)
}

// PublicKey returns the witness's public key, for policies.
func (w *WitnessServer) PublicKey() string {
	c, _ := newCosigner(w.key) // NewWitnessServer has made one
	return c.String()
}

// ServeHTTP answers add-checkpoint.
func (w *WitnessServer) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/add-checkpoint" {
		http.NotFound(rw, r)
		return
	}
	if r.Method != http.MethodPost {
		rw.Header().Set("Allow", http.MethodPost)
		http.Error(rw, "post a checkpoint here", http.StatusMethodNotAllowed)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, maxNote))
	if err != nil {
		http.Error(rw, "the request is too long", http.StatusRequestEntityTooLarge)
		return
	}
	a, err := parseAddCheckpoint(body)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	lines, err := w.add(a)
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.status == http.StatusConflict:
		rw.Header().Set("Content-Type", sizeType)
		rw.WriteHeader(refused.status)
		fmt.Fprintf(rw, "%d\n", refused.size)
	case errors.As(err, &refused):
		http.Error(rw, refused.text, refused.status)
	case err != nil:
		http.Error(rw, "the witness cannot keep what it saw", http.StatusInternalServerError)
	default:
		rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = rw.Write(lines)
	}
}

// addCheckpoint is a request to a witness.
type addCheckpoint struct {
	old   int64
	proof tlog.TreeProof
	new   *signed
}

func parseAddCheckpoint(body []byte) (*addCheckpoint, error) {
	head, checkpoint, ok := bytes.Cut(body, []byte("\n\n"))
	if !ok {
		return nil, errors.New("there is no empty line before the checkpoint")
	}
	lines := strings.Split(string(head), "\n")
	number, ok := strings.CutPrefix(lines[0], "old ")
	a := &addCheckpoint{}
	var err error
	if a.old, err = strconv.ParseInt(number, 10, 64); !ok || err != nil || a.old < 0 ||
		strconv.FormatInt(a.old, 10) != number {
		return nil, errors.New("the first line is not the old size")
	}
	if len(lines) > 64 {
		return nil, errors.New("there are more than 63 lines of proof")
	}
	for _, line := range lines[1:] {
		h, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(h) != tlog.HashSize {
			return nil, errors.New("a line of the proof is no hash")
		}
		a.proof = append(a.proof, tlog.Hash(h))
	}
	if a.new, err = parseSigned(checkpoint); err != nil {
		return nil, err
	}
	if a.old > a.new.Size {
		return nil, errors.New("the old size is larger than the new one")
	}
	return a, nil
}

// refusal is why a witness does not sign.
type refusal struct {
	status int
	text   string
	size   int64 // what it has seen, with 409
}

func (r *refusal) Error() string { return r.text }

// add holds a checkpoint to the newest one of its log, keeps it and cosigns it.
func (w *WitnessServer) add(a *addCheckpoint) ([]byte, error) {
	keys, ok := w.logs[a.new.Origin]
	if !ok {
		return nil, &refusal{status: http.StatusNotFound, text: "this witness does not know the log"}
	}
	if _, err := a.new.opened(keys); err != nil {
		return nil, &refusal{status: http.StatusForbidden, text: "no key that this witness trusts has signed"}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	path := filepath.Join(w.dir, seenName(a.new.Origin))
	seen := Checkpoint{Origin: a.new.Origin}
	data, err := os.ReadFile(path)
	switch {
	case err == nil:
		s, err := parseSigned(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		seen = s.Checkpoint
	case !missing(err):
		return nil, err
	}
	if err := consistent(seen, a); err != nil {
		return nil, err
	}
	if err := writeWhole(path, a.new.note); err != nil {
		return nil, err
	}
	c, err := newCosigner(w.key)
	if err != nil {
		return nil, err
	}
	c.unix = w.now().Unix()
	sig, err := c.Sign([]byte(a.new.text()))
	if err != nil {
		return nil, err
	}
	line := append([]byte{byte(c.id >> 24), byte(c.id >> 16), byte(c.id >> 8), byte(c.id)}, sig...)
	return fmt.Appendf(nil, "— %s %s\n", c.name, base64.StdEncoding.EncodeToString(line)), nil
}

// consistent refuses a checkpoint that does not continue what was seen.
func consistent(seen Checkpoint, a *addCheckpoint) error {
	switch {
	case a.old != seen.Size, a.new.Size == seen.Size && seen.Size > 0 && a.new.Root != seen.Root:
		return &refusal{status: http.StatusConflict, text: "the witness has seen another tree", size: seen.Size}
	case a.old == 0 && len(a.proof) > 0, a.old == a.new.Size && len(a.proof) > 0:
		return &refusal{status: http.StatusUnprocessableEntity, text: "there is nothing to prove"}
	case a.old == 0 || a.old == a.new.Size:
		return nil
	}
	if err := tlog.CheckTree(a.proof, a.new.Size, a.new.Root, seen.Size, seen.Root); err != nil {
		return &refusal{status: http.StatusUnprocessableEntity, text: "the log does not continue what the witness has seen"}
	}
	return nil
}

// Cosign asks a witness for its signature of a checkpoint of a log, and returns the checkpoint with
// that signature after the others.
func (w Witness) Cosign(ctx context.Context, client *http.Client, log *Log, checkpoint []byte) ([]byte, error) {
	s, err := parseSigned(checkpoint)
	if err != nil {
		return nil, err
	}
	old := int64(0)
	for range 2 {
		lines, size, err := w.ask(ctx, client, log, s, old)
		if err != nil {
			return nil, fmt.Errorf("witness %s: %w", w.Name, err)
		}
		if lines != nil {
			return w.accept(s, lines)
		}
		if old = size; old > s.Size {
			return nil, fmt.Errorf("witness %s has seen %d entries of this log, and it has only %d: it went back", w.Name, old, s.Size)
		}
	}
	return nil, fmt.Errorf("witness %s has seen another log of the same name and size: the log is forked", w.Name)
}

// accept takes the signatures of the witness from its answer.
func (w Witness) accept(s *signed, lines []byte) ([]byte, error) {
	out := bytes.Clone(s.note)
	for line := range bytes.Lines(lines) {
		with := append(bytes.Clone(s.note), line...)
		if canonical(string(line)) != nil {
			continue
		}
		one := &signed{s.Checkpoint, with}
		if _, err := one.opened([]note.Verifier{w.key}); err == nil {
			return append(out, line...), nil
		}
	}
	return nil, fmt.Errorf("witness %s did not sign with the key that the policy names", w.Name)
}

// ask sends a checkpoint. It answers with lines, or with the size that the witness has seen.
func (w Witness) ask(ctx context.Context, client *http.Client, log *Log, s *signed, old int64) ([]byte, int64, error) {
	body := fmt.Appendf(nil, "old %d\n", old)
	if old > 0 && old < s.Size {
		proof, err := tlog.ProveTree(s.Size, old, log)
		if err != nil {
			return nil, 0, err
		}
		for _, h := range proof {
			body = fmt.Appendf(body, "%s\n", base64.StdEncoding.EncodeToString(h[:]))
		}
	}
	body = append(append(body, '\n'), s.note...)
	url := strings.TrimSuffix(w.URL, "/") + "/add-checkpoint"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, maxNote))
	if err != nil {
		return nil, 0, err
	}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode == http.StatusConflict && kind == sizeType {
		size, err := strconv.ParseInt(strings.TrimSuffix(string(data), "\n"), 10, 64)
		if err != nil || size < 0 {
			return nil, 0, errors.New("it answers with a size that is none")
		}
		return nil, size, nil
	}
	if res.StatusCode != http.StatusOK {
		return nil, 0, fmt.Errorf("it answers %s: %.200q", res.Status, strings.TrimSpace(string(data)))
	}
	return data, 0, nil
}

// Cosign asks all witnesses of a policy that have an address. It fails where those that sign do not
// make the quorum.
func (p *Policy) Cosign(ctx context.Context, client *http.Client, log *Log, checkpoint []byte) ([]byte, error) {
	var faults []error
	asked := 0
	for _, w := range p.witnesses {
		if w.URL == "" {
			continue
		}
		asked++
		with, err := w.Cosign(ctx, client, log, checkpoint)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		checkpoint = with
	}
	if asked == 0 {
		return nil, errors.New("the policy has no witness with an address to ask")
	}
	s, err := parseSigned(checkpoint)
	if err != nil {
		return nil, err
	}
	if have := p.cosigners(s); !p.satisfied(have) {
		return nil, errors.Join(append(faults, &QuorumError{have})...)
	}
	return checkpoint, nil
}
