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

// instead maps extensions that are not supported to remedies.
var instead = map[string]string{
	".xlsx": "save the sheet as CSV", ".xls": "save the sheet as CSV", ".ods": "save the sheet as CSV", ".tsv": "save it as CSV, with commas",
	".md": "write records as YAML; call notes README.md", ".txt": "write records as YAML; call notes README.txt",
}

// scan is a walk through records/.
type scan struct {
	fsys     fs.FS
	files    []file
	problems []schema.Problem
	named    []Named // rows named in corrections files
	digests  bool    // whether defaults must be digested
}

// HasFiles reports whether the folder of kind k contains files.
func HasFiles(fsys fs.FS, k *record.Kind) bool {
	entries, err := fs.ReadDir(fsys, path.Join(recordsDir, k.Folder()))
	return err != nil && !isNotExist(err) || len(entries) > 0
}

// findFiles finds the files of records, in order, and problems with their locations.
func findFiles(fsys fs.FS, digests bool) *scan {
	s := &scan{fsys: fsys, digests: digests}
	kinds := map[string]bool{}
	for _, e := range s.readDir(recordsDir) {
		name := e.Name()
		switch {
		case isIgnored(name):
		case isTemporary(name):
			s.addProblem(codes.NoRecords, path.Join(recordsDir, name), "this looks like a temporary file of an editor or system, and was not read", "delete it")
		case e.IsDir() && record.KindInFolder(name) == nil:
			s.addProblem(codes.NotRead, path.Join(recordsDir, name), "unknown folder: it does not belong to a kind", folderFix(name))
		case e.Type()&fs.ModeSymlink != 0:
			s.addProblem(codes.Unreadable, path.Join(recordsDir, name), "links are not followed here", "move the folder itself here")
		case !e.IsDir():
			s.addProblem(codes.NotRead, path.Join(recordsDir, name), "this file is not in the folder of a kind", "move it into the folder of its kind, such as records/signals")
		default:
			kinds[name] = true
		}
	}
	// entities first, because statistics are compared with their indicators
	for _, k := range slices.Insert(slices.Clone(record.Kinds), 0, record.KindNamed(record.KindEntity)) {
		if kinds[k.Folder()] {
			kinds[k.Folder()] = false
			s.scanFolder(k, path.Join(recordsDir, k.Folder()), nil, 0)
		}
	}
	s.checkMisplaced()
	if len(s.files) == 0 && len(s.problems) == 0 {
		s.addProblem(codes.NoRecords, recordsDir, "no records found", "create one: stele new signal my-first-signal")
	}
	return s
}

// checkMisplaced reports folders that are next to records/ but should probably be inside.
func (s *scan) checkMisplaced() {
	for _, e := range s.readDir(".") {
		switch name := e.Name(); {
		case !e.IsDir() || name == recordsDir:
		case record.KindInFolder(name) != nil:
			s.addProblem(codes.NoRecords, name, "this folder is next to records, and was not read", "move it into records")
		case strings.EqualFold(name, "record") || strings.EqualFold(name, recordsDir):
			s.addProblem(codes.NotRead, name, "records are read from the folder records/, not from this one", "rename it to records, or move its contents there")
		}
	}
}

// scanFolder collects the files of a kind in dir and its subfolders.
func (s *scan) scanFolder(k *record.Kind, dir string, defaults *schema.Tree, shared uint64) {
	entries := s.readDir(dir)
	for _, e := range entries {
		if e.Name() == DefaultsFile && s.stat(path.Join(dir, DefaultsFile)) != nil {
			own, problem := readDefaults(s.fsys, path.Join(dir, e.Name()))
			if problem != nil {
				s.problems = append(s.problems, *problem)
			}
			if defaults != nil && len(defaults.Files) >= maxNested {
				s.addProblem(codes.TooLarge, path.Join(dir, DefaultsFile), "more than "+strconv.Itoa(maxNested)+" "+DefaultsFile+" apply to the records here", "nest fewer folders")
				continue
			}
			defaults = mergeDefaults(own, defaults)
			if s.digests {
				shared = digestFile(s.fsys, path.Join(dir, DefaultsFile), shared)
			}
		}
	}
	for _, e := range entries {
		name, at := e.Name(), path.Join(dir, e.Name())
		switch {
		case strings.HasPrefix(strings.ToLower(name), "readme.") && formats[strings.ToLower(path.Ext(name))] != "":
			s.addProblem(codes.NoRecords, at, "files with this name are notes, and were not read", "if it contains records, rename it; otherwise end the name in .md or .txt")
		case isIgnored(name) || name == DefaultsFile:
		case isTemporary(name):
			s.addProblem(codes.NoRecords, at, "this looks like a temporary file of an editor or system, and was not read", "delete it")
		case e.IsDir():
			s.scanFolder(k, at, defaults, shared)
		case e.Type()&fs.ModeSymlink != 0 && s.leadsToFolder(at):
			s.addProblem(codes.Unreadable, at, "links to folders are not followed", "move the folder here")
		case strings.HasPrefix(name, "_") || slices.Contains([]string{"defaults.yaml", "defaults.yml", "default.yaml", "default.yml"}, strings.ToLower(name)):
			s.addProblem(codes.NotRead, at, "files with this name cannot contain records", "rename it to "+DefaultsFile+" if it contains defaults; otherwise choose another name")
		case strings.HasSuffix(name, BesideSuffix):
			if table := strings.TrimSuffix(name, BesideSuffix) + ".csv"; !containsName(entries, table) {
				s.addProblem(codes.NotRead, at, "missing table "+table+" for these corrections", "rename this file after the table")
			}
		case formats[strings.ToLower(path.Ext(name))] == "":
			s.addProblem(codes.NotRead, at, "files that end in "+cmp.Or(path.Ext(name), "nothing")+" were not read",
				cmp.Or(instead[strings.ToLower(path.Ext(name))], "use .yaml, .json, .ndjson or .csv, or hide the file with a dot before its name"))
		default:
			f := file{Source: Source{Path: at}, kind: k, defaults: defaults, shared: shared}
			s.addFile(&f, containsName(entries, path.Base(CorrectionsPath(name))))
		}
	}
}

// readDefaults reads the members that the records of a folder share.
func readDefaults(fsys fs.FS, at string) (*schema.Tree, *schema.Problem) {
	var t *schema.Tree
	problem := readDocuments(fsys, at, func(n *yaml.Node) *schema.Problem {
		if t != nil || n.Kind != yaml.MappingNode {
			return newProblem(codes.Malformed, at, nodePosition(n), DefaultsFile+" must contain one object with members", "write the members that the records share, such as license: CC-BY-4.0")
		}
		w := newYAMLWriter(at)
		t = w.to
		return w.addNode(n)
	})
	if problem != nil {
		return nil, problem
	}
	return t, nil
}

// addFile adds a file of records, with its corrections file if corrected is set.
func (s *scan) addFile(f *file, corrected bool) {
	switch info := s.stat(f.Path); {
	case info == nil: // already reported
	case info.Size() == 0:
		s.addProblem(codes.NoRecords, f.Path, "the file is empty", "write a record into it, or delete it")
	default:
		f.format, f.size = formats[strings.ToLower(path.Ext(f.Path))], info.Size()
		if f.format == ".csv" && corrected && s.stat(CorrectionsPath(f.Path)) != nil {
			s.readCorrections(f)
		}
		s.files = append(s.files, *f)
	}
}

// readCorrections reads the corrections of a table.
func (s *scan) readCorrections(f *file) {
	var named []Named
	var problem *schema.Problem
	if f.beside, named, problem = readCorrections(s.fsys, f.Path, f.defaults); problem != nil {
		s.problems = append(s.problems, *problem)
	}
	s.named = append(s.named, named...)
	if s.digests {
		f.shared = digestFile(s.fsys, CorrectionsPath(f.Path), f.shared)
	}
}

// containsName reports whether entries, which are sorted, contain a file called name.
func containsName(entries []fs.DirEntry, name string) bool {
	_, found := slices.BinarySearchFunc(entries, name, func(e fs.DirEntry, name string) int {
		return strings.Compare(e.Name(), name)
	})
	return found
}

// readDir returns the sorted entries of a folder; a missing folder has none.
func (s *scan) readDir(dir string) []fs.DirEntry {
	entries, err := fs.ReadDir(s.fsys, dir)
	// some implementations of fs.FS do not sort
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if err != nil && dir != recordsDir || err != nil && !isNotExist(err) {
		s.addProblem(codes.Unreadable, dir, "the folder cannot be read: "+errorText(err), "")
	}
	return entries
}

// stat returns information about the file at, or adds a problem and returns nil.
func (s *scan) stat(at string) fs.FileInfo {
	info, problem := statRegular(s.fsys, at)
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

func (s *scan) addProblem(code codes.Code, at, message, fix string) {
	s.problems = append(s.problems, *newProblem(code, at, schema.Pos{}, message, fix))
}

// isIgnored reports whether name is that of a hidden file or of notes.
func isIgnored(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	return strings.HasPrefix(name, ".") || strings.EqualFold(base, "readme")
}

// isTemporary reports whether name is typical of temporary files of editors and systems.
func isTemporary(name string) bool {
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
			return "rename it to " + k.Folder()
		}
	}
	if near := suggest.Closest(name, folders); near != "" {
		return "rename it to " + near
	}
	return "the folders are " + strings.Join(folders, ", ")
}
