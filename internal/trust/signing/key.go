package signing

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// NewKey returns a new key pair for a log called name. Each key is one line of text.
func NewKey(name string) (private, public string, err error) {
	if err := checkName(name); err != nil {
		return "", "", err
	}
	return note.GenerateKey(rand.Reader, name)
}

// checkName returns an error if name is not a valid key name.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, " +\t\r\n") || len(name) > 200 || strings.Contains(name, "://") {
		return fmt.Errorf("invalid key name %q: write the host of the service, such as data.example.org",
			name)
	}
	return nil
}

// maxKey is the maximum size of a file with a key or a policy, in bytes.
const maxKey = 64 << 10

// ReadPrivateKey reads a private key from a file, which must not be readable by others.
func ReadPrivateKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("other users can read the private key %s: run chmod 600 %s, and consider whether it has leaked", path, path)
	}
	data, err := ReadLocal(path, maxKey)
	return string(data), err
}

// ReadKeyOrPolicy returns given if it is a public key, and otherwise the content of the file at the
// path given.
func ReadKeyOrPolicy(given string) (string, error) {
	data, err := ReadLocal(given, maxKey)
	if other := new(fs.PathError); strings.Contains(given, "+") && errors.As(err, &other) {
		return given, nil
	}
	if err != nil {
		return "", fmt.Errorf("the key: %w", err)
	}
	return string(data), nil
}

// ParseSigner parses a private key.
func ParseSigner(text string) (note.Signer, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "PRIVATE+KEY+") {
		return nil, errors.New("not a private key: create one with stele key new")
	}
	s, err := note.NewSigner(text)
	if err != nil {
		return nil, errors.New("malformed private key: restore it from a backup, or create a new one with stele key new")
	}
	return s, nil
}

func PublicKey(private string) (string, error) {
	if _, err := ParseSigner(private); err != nil {
		return "", err
	}
	fields := strings.SplitN(strings.TrimSpace(private), "+", 5)
	if len(fields) != 5 {
		return "", errors.New("malformed private key")
	}
	seed, err := base64.StdEncoding.DecodeString(fields[4])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return "", errors.New("malformed private key")
	}
	key := ed25519.NewKeyFromSeed(seed[1:])
	return note.NewEd25519VerifierKey(fields[2], key.Public().(ed25519.PublicKey))
}

// parseKey parses the public key of a log.
func parseKey(text string) (note.Verifier, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "PRIVATE+KEY+") {
		return nil, errors.New("this is a private key: give the public key instead (stele key show)")
	}
	v, err := note.NewVerifier(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("malformed public key %.60q: want one line such as data.example.org+4b3c2d1e+AX…", text)
	}
	return v, nil
}

// algCosignature is the type of Ed25519 signatures of witnesses.
const algCosignature = 4

// witnessKey verifies cosignatures of a witness. It implements note.Verifier.
type witnessKey struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func (w *witnessKey) Name() string    { return w.name }
func (w *witnessKey) KeyHash() uint32 { return w.id }

// Verify implements note.Verifier.
func (w *witnessKey) Verify(text, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	t := binary.BigEndian.Uint64(sig)
	return t <= 1<<63-1 && ed25519.Verify(w.key, cosignedText(text, int64(t)), sig[8:])
}

// cosignedText returns the text that a witness signs.
func cosignedText(text []byte, unix int64) []byte {
	return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", unix), text...)
}

func parseWitnessKey(text string) (*witnessKey, error) {
	bad := fmt.Errorf("malformed witness key %.60q: want one line such as witness.example.net+4b3c2d1e+BX…, "+
		"which the operator of the witness publishes. Keys of logs have another form", text)
	fields := strings.SplitN(strings.TrimSpace(text), "+", 3)
	if len(fields) != 3 {
		return nil, bad
	}
	data, err := base64.StdEncoding.Strict().DecodeString(fields[2])
	if err != nil || len(data) != 1+ed25519.PublicKeySize || data[0] != algCosignature || checkName(fields[0]) != nil {
		return nil, bad
	}
	w := &witnessKey{fields[0], keyID(fields[0], data), data[1:]}
	if fmt.Sprintf("%08x", w.id) != fields[1] {
		return nil, bad
	}
	return w, nil
}

// keyID returns the number by which signatures refer to a key.
func keyID(name string, key []byte) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	return binary.BigEndian.Uint32(sum[:])
}
