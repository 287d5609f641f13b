package reuse

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/maphash"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/base/sheet/areas"
	"stele/internal/disk/scratch"
	"stele/record"
	"stele/release"
)

// Published contains the records of a release, reduced to the members that copies must keep. The
// records are on disk, with a few bytes of memory for each.
type Published struct {
	manifest *release.Manifest
	file     *os.File
	w        *bufio.Writer
	size     int64
	decoder  jsontext.Decoder
	seed     maphash.Seed
	set      set
	at       [sets]map[uint64]offset // by ID without regard to case
	schemes  map[string]*areas.Scheme
	window   []byte // a part of the file
	begin    int64  // offset of the window
}

// set is a set of records without duplicate IDs. A node of the graph has the ID of its record, so
// nodes are another set.
type set int

const (
	records set = iota
	nodes
	sets
)

// offset is the position of a record in the file.
type offset int64

const noOffset offset = -1

func (p offset) exists() bool { return p >= 0 }

// fields are the members of a record's version that a copy must keep. Texts are unquoted; other
// values are JSON.
type fields struct {
	earlier   offset // the previous version, if available
	retracted bool
	things    [things]string
}

// fieldOf returns the field for the named member, or nil.
func (f *fields) fieldOf(name string) *string {
	if name == "evidence_label" || name == "decision_label" {
		name = keys[Labels]
	}
	if i := slices.Index(keys[:], name); i >= 0 {
		return &f.things[i]
	}
	return nil
}

// read reads the fields from the JSON of a record.
func (f *fields) read(d *jsontext.Decoder, data []byte) error {
	*f = fields{}
	var scheme string
	d.Reset(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		to := f.fieldOf(name.String())
		if name.String() == "ref_area_scheme" {
			to = &scheme
		}
		if to == nil {
			if err := d.SkipValue(); err != nil {
				return err
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if value.Kind() == '"' {
			text, err := jsontext.AppendUnquote(nil, value)
			if err != nil {
				return err
			}
			*to = string(text)
		} else if len(value) > len("[]") || value.Kind() == '0' {
			*to = string(value)
		}
	}
	if code := f.things[Areas]; record.AreaScheme(scheme).Own() {
		f.things[Areas] = scheme + " " + code
	} else {
		f.things[Areas] = "" // countries have several codes
	}
	f.retracted = strings.Contains(f.things[Corrections], `"retraction"`) && isRetracted(data)
	return nil
}

// isRetracted reports whether corrections retract the record.
func isRetracted(data []byte) bool {
	var e record.Envelope
	var r struct {
		Corrections *[]record.Correction `json:"corrections"`
	}
	r.Corrections = &e.Corrections
	return json.Unmarshal(data, &r) == nil && e.Retracted()
}

// Load reads the records of a release and their earlier versions.
func Load(ctx context.Context, r *release.Release, progress func(done, total int64)) (p *Published, err error) {
	file, err := scratch.New("", "stele-reuse-*")
	if err != nil {
		return nil, err
	}
	p = &Published{
		manifest: r.Manifest, file: file, w: bufio.NewWriterSize(file, 1<<18), seed: maphash.MakeSeed(),
		at: [sets]map[uint64]offset{{}, {}},
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.Close())
		}
	}()
	total, done := int64(0), int64(0)
	for _, k := range r.Manifest.Kinds {
		total += int64(k.Count)
	}
	r = r.Within(ctx)
	if p.schemes, err = readAreas(r); err != nil {
		return p, err
	}
	for i := range r.Manifest.Kinds {
		k := &r.Manifest.Kinds[i]
		if p.set = records; k.Kind == record.KindGraphNode {
			p.set = nodes
		}
		if err := p.addHistory(r, k); err != nil {
			return p, err
		}
		for data, err := range r.Records(k.Kind) {
			if err == nil {
				err = p.add(data)
			}
			if err != nil {
				return p, err
			}
			if done++; progress != nil && done%4096 == 0 {
				progress(done, total)
			}
		}
	}
	return p, p.w.Flush()
}

// addHistory reads the earlier versions of a kind's records, the oldest first.
func (p *Published) addHistory(r *release.Release, k *release.Kind) error {
	for _, path := range k.Packs(r.Manifest) {
		for v, err := range r.HistoryFile(path) {
			if err == nil && v.Record != nil {
				err = p.add(v.Record)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Published) Close() error { return p.file.Close() }

func (p *Published) hash(id string) uint64 { return maphash.String(p.seed, strings.ToLower(id)) }

func (p *Published) add(data []byte) error {
	var f fields
	if err := f.read(&p.decoder, data); err != nil {
		return err
	}
	key := p.hash(f.things[ID])
	before, found := p.at[p.set][key]
	if !found {
		before = noOffset
	}
	b := binary.AppendVarint(nil, int64(before))
	b = append(b, 0)
	if f.retracted {
		b[len(b)-1] = 1
	}
	for _, text := range f.things {
		b = binary.AppendUvarint(b, uint64(len(text)))
		b = append(b, text...)
	}
	p.at[p.set][key] = offset(p.size)
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(b)))
	p.size += int64(len(head) + len(b))
	_, err := p.w.Write(append(head, b...))
	return err
}

// find returns the offset of the latest version of a record in the current set.
func (p *Published) find(id string) offset {
	if at, found := p.at[p.set][p.hash(id)]; found {
		return at
	}
	return noOffset
}

// load reads the version at offset at into f. The texts of f stay valid.
func (p *Published) load(at offset, f *fields) error {
	head, err := p.readAt(int64(at), 4)
	if err != nil {
		return err
	}
	b, err := p.readAt(int64(at)+4, int(binary.LittleEndian.Uint32(head)))
	if err != nil {
		return err
	}
	earlier, n := binary.Varint(b)
	f.earlier, f.retracted, b = offset(earlier), b[n] == 1, b[n+1:]
	text := string(b)
	for i := range f.things {
		length, n := binary.Uvarint(b)
		end := n + int(length)
		f.things[i], b, text = text[n:end], b[end:], text[end:]
	}
	return nil
}

// readAt returns n bytes of the file from offset at, valid until the next call. It reads ahead,
// because copies usually have the order of the release.
func (p *Published) readAt(at int64, n int) ([]byte, error) {
	if end := p.begin + int64(len(p.window)); at < p.begin || at+int64(n) > end {
		size := max(n, 1<<11)
		if at >= p.begin && at <= end+1<<14 {
			size = max(n, 1<<16)
		}
		if cap(p.window) < size {
			p.window = make([]byte, size)
		}
		p.window = p.window[:size]
		read, err := p.file.ReadAt(p.window, at)
		p.begin, p.window = at, p.window[:read]
		if read < n {
			return nil, errors.Join(err, io.ErrUnexpectedEOF)
		}
	}
	return p.window[at-p.begin:][:n], nil
}
