package input

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/internal/base/suggest"
	"stele/record"
)

const recordsDir = "records"

// instead says what to do with files that people try.
var instead = map[string]string{
	".xlsx": "save the sheet as CSV", ".xls": "save the sheet as CSV", ".ods": "save the sheet as CSV", ".tsv": "save it as CSV, with commas",
	".md": "write records as YAML; call notes README.md", ".txt": "write records as YAML; call notes README.txt",
}

// scan is a walk through records/.
type scan struct {
	fsys     fs.FS
	files    []file
	problems []schema.Problem
	named    []Named // the rows that files beside tables name
	digests  bool    // whether defaults have to be digested
}

// HasFiles reports whether anything lies in the folder of a kind.
func HasFiles(fsys fs.FS, k *record.Kind) bool {
	entries, err := fs.ReadDir(fsys, path.Join(recordsDir, k.Folder()))
	return err != nil && !isNotExist(err) || len(entries) > 0
}

// walk finds the files of records, in order, and what is wrong with where things are.
func walk(fsys fs.FS, digests bool) *scan {
	s := &scan{fsys: fsys, digests: digests}
	kinds := map[string]bool{}
	for _, e := range s.entries(recordsDir) {
		name := e.Name()
		switch {
		case ignored(name):
		case leftover(name):
			s.problem(codes.NoRecords, path.Join(recordsDir, name), "this looks like the leftover of an editor or system, and is not read", "delete it")
		case e.IsDir() && record.KindInFolder(name) == nil:
			s.problem(codes.NotRead, path.Join(recordsDir, name), "no kind of record is kept in this folder", folderFix(name))
		case e.Type()&fs.ModeSymlink != 0:
			s.problem(codes.Unreadable, path.Join(recordsDir, name), "links are not followed here", "move the folder itself here")
		case !e.IsDir():
			s.problem(codes.NotRead, path.Join(recordsDir, name), "a file here belongs to no kind", "move it into the folder of its kind, such as records/signals")
		default:
			kinds[name] = true
		}
	}
	// first what an indicator is: statistics are held to it as they come
	for _, k := range slices.Insert(slices.Clone(record.Kinds), 0, record.KindNamed(record.KindEntity)) {
		if kinds[k.Folder()] {
			kinds[k.Folder()] = false
			s.folder(k, path.Join(recordsDir, k.Folder()), nil, 0)
		}
	}
	s.beside()
	if len(s.files) == 0 && len(s.problems) == 0 {
		s.problem(codes.NoRecords, recordsDir, "no records found", "make a folder for a kind and a file in it: stele new signal my-first-signal")
	}
	return s
}

// beside finds folders that were meant to be read, and lie beside the one that is.
func (s *scan) beside() {
	for _, e := range s.entries(".") {
		switch name := e.Name(); {
		case !e.IsDir() || name == recordsDir:
		case record.KindInFolder(name) != nil:
			s.problem(codes.NoRecords, name, "this folder lies beside records, and is not read", "move it into records")
		case strings.EqualFold(name, "record") || strings.EqualFold(name, recordsDir):
			s.problem(codes.NotRead, name, "records are read from the folder records, not from this one", "call it records, or move what it holds there")
		}
	}
}

// folder collects the files of a kind below dir.
func (s *scan) folder(k *record.Kind, dir string, defaults *schema.Tree, shared uint64) {
	entries := s.entries(dir)
	for _, e := range entries {
		if e.Name() == DefaultsFile && s.stat(path.Join(dir, DefaultsFile)) != nil {
			own, problem := readDefaults(s.fsys, path.Join(dir, e.Name()))
			if problem != nil {
				s.problems = append(s.problems, *problem)
			}
			if defaults != nil && len(defaults.Files) >= maxNested {
				s.problem(codes.TooLarge, path.Join(dir, DefaultsFile), "more than "+strconv.Itoa(maxNested)+" "+DefaultsFile+" hold for the records here", "make fewer folders inside one another")
				continue
			}
			defaults = mergeDefaults(own, defaults)
			if s.digests {
				shared = digest(s.fsys, path.Join(dir, DefaultsFile), shared)
			}
		}
	}
	for _, e := range entries {
		name, at := e.Name(), path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(strings.ToLower(name), "readme.") && formats[strings.ToLower(path.Ext(name))] != "":
			s.problem(codes.NoRecords, at, "a file of this name is taken for a note, and is not read", "if it has records, give it another name; else end it in .md or .txt")
		case ignored(name) || name == DefaultsFile:
		case leftover(name):
			s.problem(codes.NoRecords, at, "this looks like the leftover of an editor or system, and is not read", "delete it")
		case e.IsDir():
			s.folder(k, at, defaults, shared)
		case e.Type()&fs.ModeSymlink != 0 && s.leadsToFolder(at):
			s.problem(codes.Unreadable, at, "links to folders are not followed", "move the folder here")
		case strings.HasPrefix(name, "_") || slices.Contains([]string{"defaults.yaml", "defaults.yml", "default.yaml", "default.yml"}, strings.ToLower(name)):
			s.problem(codes.NotRead, at, "a file of this name does not hold records", "call it "+DefaultsFile+" if it holds defaults, or rename it")
		case strings.HasSuffix(name, BesideSuffix):
			if table := strings.TrimSuffix(name, BesideSuffix) + ".csv"; !has(entries, table) {
				s.problem(codes.NotRead, at, "there is no "+table+" beside it, whose rows it could correct", "call it after the table")
			}
		case formats[strings.ToLower(path.Ext(name))] == "":
			s.problem(codes.NotRead, at, "files that end in "+cmp.Or(path.Ext(name), "nothing")+" are not read",
				cmp.Or(instead[strings.ToLower(path.Ext(name))], "write .yaml, .json, .ndjson or .csv, or hide it with a dot before its name"))
		default:
			f := file{Source: Source{Path: at}, kind: k, defaults: defaults, shared: shared}
			s.file(&f, has(entries, path.Base(BesideOf(name))))
		}
	}
}

// readDefaults reads the members that the records of a folder share.
func readDefaults(fsys fs.FS, at string) (*schema.Tree, *schema.Problem) {
	var t *schema.Tree
	problem := readDocuments(fsys, at, func(n *yaml.Node) *schema.Problem {
		if t != nil || n.Kind != yaml.MappingNode {
			return fault(codes.Malformed, at, placeOf(n), DefaultsFile+" holds one object with members", "write members, such as license: CC-BY-4.0")
		}
		w := newYAMLWriter(at)
		t = w.to
		return w.add(n)
	})
	if problem != nil {
		return nil, problem
	}
	return t, nil
}

// file adds a file of records, with the corrections beside it if it has some.
func (s *scan) file(f *file, corrected bool) {
	switch info := s.stat(f.Path); {
	case info == nil: // said
	case info.Size() == 0:
		s.problem(codes.NoRecords, f.Path, "the file is empty", "write a record into it, or delete it")
	default:
		f.format, f.size = formats[strings.ToLower(path.Ext(f.Path))], info.Size()
		if f.format == ".csv" && corrected && s.stat(BesideOf(f.Path)) != nil {
			s.readBeside(f)
		}
		s.files = append(s.files, *f)
	}
}

// readBeside reads the corrections beside a table.
func (s *scan) readBeside(f *file) {
	var named []Named
	var problem *schema.Problem
	if f.beside, named, problem = readBeside(s.fsys, f.Path, f.defaults); problem != nil {
		s.problems = append(s.problems, *problem)
	}
	s.named = append(s.named, named...)
	if s.digests {
		f.shared = digest(s.fsys, BesideOf(f.Path), f.shared)
	}
}

// has reports whether a folder has a file, whose entries are sorted.
func has(entries []fs.DirEntry, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	return found
}

// entries lists a folder by name; one that is not there is empty.
func (s *scan) entries(dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(s.fsys, dir)
	// not every fs.FS does
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if err != nil && dir != recordsDir || err != nil && !isNotExist(err) {
		s.problem(codes.Unreadable, dir, "the folder cannot be read: "+reason(err), "")
	}
	return entries
}

// stat looks at a file and answers nil, with a problem, for what cannot be read as one.
func (s *scan) stat(at string) fs.FileInfo {
	info, problem := ordinary(s.fsys, at)
	if problem != nil {
		s.problems = append(s.problems, *problem)
		return nil
	}
	return info
}

func (s *scan) leadsToFolder(at string) bool {
	info, err := fs.Stat(s.fsys, at)
	return err == nil && info.IsDir()
}

func (s *scan) problem(code codes.Code, at, message, fix string) {
	s.problems = append(s.problems, *fault(code, at, schema.Pos{}, message, fix))
}

// ignored reports whether a name is that of a hidden file or of a note to people.
func ignored(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return strings.HasPrefix(name, ".") || strings.EqualFold(base, "readme")
}

// leftover reports whether a name is one that editors and systems give to files that nobody wrote.
func leftover(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasSuffix(lower, "~") || strings.HasPrefix(lower, "~$") || len(name) > 1 && name[0] == '#' &&
		strings.HasSuffix(name, "#") ||
		slices.Contains([]string{".bak", ".orig", ".rej", ".swp", ".tmp"}, path.Ext(lower)) || lower == "thumbs.db" || lower == "desktop.ini"
}

func folderFix(name string) string {
	var folders []string
	for _, k := range record.Kinds {
		folders = append(folders, k.Folder())
		if k.Name == name || k.One == name {
			return "call it " + k.Folder()
		}
	}
	if near := suggest.Closest(name, folders); near != "" {
		return "call it " + near
	}
	return "the folders are " + strings.Join(folders, ", ")
}
