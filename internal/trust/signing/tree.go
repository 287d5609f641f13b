package signing

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"

	"stele/internal/base/layout"

	"golang.org/x/mod/sumdb/tlog"
)

// tileHeight is that of tlog-tiles: a tile has 256 hashes.
const tileHeight = 8

// Log is an append-only log with all its leaves. A leaf is some 300 bytes, and there is one for
// each release, so it fits into memory many times over.
type Log struct {
	entries []Entry
	leaves  [][]byte    // their bytes
	hashes  []tlog.Hash // of all complete subtrees, as tlog stores them
}

// Size returns the number of leaves.
func (l *Log) Size() int64 { return int64(len(l.entries)) }

// Append adds a leaf.
func (l *Log) Append(leaf []byte) error {
	e, err := ParseEntry(leaf)
	if err != nil {
		return err
	}
	hashes, err := tlog.StoredHashes(l.Size(), leaf, l)
	if err != nil {
		return err
	}
	l.entries, l.leaves, l.hashes = append(l.entries, e), append(l.leaves, leaf), append(l.hashes, hashes...)
	return nil
}

// until is the log as it was when it had so many leaves.
func (l *Log) until(size int64) *Log {
	return &Log{entries: l.entries[:size], leaves: l.leaves[:size], hashes: l.hashes}
}

// ReadHashes makes the log a tlog.HashReader.
func (l *Log) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	list := make([]tlog.Hash, len(indexes))
	for i, n := range indexes {
		if n < 0 || n >= int64(len(l.hashes)) {
			return nil, fmt.Errorf("the log has no hash %d", n)
		}
		list[i] = l.hashes[n]
	}
	return list, nil
}

// Root returns the root of the tree of the first so many leaves.
func (l *Log) Root(size int64) (tlog.Hash, error) {
	if size < 0 || size > l.Size() {
		return tlog.Hash{}, fmt.Errorf("the log has %d entries, not %d", l.Size(), size)
	}
	return tlog.TreeHash(size, l)
}

// tiles visits the files of the tree: the path and the contents of each tile and of each bundle of
// entries, full ones and those of the right edge.
func (l *Log) tiles(yield func(path string, data []byte) bool) { l.grown(0)(yield) }

// grown visits those files of the tree that a log of an earlier size did not have.
func (l *Log) grown(from int64) iter.Seq2[string, []byte] {
	return func(yield func(path string, data []byte) bool) {
		for _, t := range tlog.NewTiles(tileHeight, from, l.Size()) {
			data, err := tlog.ReadTileData(t, l)
			if err != nil {
				panic(err) // all hashes of a tree are there
			}
			if !yield(tilePath(strconv.Itoa(t.L), t.N, t.W), data) {
				return
			}
		}
		if from == l.Size() {
			return
		}
		for first := from &^ 255; first < l.Size(); first += 256 {
			last := min(first+256, l.Size())
			var data []byte
			for _, leaf := range l.leaves[first:last] {
				data = append(binary.BigEndian.AppendUint16(data, uint16(len(leaf))), leaf...)
			}
			if !yield(tilePath("entries", first/256, int(last-first)), data) {
				return
			}
		}
	}
}

// outgrown returns the tiles of the right edge that a log of an earlier size had, and that are
// larger now.
func (l *Log) outgrown(from int64) (paths []string) {
	edge := func(level string, was, is int64) {
		if width := was % 256; width > 0 && is > was {
			paths = append(paths, tilePath(level, was/256, int(width)))
		}
	}
	edge("entries", from, l.Size())
	for level, was, is := 0, from, l.Size(); was > 0; level, was, is = level+1, was/256, is/256 {
		edge(strconv.Itoa(level), was, is)
	}
	return paths
}

// tilePath is the address of a tile. Unlike x/mod's, those of tlog-tiles have no height in them.
func tilePath(level string, n int64, width int) string {
	path := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		path = fmt.Sprintf("x%03d/%s", n%1000, path)
	}
	path = layout.TileFolder + level + "/" + path
	if width < 256 {
		path += ".p/" + strconv.Itoa(width)
	}
	return path
}

// readLog reads the entries of a log of a size, and holds its tiles to them.
func readLog(ctx context.Context, files Files, size int64) (*Log, error) {
	if size > maxEntries {
		return nil, damaged(layout.CheckpointPath, fmt.Sprintf("it claims %d entries; %d are the most that are read", size, maxEntries))
	}
	log := &Log{}
	for n := range (size + 255) / 256 {
		width := min(256, size-n*256)
		path := tilePath("entries", n, int(width))
		data, err := readPart(ctx, files, path, maxBundle)
		if err != nil {
			return nil, err
		}
		for range width {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				return nil, damaged(path, "it ends before its last entry")
			}
			end := 2 + int(binary.BigEndian.Uint16(data))
			if err := log.Append(data[2:end:end]); err != nil {
				return nil, damaged(fmt.Sprintf("entry %d of the log", log.Size()), err.Error())
			}
			data = data[end:]
		}
		if len(data) > 0 {
			return nil, damaged(path, "it goes on after its last entry")
		}
	}
	for path, want := range log.tiles {
		data, err := readPart(ctx, files, path, int64(len(want)))
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(data, want) {
			return nil, damaged(path, "it does not fit the entries of the log")
		}
	}
	return log, nil
}

// readPart reads a file that the checkpoint says is there.
func readPart(ctx context.Context, files Files, path string, most int64) ([]byte, error) {
	data, err := files.ReadFile(ctx, path, most)
	if missing(err) {
		return nil, truncated(path)
	}
	return data, err
}
