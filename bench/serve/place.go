//go:build linux

package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	cryptorand "crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"stele/bench/corpus"
	"stele/bench/trial"
)

// What the cases ask for, in a release that has it all.
const (
	oneRecord   = "api/v1/signals/sig-bench-0000000.json"
	largeRecord = "api/v1/signals/sig-large.json" // a record that it pays to compress
	collection  = "api/v2/opportunities.json"     // a collection of 1.2 MB
	nothing     = "api/v1/signals/sig-benhc-0000000.json"
)

// A place is a folder with everything that the servers need.
type place struct {
	dir       string
	program   string // stele
	release   string
	old       string // an older stele, and its release; "" for none
	oldFiles  string
	cert, key string
}

func prepare(dir string, records int, old string) (*place, error) {
	program, err := trial.Build(dir)
	if err != nil {
		return nil, err
	}
	p := &place{
		dir: dir, program: program, release: filepath.Join(dir, "public"),
		cert: filepath.Join(dir, "cert.pem"), key: filepath.Join(dir, "key.pem"),
	}
	folder := filepath.Join(dir, "records")
	if err := writeRecords(folder, records); err != nil {
		return nil, err
	}
	if err := build(program, folder, p.release); err != nil {
		return nil, err
	}
	if old != "" {
		if p.old, err = filepath.Abs(old); err != nil {
			return nil, err
		}
		p.oldFiles = filepath.Join(dir, "public of the older")
		if err := build(p.old, folder, p.oldFiles); err != nil {
			return nil, err
		}
	}
	return p, p.writeCertificate()
}

// build makes a release.
func build(program, folder, output string) error {
	args := []string{"build", folder, "--output", output, "--date", "2026-11-15", "--quiet"}
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("build the release: %w\n%s", err, out)
	}
	return nil
}

// writeRecords adds a large record and a collection of 1.2 MB to a folder of signals.
func writeRecords(folder string, signals int) error {
	if err := corpus.Write(folder, signals); err != nil {
		return err
	}
	large := strings.NewReplacer("sig-bench-0000000", "sig-large", `"observation":"`, `"observation":"`+strings.Repeat("The district reported cases again. ", 100)).Replace(corpus.Signal(0))
	err := corpus.WriteFile(filepath.Join(folder, "records", "signals", "large.ndjson"), func(w *bufio.Writer) {
		w.WriteString(large + "\n")
	})
	if err != nil {
		return err
	}
	return corpus.WriteFile(filepath.Join(folder, "records", "opportunities", "opportunities.ndjson"), func(w *bufio.Writer) {
		lot := rand.New(rand.NewPCG(1, 2))
		for i := range 1000 {
			w.WriteString(opportunity(i, lot) + "\n")
		}
	})
}

// opportunity is about as long as a signal of corpus. Its need is of words by lot, always the same
// ones, so that it compresses as prose does.
func opportunity(i int, lot *rand.Rand) string {
	words := strings.Fields("the of a and in children district measles coverage first dose cases reported week survey vaccine below ninety per cent rose fell than before years " +
		"mean same five against with not who were hospital rural urban cold chain delivery register teams outreach mothers schools month campaign second supply stock estimate")
	var need strings.Builder
	for range 103 {
		need.WriteString(words[lot.IntN(len(words))] + " ")
	}
	return fmt.Sprintf(`{"id":"opp-bench-%04[1]d","kind":"opportunity","version":1,"title":"Children of district %[1]d without a first dose","summary":"More could be reached.",`+
		`"claim_boundary":{"statement":"Says nothing about other districts.","place":"District %[1]d"},"source_links":[{"url":"https://data.example.org/coverage/%[2]x","role":"primary"}],`+
		`"verification_date":"2026-11-01","source_updates":[],"corrections":[],"published_date":"2026-01-15","updated_date":"2026-11-01","illustrative":true,`+
		`"need":"%[3]s","evidence_ids":["evd-%04[1]d"],"signal_ids":["sig-bench-%07[1]d"]}`, i, lot.Uint64(), strings.TrimSpace(need.String()))
}

// writeCertificate makes a certificate for loopback.
func (p *place) writeCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), cryptorand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		NotBefore:    now,
		NotAfter:     now.Add(24 * time.Hour),
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	cert, err := x509.CreateCertificate(cryptorand.Reader, about, about, key.Public(), key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(p.cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}), 0o600); err != nil {
		return err
	}
	return os.WriteFile(p.key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600)
}

// freePort is a port of loopback on which nobody listens.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}
