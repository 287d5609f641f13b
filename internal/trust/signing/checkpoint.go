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

// Checkpoint is a root of the log, which the publisher signs.
type Checkpoint struct {
	Origin string // name of the log and of its keys
	Size   int64
	Root   tlog.Hash
}

func (c Checkpoint) signedText() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// parseCheckpoint parses the text of a checkpoint. It refuses extension lines, whose meaning it
// does not know.
func parseCheckpoint(text string) (c Checkpoint, err error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 || lines[0] == "" {
		return c, errors.New("malformed checkpoint: want three lines")
	}
	c.Origin = lines[0]
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 {
		return c, errors.New("malformed checkpoint: line 2 is not a size")
	}
	root, err := base64.StdEncoding.DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return c, errors.New("malformed checkpoint: line 3 is not a root hash")
	}
	c.Root = tlog.Hash(root)
	if c.signedText() != text {
		return c, errors.New("malformed checkpoint")
	}
	return c, nil
}

// signed is a checkpoint with unverified signatures.
type signedCheckpoint struct {
	Checkpoint
	note []byte
}

// parseSigned parses a signed checkpoint, without verifying it.
func parseSigned(data []byte) (*signedCheckpoint, error) {
	text, signatures, ok := bytes.Cut(data, []byte("\n\n"))
	if !ok || len(signatures) == 0 {
		return nil, errors.New("missing signature")
	}
	c, err := parseCheckpoint(string(text) + "\n")
	if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(signatures) {
		if err := checkCanonical(string(line)); err != nil {
			return nil, err
		}
	}
	return &signedCheckpoint{c, data}, nil
}

// checkCanonical returns an error if a signature line is not in its only valid form. Otherwise,
// changes to unused bits of base64 would go unnoticed.
func checkCanonical(line string) error {
	fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(fields) != 3 || fields[0] != "—" || !strings.HasSuffix(line, "\n") {
		return errors.New("malformed signature line")
	}
	if _, err := base64.StdEncoding.Strict().DecodeString(fields[2]); err != nil {
		return errors.New("malformed signature")
	}
	return nil
}

// verify returns the valid signatures of the known keys. It fails if a signature of a known key is
// invalid, or if no known key has signed.
func (s *signedCheckpoint) verify(known []note.Verifier) ([]note.Signature, error) {
	n, err := note.Open(s.note, note.VerifierList(known...))
	if err != nil {
		return nil, err
	}
	return n.Sigs, nil
}

// isSignedBy reports whether the checkpoint has a valid signature of k.
func (s *signedCheckpoint) isSignedBy(k note.Verifier) bool {
	_, err := s.verify([]note.Verifier{k})
	return err == nil
}

func (c Checkpoint) sign(signers []note.Signer) ([]byte, error) {
	return note.Sign(&note.Note{Text: c.signedText()}, signers...)
}
