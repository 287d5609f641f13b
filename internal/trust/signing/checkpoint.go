package signing

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// A Checkpoint is a root of the log: what the publisher signs.
type Checkpoint struct {
	Origin string // the name of the log, which its keys have too
	Size   int64
	Root   tlog.Hash
}

// text is the part of a checkpoint that is signed.
func (c Checkpoint) text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// parseCheckpoint reads the text of a checkpoint. Lines that extend it are refused: this program
// writes none, and would not know what they say.
func parseCheckpoint(text string) (c Checkpoint, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" {
		return c, errors.New("it does not have the three lines of a checkpoint")
	}
	c.Origin = lines[0]
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 {
		return c, errors.New("its second line is not the size of a log")
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return c, errors.New("its third line is not the root of a log")
	}
	c.Root = tlog.Hash(root)
	if c.text() != text {
		return c, errors.New("it is not written as a checkpoint should be")
	}
	return c, nil
}

// signed is a checkpoint with its signatures, of which nothing is verified yet.
type signed struct {
	Checkpoint
	note []byte
}

// parseSigned reads a signed checkpoint and what it claims.
func parseSigned(data []byte) (*signed, error) {
	text, signatures, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok || len(signatures) == 0 {
		return nil, errors.New("it has no signature")
	}
	c, err := parseCheckpoint(string(text) + "\n")
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(signatures) {
		if err := canonical(string(line)); err != nil {
			return nil, err
		}
	}
	return &signed{c, data}, nil
}

// canonical refuses a line of a signature that could be written in another way: base64 with bits
// that mean nothing would let somebody change a byte unnoticed.
func canonical(line string) error {
	fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(fields) != 3 || fields[0] != "—" || !strings.HasSuffix(line, "\n") {
		return errors.New("it has a line that is not a signature")
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(fields[2]); err != nil {
		return errors.New("it has a signature that is not written as it should be")
	}
	return nil
}

// opened returns the signatures of known keys, which are verified. It fails where one of a known
// key does not hold, and where there is none.
func (s *signed) opened(known []note.Verifier) ([]note.Signature, error) {
	n, err := note.Open(s.note, note.VerifierList(known...))
	if err != nil {
		return nil, err
	}
	return n.Sigs, nil
}

// isSignedBy reports whether a key signed it.
func (s *signed) isSignedBy(k note.Verifier) bool {
	_, err := s.opened([]note.Verifier{k})
	return err == nil
}

// sign makes a signed checkpoint.
func (c Checkpoint) sign(signers []note.Signer) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.text()}, signers...)
}
