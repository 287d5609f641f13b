package certify

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"stele/internal/disk/durable"
)

func fileName(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, text)
}

// openFolder reads the stored certificates. It refuses a folder that is not writable, because each
// start would request a certificate, and an authority issues only a few per week. If all
// certificates exist and are valid, the folder need not be writable.
func (k *Keeper) openFolder() error {
	writable := k.makeFolder()
	held := true
	for _, s := range k.sites {
		err := s.load()
		switch pair := s.pair.Load(); {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("cannot read the stored certificate: %w. Give this user read access", err)
		case err != nil:
			k.opt.Log.Warn("invalid stored certificate; requesting a new one", "path", s.path, "error", err)
		default:
			k.opt.Log.Info("using the stored certificate", "domain", s.domain, "until", pair.Leaf.NotAfter.Format(time.DateTime))
		}
		held = held && s.untilRenewal() > 0
	}
	if writable != nil && !held {
		return fmt.Errorf("cannot store certificates: %w. Give this user write access to the folder, or name another one with --cache", writable)
	}
	if writable != nil {
		k.opt.Log.Error("cannot store renewed certificates: give this user write access to the folder", "error", writable)
	}
	return nil
}

// makeFolder creates the folder, which only this user can read, and tries to write to it.
func (k *Keeper) makeFolder() error {
	if err := durable.MkdirAll(k.opt.Folder); err != nil {
		return err
	}
	if err := os.Chmod(k.opt.Folder, 0o700); err != nil {
		return err
	}
	if err := durable.RemoveTemporary(k.opt.Folder); err != nil {
		return err
	}
	f, err := os.CreateTemp(k.opt.Folder, "try-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

func (s *site) load() error {
	data, err := readFile(s.path)
	if err != nil {
		return err
	}
	pair, err := s.parse(data)
	if err != nil {
		return err
	}
	if before := s.pair.Load(); before == nil || pair.Leaf.NotAfter.After(before.Leaf.NotAfter) {
		s.pair.Store(pair)
	}
	return nil
}

// parse decodes a key and a certificate, which must be for the domain.
func (s *site) parse(data []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(data, data)
	if err == nil {
		err = pair.Leaf.VerifyHostname(s.domain)
	}
	return &pair, err
}

// save saves the certificate if it is not saved yet. If saving fails, the certificate is still
// used.
func (s *site) save() {
	if s.unsaved == nil {
		return
	}
	if err := durable.WriteFile(s.path, s.unsaved, 0o600); err != nil {
		s.opt.Log.Error("using a certificate that cannot be stored; free disk space or give this user write access, or the next start requests another",
			"path", s.path, "error", err)
		return
	}
	s.unsaved = nil
}

const maxFile = 1 << 20 // bytes

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFile {
		return nil, fmt.Errorf("%s is not a regular file of at most %d MiB", path, maxFile>>20)
	}
	return os.ReadFile(path)
}

func (k *Keeper) accountPath() string { return filepath.Join(k.opt.Folder, "account.pem") }

// accountKey returns the key of the account with the authority. It creates the key if it does not
// exist. If several processes do so, all use the first key.
func (k *Keeper) accountKey() (crypto.Signer, error) {
	data, err := readFile(k.accountPath())
	if errors.Is(err, fs.ErrNotExist) {
		if _, data, err = newKey(); err == nil {
			err = durable.WriteNew(k.accountPath(), data, 0o600)
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			data, err = readFile(k.accountPath())
		}
	}
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(data)
	if block == nil {
		return nil, fmt.Errorf("%s contains no key: delete it to create a new account", k.accountPath())
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: delete it to create a new account", k.accountPath(), err)
	}
	return key, nil
}

func newKey() (key *ecdsa.PrivateKey, data []byte, err error) {
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalECPrivateKey(key)
	return key, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), err
}
