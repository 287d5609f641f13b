package signing

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// proofHead is the first line of a proof, as tlog-proof has it.
const proofHead = "c2sp.org/tlog-proof@v1"

// proof says that a leaf is in a log: a detached signature.
type proof struct {
	extra      []byte // a line of the leaf that the manifest does not have, or nil
	index      int64
	hashes     tlog.RecordProof
	checkpoint *signed
}

// prove makes the proof of a leaf of a log, given its signed checkpoint.
func (l *Log) prove(index int64, checkpoint []byte) ([]byte, error) {
	hashes, err := tlog.ProveRecord(l.Size(), index, l)
	if err != nil {
		return nil, err
	}
	out := []byte(proofHead + "\n")
	if e, ok := l.entries[index].(ReleaseEntry); ok && e.Break != "" {
		out = fmt.Appendf(out, "extra %s\n", base64.StdEncoding.EncodeToString(e.extra()))
	}
	out = fmt.Appendf(out, "index %d\n", index)
	for _, h := range hashes {
		out = fmt.Appendf(out, "%s\n", base64.StdEncoding.EncodeToString(h[:]))
	}
	return append(append(out, '\n'), checkpoint...), nil
}

// parseProof reads a proof. It takes only what prove writes.
func parseProof(data []byte) (*proof, error) {
	head, checkpoint, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok {
		return nil, errors.New("it has no checkpoint")
	}
	lines := strings.Split(string(head), "\n")
	if lines[0] != proofHead || len(lines) < 2 {
		return nil, errors.New("it does not begin as a proof does")
	}
	p := &proof{}
	var err error
	if extra, ok := strings.CutPrefix(lines[1], "extra "); ok {
		if p.extra, err = base64.StdEncoding.Strict().DecodeString(extra); err != nil || len(lines) < 3 {
			return nil, errors.New("it has a line that is not base64")
		}
		lines = lines[1:]
	}
	number, ok := strings.CutPrefix(lines[1], "index ")
	if p.index, err = strconv.ParseInt(number, 10, 64); !ok || err != nil ||
		strconv.FormatInt(p.index, 10) != number || p.index < 0 {
		return nil, errors.New("it does not say which entry of the log it is about")
	}
	for _, line := range lines[2:] {
		h, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(h) != tlog.HashSize {
			return nil, errors.New("it has a line that is not a hash")
		}
		p.hashes = append(p.hashes, tlog.Hash(h))
	}
	if p.checkpoint, err = parseSigned(checkpoint); err != nil {
		return nil, err
	}
	return p, nil
}

// check reports whether the proof is one of a leaf in the tree of its checkpoint.
func (p *proof) check(leaf []byte) error {
	return tlog.CheckRecord(p.hashes, p.checkpoint.Size, p.checkpoint.Root, p.index, tlog.RecordHash(leaf))
}
