package clients_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"stele/client"
	"stele/internal/base/layout"
	"stele/internal/disk/store"
	"stele/internal/testkit/long"
	"stele/internal/testkit/must"
	"stele/internal/trust/signing"
)

// The five files that prove a record.
var five = []string{"record", "index", "manifest", "proof", "checkpoint"}

// provers read the five files in each folder of a list, and then the first of them with each byte
// changed. They write what was wrongly refused or taken.
var provers = map[string][]string{
	"python": {"python3", "-B", "-c", `import os, sys
sys.path.insert(0, "python")
import stele
key, step, *folders = sys.argv[1:]
names = ["record", "index", "manifest", "proof", "checkpoint"]
read = lambda folder: {n: open(os.path.join(folder, n), "rb").read() for n in names}
for folder in folders:
    print(os.path.basename(folder), stele.verify_record(**read(folder), key=key).id)
files = read(folders[0])
for n in names:
    for i in range(0, len(files[n]), int(step)):
        for bit in (1, 32):
            data = bytearray(files[n])
            data[i] ^= bit
            try:
                stele.verify_record(**{**files, n: bytes(data)}, key=key)
                print("taken:", n, i, bit)
            except (stele.Damaged, stele.Refused):
                pass
`},
	"r": {"Rscript", "--vanilla", "r/prove.R"},
	"node": {"node", "--input-type=module", "--eval", `import { verifyRecord, SteleError } from "./typescript/stele.mjs";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
const [key, step, ...folders] = process.argv.slice(1);
const names = ["record", "index", "manifest", "proof", "checkpoint"];
const read = (folder) => Object.fromEntries(names.map((n) => [n, readFileSync(folder + "/" + n)]));
for (const folder of folders) console.log(basename(folder), (await verifyRecord(read(folder), key)).id);
const files = read(folders[0]);
for (const n of names) {
  for (let i = 0; i < files[n].length; i += Number(step)) {
    for (const bit of [1, 32]) {
      const data = Uint8Array.from(files[n]);
      data[i] ^= bit;
      try {
        await verifyRecord({ ...files, [n]: data }, key);
        console.log("taken:", n, i, bit);
      } catch (error) {
        if (!(error instanceof SteleError)) throw error;
      }
    }
  }
}`},
}

// TestProveRecord: five files prove a record in logs of some sizes, and none of them with a
// byte changed.
func TestProveRecord(t *testing.T) { testProofs(t, 13) }

// TestLongProveRecord changes each byte.
func TestLongProveRecord(t *testing.T) {
	long.Only(t)
	testProofs(t, 1)
}

func testProofs(t *testing.T, step int) {
	t.Parallel()
	private, public, err := signing.NewKey("data.example.org")
	must.Do(t, err)
	dir := t.TempDir()
	folders, want := writeProofs(t, dir, private), ""
	for _, folder := range folders {
		want += filepath.Base(folder) + " ent-example-measles\n"
	}
	t.Run("go", func(t *testing.T) {
		for _, folder := range folders {
			if err := proveInGo(t.Context(), readFive(t, folder), public, dir); err != nil {
				t.Errorf("%s: %v", folder, err)
			}
		}
		files := readFive(t, folders[0])
		for _, name := range five {
			for i := 0; i < len(files[name]); i += step {
				changed := map[string][]byte{}
				for n, data := range files {
					changed[n] = slices.Clone(data)
				}
				changed[name][i] ^= 1
				if proveInGo(t.Context(), changed, public, dir) == nil {
					t.Errorf("%s is taken with byte %d changed", name, i)
				}
			}
		}
	})
	for language, args := range provers {
		t.Run(language, func(t *testing.T) {
			interpreter(t, language)
			step := step
			if language == "r" { // which is slow
				if step > 1 {
					t.Skip("make test-all runs R")
				}
				step = 65
			}
			if got := run(t, ".", slices.Concat(args, []string{public, strconv.Itoa(step)}, folders)...); got != want {
				t.Errorf("it writes\n%.3000s\nwant\n%s", got, want)
			}
		})
	}
}

// writeProofs writes the five files of one record for a release that is at each place of logs of
// some sizes.
func writeProofs(t *testing.T, dir, private string) (folders []string) {
	t.Helper()
	r, closeRelease, err := store.Open(filepath.Join(must.Get(releases())(t), "second"))
	must.Do(t, err)
	defer closeRelease()
	k := r.Manifest.Kind("entity")
	var record []byte
	for line, err := range r.Records(k.Kind) {
		must.Do(t, err)
		if strings.Contains(string(line), `"id":"ent-example-measles"`) {
			record = slices.Clone(line)
		}
	}
	files := map[string][]byte{
		"record": record, "index": must.Get(fs.ReadFile(r.Files, k.Listing))(t),
		"manifest": must.Get(fs.ReadFile(r.Files, layout.ManifestPath))(t),
	}
	signer := must.Get(note.NewSigner(private))(t)
	m := r.Manifest
	entry := signing.ReleaseEntry{
		Service: m.BaseURL, Release: m.Release, Date: m.Date, Previous: m.Previous.Release,
		SHA256: sha256.Sum256(files["manifest"]), Size: int64(len(files["manifest"])),
	}
	for _, size := range []int64{9, 7, 6, 2, 1} {
		for at := range size {
			e := entry
			if at == 3 {
				e.Break, e.Skips = signing.Rollback, "abcdefabcdef"
			}
			files["proof"], files["checkpoint"] = proofIn(t, e, at, size, signer)
			folder := filepath.Join(dir, fmt.Sprintf("%d-%d", size, at))
			must.Do(t, os.Mkdir(folder, 0o700))
			for name, data := range files {
				must.Do(t, os.WriteFile(filepath.Join(folder, name), data, 0o600))
			}
			folders = append(folders, folder)
		}
	}
	return folders
}

// proofIn returns the proof of an entry of a log, and the log's checkpoint.
func proofIn(t *testing.T, e signing.ReleaseEntry, at, size int64, signer note.Signer) (proof, checkpoint []byte) {
	t.Helper()
	var hashes []tlog.Hash
	reader := tlog.HashReaderFunc(func(indexes []int64) (list []tlog.Hash, err error) {
		for _, i := range indexes {
			list = append(list, hashes[i])
		}
		return list, nil
	})
	for n := range size {
		leaf := fmt.Appendf(nil, "another entry, %d", n)
		if n == at {
			leaf = e.Encode()
		}
		hashes = append(hashes, must.Get(tlog.StoredHashes(n, leaf, reader))(t)...)
	}
	encode := base64.StdEncoding.EncodeToString
	root := must.Get(tlog.TreeHash(size, reader))(t)
	checkpoint = must.Get(note.Sign(&note.Note{Text: fmt.Sprintf("data.example.org\n%d\n%s\n", size, encode(root[:]))}, signer))(t)
	text := "c2sp.org/tlog-proof@v1\n"
	if e.Break != "" {
		text += "extra " + encode(fmt.Appendf(nil, "%s %s\n", e.Break, e.Skips)) + "\n"
	}
	text += fmt.Sprintf("index %d\n", at)
	for _, h := range must.Get(tlog.ProveRecord(size, at, reader))(t) {
		text += encode(h[:]) + "\n"
	}
	return append([]byte(text+"\n"), checkpoint...), checkpoint
}

func readFive(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range five {
		files[name] = must.Get(os.ReadFile(filepath.Join(folder, name)))(t)
	}
	return files
}

// proveInGo does with package client what the clients in other languages have a function for.
func proveInGo(ctx context.Context, files map[string][]byte, key, dir string) error {
	at := filepath.Join(dir, "five")
	for name, path := range map[string]string{
		"index": "index/entities.json", "manifest": layout.ManifestPath, "proof": layout.ProofPath,
		"checkpoint": layout.CheckpointPath,
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(at, path)), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(at, path), files[name], 0o600); err != nil {
			return err
		}
	}
	c, err := client.Open(ctx, at, client.Options{Key: key, Alone: true})
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Release(ctx).EntryOf(files["record"])
	return err
}
