// Package witnesstest runs witnesses of logs on this machine, for tests: processes of the
// omniwitness of transparency.dev, which others wrote, behind a door that can be shut.
package witnesstest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
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
	"time"

	"stele/tools/stores"
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

// Program returns the program of the witness. A test is skipped where it cannot be had, but not in
// continuous integration.
func Program(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the witness of others")
	}
	var said bytes.Buffer
	program, err := stores.Witness(&said)
	if err != nil {
		err = fmt.Errorf("a witness cannot be had: %w\n%s", err, said.Bytes())
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return program
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
	at, stop, err := start(program, "--private_key_path", keyFile, "--additional_logs", logs, "--db_file", filepath.Join(dir, name+".db"))
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
	return w, func() { server.CloseClientConnections(); server.Close(); stop() }, nil
}

// Set opens or shuts the door.
func (w *Witness) Set(d Door) { w.door.Store(int32(d)) }

// start runs the program at a port that nobody listens at, and waits until it answers.
func start(program string, args ...string) (at string, stop func(), err error) {
	for range 5 { // somebody else may take the port
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", nil, err
		}
		at = l.Addr().String()
		if err := l.Close(); err != nil {
			return "", nil, err
		}
		var said bytes.Buffer
		cmd := exec.Command(program, append([]string{"--listen", at, "--metrics_listen", ""}, args...)...)
		cmd.Stdout, cmd.Stderr = io.Discard, &said
		if err := cmd.Start(); err != nil {
			return "", nil, err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for {
			select {
			case err = <-ended:
				err = fmt.Errorf("the witness ended: %w\n%s", err, said.Bytes())
			default:
				if c, dialed := net.Dial("tcp", at); dialed == nil {
					c.Close()
					return at, func() { _ = cmd.Process.Kill(); <-ended }, nil
				}
				time.Sleep(10 * time.Millisecond)
				continue
			}
			break
		}
		if err == nil {
			break
		}
	}
	return "", nil, fmt.Errorf("the witness does not answer: %w", err)
}

// encoded is a key as notes have it: a name, a number made of the public key, and the key itself.
func encoded(name string, public, key []byte) string {
	sum := sha256.Sum256(append([]byte(name+"\n"), public...))
	return fmt.Sprintf("%s+%x+%s", name, sum[:4], base64.StdEncoding.EncodeToString(key))
}
