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
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/tlog"
)

// sizeType is the media type of an answer with the size of the tree that a witness cosigned last.
const sizeType = "text/x.tlog.size"

// attempts is the maximum number of requests to a witness: the first without knowing the size that
// the witness cosigned last, the second with that size, and the third in case the witness cosigned
// another checkpoint in between.
const attempts = 3

// client follows no redirects, because the policy contains the witness's URL.
var client = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Cosign asks a witness to cosign a checkpoint (c2sp.org/tlog-witness), and returns the checkpoint
// with that signature appended. Errors contain the witness's answer, which may be wrong.
func (w Witness) Cosign(ctx context.Context, log *Log, checkpoint []byte) ([]byte, error) {
	s, err := parseSigned(checkpoint)
	if err != nil {
		return nil, err
	}
	old := int64(0)
	for range attempts {
		lines, size, err := w.requestSignature(ctx, log, s, old)
		if err != nil {
			return nil, fmt.Errorf("witness %q: %w", w.Name, err)
		}
		if lines != nil {
			return w.appendSignature(s, lines)
		}
		if size > s.Size {
			return nil, fmt.Errorf("witness %q claims to have cosigned %d entries of this log, which has %d. "+
				"If so, the latest part of the log is missing here", w.Name, size, s.Size)
		}
		if size == old {
			return nil, fmt.Errorf("witness %q refuses the log, and claims to have cosigned one with %d entries", w.Name, size)
		}
		old = size
	}
	return nil, fmt.Errorf("witness %q answers each request with a different size of the log", w.Name)
}

// appendSignature returns the checkpoint with the witness's signature, which is one of lines.
func (w Witness) appendSignature(s *signedCheckpoint, lines []byte) ([]byte, error) {
	for line := range bytes.Lines(lines) {
		with := append(bytes.Clone(s.note), line...)
		if checkCanonical(string(line)) == nil && (&signedCheckpoint{s.Checkpoint, with}).isSignedBy(w.key) {
			return with, nil
		}
	}
	return nil, fmt.Errorf("witness %q did not sign with its key in the policy", w.Name)
}

// requestSignature sends a checkpoint to the witness. It returns the signature lines or, if old is
// wrong, the size of the log that the witness cosigned last.
func (w Witness) requestSignature(ctx context.Context, log *Log, s *signedCheckpoint, old int64) (
	lines []byte, size int64, err error,
) {
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
	switch {
	case res.StatusCode == http.StatusConflict && kind == sizeType:
		size, err := strconv.ParseInt(strings.TrimSuffix(string(data), "\n"), 10, 64)
		if err != nil || size < 0 {
			return nil, 0, errors.New("malformed size in the answer")
		}
		return nil, size, nil
	case res.StatusCode == http.StatusConflict, res.StatusCode == http.StatusUnprocessableEntity:
		return nil, 0, fmt.Errorf("answer %q: it has cosigned another log with this name, which this one does not continue", res.Status)
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return nil, 0, fmt.Errorf("answer %q to %.200q: correct the URL in the policy",
			res.Status, res.Header.Get("Location"))
	case res.StatusCode != http.StatusOK:
		return nil, 0, fmt.Errorf("answer %q: %.200q", res.Status, strings.TrimSpace(string(data)))
	}
	return data, 0, nil
}

// Cosign asks all witnesses with a URL to cosign. It returns an error if the signatures do not
// reach the quorum.
func (p *Policy) Cosign(ctx context.Context, log *Log, checkpoint []byte) ([]byte, error) {
	var faults []error
	asked := 0
	for _, w := range p.witnesses {
		if w.URL == "" {
			continue
		}
		asked++
		with, err := w.Cosign(ctx, log, checkpoint)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		checkpoint = with
	}
	if asked == 0 {
		return nil, errors.New("the policy has no witness with a URL")
	}
	s, err := parseSigned(checkpoint)
	if err != nil {
		return nil, err
	}
	if have := p.cosigners(s); !p.hasQuorum(have) {
		return nil, errors.Join(append(faults, unwitnessedError(have, len(p.witnesses)))...)
	}
	return checkpoint, nil
}
