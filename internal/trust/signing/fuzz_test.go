package signing

import (
	"bytes"
	"testing"
	"testing/fstest"
)

// The readers take what anybody may have written, so they are fuzzed: nothing panics, and what is
// accepted is written in one way only.

func FuzzParseEntry(f *testing.F) {
	f.Add(ReleaseEntry{Service: "https://data.example.org", Release: "a", Date: "2026-11-15", Size: 7}.Encode())
	f.Add(KeyEntry{AddKey, "data.example.org+7e7a0f5a+AVRMtPNDBIxnMVXFUqVSiDCpT3UPyXKfzCTYxiXU3JMQ"}.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		if e, err := ParseEntry(data); err == nil && !bytes.Equal(e.Encode(), data) {
			t.Errorf("%q is read as %q", data, e.Encode())
		}
	})
}

func FuzzParseCheckpoint(f *testing.F) {
	f.Add(checkpointSeed)
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := parseSigned(data)
		if err == nil && !bytes.HasPrefix(data, []byte(s.signedText()+"\n")) {
			t.Errorf("%q is read as %q", data, s.signedText())
		}
	})
}

func FuzzParseProof(f *testing.F) {
	f.Add(append([]byte("c2sp.org/tlog-proof@v1\nindex 1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n"), checkpointSeed...))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := parseProof(data)
		if err != nil {
			return
		}
		_ = p.verify(nil)
		if !bytes.HasSuffix(data, p.checkpoint.note) {
			t.Errorf("%q: the checkpoint is %q", data, p.checkpoint.note)
		}
	})
}

func FuzzParsePolicy(f *testing.F) {
	f.Add("log a+b+c\nwitness w d+e+f https://w.example\ngroup g any w\nquorum g\n")
	f.Fuzz(func(_ *testing.T, text string) {
		if p, err := ParsePolicy(text); err == nil {
			p.hasQuorum(nil)
			p.Origin()
		}
	})
}

func FuzzReadLog(f *testing.F) {
	f.Add([]byte("\x00\x05hello\x00\x00"), 2)
	f.Add([]byte("\xff\xffhello"), 1)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		files := FS(fstest.MapFS{"log/tile/entries/000.p/2": {Data: data}, "log/tile/entries/000": {Data: data}})
		_, _ = readLog(t.Context(), files, int64(size)%1000)
	})
}

var checkpointSeed = []byte("data.example.org\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— data.example.org AAAAAA==\n")
