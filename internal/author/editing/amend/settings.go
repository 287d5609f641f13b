package amend

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"stele/internal/author/reading/input"
	"stele/internal/author/reading/settings"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Settings plans to change stele.yaml. Comments, order and quotation marks are kept. If the file
// cannot be edited safely, the error shows the lines to write by hand.
func Settings(fsys fs.FS, set []Setting) (File, error) {
	f, err := editFile(fsys, input.SettingsFile, schema.ShapeOf[settings.Settings](), set)
	if err != nil {
		return f, err
	}
	return f, checkSettings(fsys, f)
}

// Shared plans to change the defaults file in folder dir, as Settings changes stele.yaml. The
// members are those of kind k.
func Shared(fsys fs.FS, dir string, k *record.Kind, set []Setting) (File, error) {
	return editFile(fsys, path.Join(dir, input.DefaultsFile), k.Shape(), set)
}

// editFile plans to change members of the object in a YAML file.
func editFile(fsys fs.FS, at string, shape *schema.Shape, set []Setting) (File, error) {
	f := File{Path: at}
	var err error
	if f.Old, err = fs.ReadFile(fsys, f.Path); err != nil {
		return f, err
	}
	tree, problem := input.ParseSettings(f.Old)
	if problem != nil || tree == nil {
		return f, fmt.Errorf("%s: %w", f.Path, errUnclear)
	}
	want := valueAt(tree, 0)
	var lines []string
	for _, s := range set {
		steps := strings.Split(s.Path, ".")
		v := value{typ: typeAt(shape, steps), text: s.Value}
		if s.JSON {
			if v, err = valueFromJSON(s.Value); err != nil {
				return f, err
			}
		}
		_, there := want.lookUp(steps)
		switch {
		case !s.Unset:
			want = want.withValueAt(steps, v)
			lines = append(lines, strings.TrimRight(blockMember(wrapInPath(steps, v).members[0], ""), "\n"))
		case there:
			want = want.withoutPath(steps)
			lines = append(lines, "(without "+s.Path+")")
		}
	}
	byHand := fmt.Errorf("cannot edit %s safely. Use a text editor to write these lines:\n\n%s",
		f.Path, strings.Join(lines, "\n"))
	if f.New, err = editAll(f.Old, tree, shape.MemberNames(), &want); err != nil {
		return f, byHand
	}
	after, problem := input.ParseSettings(f.New)
	if problem != nil || !want.equalUnordered(valueAt(after, 0)) {
		return f, byHand
	}
	return f, nil
}

// checkSettings returns an error if the new settings have an error that they do not have now.
func checkSettings(fsys fs.FS, f File) error {
	_, before, err := input.ReadSettings(fsys)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range before {
		known[p.Message] = true
	}
	_, problems, err := input.ReadSettings(With(fsys, []File{f}))
	for _, p := range problems {
		if p.Severity() == codes.Error && !known[p.Message] {
			return fmt.Errorf("refused, because the change adds an error: %s", problemText(&p))
		}
	}
	return err
}

func typeAt(s *schema.Shape, path []string) schema.Type {
	for _, step := range path {
		switch {
		case s.Type == schema.Array:
			s = s.Elem
		case s.Open || s.Member(step) == nil:
			return schema.String
		default:
			s = s.Member(step).Shape
		}
	}
	return s.Type
}
