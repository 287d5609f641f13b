// Package witnesstest runs witnesses of logs on this machine, for tests: processes of the
// omniwitness of transparency.dev, which others wrote, behind a door that can be shut.
package witnesstest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"stele/internal/testkit/process"
	"stele/tools/programs"
)

// Door is what becomes of requests to a witness.
type Door int32

// What can become of requests.
const (
	Open  Door = iota // the witness answers
	Shut              // nobody is there
	Mute              // the witness cosigns, and its answer is lost
	Stuck             // the witness cosigns, and its answer never ends
)

// Witness is a witness that runs.
type Witness struct {
	Key  string // its public key, as policies have it
	URL  string
	Lost atomic.Int64 // how many answers were lost or stuck
	door atomic.Int32
}

// Program returns the program of the witness, or leaves the test out.
func Program(t testing.TB) string {
	t.Helper()
	return process.Install(t, "a witness", programs.Witness.Get)
}

// Start starts a witness of a name for the log of a public key. end ends it.
func Start(program, dir, name, logKey string) (w *Witness, end func(), err error) {
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, nil, err
	}
	const signature, cosignature = 1, 4 // the types of keys of c2sp.org/signed-note
	private := "PRIVATE+KEY+" + encoded(name, append([]byte{signature}, public...), append([]byte{signature}, key.Seed()...))
	typed := append([]byte{cosignature}, public...)
	w = &Witness{Key: encoded(name, typed, typed)}
	keyFile, logs := filepath.Join(dir, name+".key"), filepath.Join(dir, name+".yaml")
	origin, _, _ := strings.Cut(logKey, "+")
	text := fmt.Sprintf("Logs:\n  - Origin: %s\n    URL: https://%s\n    PublicKey: %s\n", origin, origin, strings.TrimSpace(logKey))
	err = errors.Join(os.WriteFile(keyFile, []byte(private), 0o600), os.WriteFile(logs, []byte(text), 0o600))
	if err != nil {
		return nil, nil, err
	}
	at := process.FreeAddress()
	cmd := exec.Command(program, "--listen", at, "--metrics_listen", "", "--private_key_path", keyFile, "--additional_logs", logs, "--db_file", filepath.Join(dir, name+".db"))
	p, err := process.Start(cmd, at)
	if err != nil {
		return nil, nil, err
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: at})
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		switch door := Door(w.door.Load()); door {
		case Open:
			proxy.ServeHTTP(rw, r)
		case Mute, Stuck:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			w.Lost.Add(1)
			if door == Stuck {
				<-r.Context().Done() // until whoever asks is gone
			}
			panic(http.ErrAbortHandler)
		default:
			panic(http.ErrAbortHandler)
		}
	}))
	server.Config.ErrorLog = nil
	w.URL = server.URL
	return w, func() { server.CloseClientConnections(); server.Close(); p.Kill() }, nil
}

// Set opens or shuts the door.
func (w *Witness) Set(d Door) { w.door.Store(int32(d)) }

// encoded is a key as notes have it: a name, a number made of the public key, and the key itself.
func encoded(name string, public, key []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\n"), public...))
	return fmt.Sprintf("%s+%x+%s", name, sum[:4], base64.StdEncoding.EncodeToString(key))
}
