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

// openFolder reads the certificates that are there. A folder that cannot be written to is refused:
// each start would cost a certificate, of which an authority gives a few in a week. Where all are
// there and hold, none is asked for, and the folder is only read.
func (k *Keeper) openFolder() error {
	writable := k.makeFolder()
	held := true
	for _, s := range k.sites {
		err := s.load()
		switch pair := s.pair.Load(); {
		case errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, fs.ErrPermission):
			return fmt.Errorf("the certificate that is kept cannot be read: %w. Let this user read it", err)
		case err != nil:
			k.opt.Log.Warn("the certificate that is kept cannot be used, and is asked for anew", "path", s.path, "error", err)
		default:
			k.opt.Log.Info("the certificate that is kept is used", "domain", s.domain, "until", pair.Leaf.NotAfter.Format(time.DateTime))
		}
		held = held && s.due() > 0
	}
	if writable != nil && !held {
		return fmt.Errorf("certificates cannot be kept: %w. Let this user write to the folder, or name another one with --cache", writable)
	}
	if writable != nil {
		k.opt.Log.Error("certificates cannot be kept when they are renewed: let this user write to the folder", "error", writable)
	}
	return nil
}

// makeFolder makes the folder, for this user alone, and tries to write to it.
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

// parse reads a key and a certificate that is for the domain.
func (s *site) parse(data []byte) (*tls.Certificate, error) {
	pair, err := tls.X509KeyPair(data, data)
	if err == nil {
		err = pair.Leaf.VerifyHostname(s.domain)
	}
	return &pair, err
}

// keep writes what was not written yet. The certificate is used in any case.
func (s *site) keep() {
	if s.unsaved == nil {
		return
	}
	if err := durable.WriteFile(s.path, s.unsaved, 0o600); err != nil {
		s.opt.Log.Error("the certificate is used but cannot be kept; make room or let this user write there, or the next start asks for another",
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
		return nil, fmt.Errorf("%s is not a file of at most %d MiB", path, maxFile>>20)
	}
	return os.ReadFile(path)
}

func (k *Keeper) accountPath() string { return filepath.Join(k.opt.Folder, "account.pem") }

// accountKey is the key of the account with the authority. Where there is none, it makes one; the
// first of several processes does.
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
		return nil, fmt.Errorf("%s holds no key: remove it, and a new account is made", k.accountPath())
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w: remove it, and a new account is made", k.accountPath(), err)
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
