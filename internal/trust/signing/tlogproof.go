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

// proofHead is the first line of a tlog-proof.
const proofHead = "c2sp.org/tlog-proof@v1"

// proof proves that a leaf is in a log: a detached signature.
type proof struct {
	extra      []byte // a line of the leaf that does not follow from the manifest, or nil
	index      int64
	hashes     tlog.RecordProof
	checkpoint *signedCheckpoint
}

// proofOf returns the proof of the leaf at index, with the signed checkpoint of the log.
func (l *Log) proofOf(index int64, checkpoint []byte) ([]byte, error) {
	hashes, err := tlog.ProveRecord(l.Size(), index, l)
	if err != nil {
		return nil, err
	}
	out := []byte(proofHead + "\n")
	if e, ok := l.entries[index].(ReleaseEntry); ok && e.Break != "" {
		out = fmt.Appendf(out, "extra %s\n", base64.StdEncoding.EncodeToString(e.breakLine()))
	}
	out = fmt.Appendf(out, "index %d\n", index)
	for _, h := range hashes {
		out = fmt.Appendf(out, "%s\n", base64.StdEncoding.EncodeToString(h[:]))
	}
	return append(append(out, '\n'), checkpoint...), nil
}

// parseProof parses a proof. It accepts exactly the form that proofOf returns.
func parseProof(data []byte) (*proof, error) {
	head, checkpoint, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok {
		return nil, errors.New("missing checkpoint")
	}
	lines := strings.Split(string(head), "\n")
	if lines[0] != proofHead || len(lines) < 2 {
		return nil, errors.New("malformed proof")
	}
	p := &proof{}
	var err error
	if extra, ok := strings.CutPrefix(lines[1], "extra "); ok {
		if p.extra, err = base64.StdEncoding.Strict().DecodeString(extra); err != nil || len(lines) < 3 {
			return nil, errors.New("malformed proof: invalid base64")
		}
		lines = lines[1:]
	}
	number, ok := strings.CutPrefix(lines[1], "index ")
	if p.index, err = strconv.ParseInt(number, 10, 64); !ok || err != nil ||
		strconv.FormatInt(p.index, 10) != number || p.index < 0 {
		return nil, errors.New("malformed proof: missing or invalid index")
	}
	for _, line := range lines[2:] {
		h, err := base64.StdEncoding.Strict().DecodeString(line)
		if err != nil || len(h) != tlog.HashSize {
			return nil, errors.New("malformed proof: invalid hash")
		}
		p.hashes = append(p.hashes, tlog.Hash(h))
	}
	if p.checkpoint, err = parseSigned(checkpoint); err != nil {
		return nil, err
	}
	return p, nil
}

// verify returns an error unless p proves that leaf is in the tree of its checkpoint.
func (p *proof) verify(leaf []byte) error {
	return tlog.CheckRecord(p.hashes, p.checkpoint.Size, p.checkpoint.Root, p.index, tlog.RecordHash(leaf))
}
