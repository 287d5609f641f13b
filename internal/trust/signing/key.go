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

// NewKey makes a pair of keys for a log of that name. Both are one line of text.
func NewKey(name string) (private, public string, err error) {
	if err := checkName(name); err != nil {
		return "", "", err
	}
	return note.GenerateKey(rand.Reader, name)
}

// checkName refuses what a name of a key cannot be.
func checkName(name string) error {
	if name == "" || strings.ContainsAny(name, " +\t\r\n") || len(name) > 200 || strings.Contains(name, "://") {
		return fmt.Errorf("%q cannot be the name of a key: write the address of the service without https://, such as data.example.org",
			name)
	}
	return nil
}

// maxKey is how many bytes a file with a key or a policy may have.
const maxKey = 64 << 10

// ReadPrivateKey reads a private key from a file that nobody else can read.
func ReadPrivateKey(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("others can read the private key %s: chmod 600 %s, and think about who may have it by now", path, path)
	}
	data, err := ReadLocal(path, maxKey)
	return string(data), err
}

// FileOrLine is the public key or the policy that was given, or that the file has which was given.
func FileOrLine(given string) (string, error) {
	data, err := ReadLocal(given, maxKey)
	if other := new(fs.PathError); strings.Contains(given, "+") && errors.As(err, &other) {
		return given, nil
	}
	if err != nil {
		return "", fmt.Errorf("the key: %w", err)
	}
	return string(data), nil
}

// ParseSigner reads a private key.
func ParseSigner(text string) (note.Signer, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "PRIVATE+KEY+") {
		return nil, errors.New("this is not a private key: stele key new makes one")
	}
	s, err := note.NewSigner(text)
	if err != nil {
		return nil, errors.New("the private key is damaged: take it from a backup, or make a new one with stele key new")
	}
	return s, nil
}

// PublicKey returns the public key of a private one.
func PublicKey(private string) (string, error) {
	if _, err := ParseSigner(private); err != nil {
		return "", err
	}
	fields := strings.SplitN(strings.TrimSpace(private), "+", 5)
	if len(fields) != 5 {
		return "", errors.New("the private key is damaged")
	}
	seed, err := base64.StdEncoding.DecodeString(fields[4])
	if err != nil || len(seed) != 1+ed25519.SeedSize {
		return "", errors.New("the private key is damaged")
	}
	key := ed25519.NewKeyFromSeed(seed[1:])
	return note.NewEd25519VerifierKey(fields[2], key.Public().(ed25519.PublicKey))
}

// parseKey reads a public key of a log.
func parseKey(text string) (note.Verifier, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "PRIVATE+KEY+") {
		return nil, errors.New("this is a private key; verifying takes the public one (stele key show)")
	}
	v, err := note.NewVerifier(strings.TrimSpace(text))
	if err != nil {
		return nil, fmt.Errorf("%.60q is not a public key of a log: it is one line, such as data.example.org+4b3c2d1e+AX…", text)
	}
	return v, nil
}

// algCosignature is the type of the signatures of witnesses, with Ed25519.
const algCosignature = 4

// witnessKey verifies cosignatures of a witness. It is a note.Verifier.
type witnessKey struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func (w *witnessKey) Name() string    { return w.name }
func (w *witnessKey) KeyHash() uint32 { return w.id }

// Verify holds a cosignature to the text of a checkpoint.
func (w *witnessKey) Verify(text, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	t := binary.BigEndian.Uint64(sig)
	return t <= 1<<63-1 && ed25519.Verify(w.key, cosigned(text, int64(t)), sig[8:])
}

// cosigned is what a witness signs.
func cosigned(text []byte, unix int64) []byte {
	return append(fmt.Appendf(nil, "cosignature/v1\ntime %d\n", unix), text...)
}

// parseWitnessKey reads a public key of a witness.
func parseWitnessKey(text string) (*witnessKey, error) {
	bad := fmt.Errorf("%.60q is not a public key of a witness: it is one line, such as witness.example.net+4b3c2d1e+BX…, "+
		"which whoever runs the witness gives. Keys that sign releases have another form", text)
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

// keyID is the number by which signatures name their key.
func keyID(name string, key []byte) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	return binary.BigEndian.Uint32(sum[:])
}
