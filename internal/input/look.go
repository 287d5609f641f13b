package input

import (
	"fmt"
	"io"
	"io/fs"
	"path"

	"stele/internal/color"
	"stele/internal/settings"
	"stele/record"
)

// maxLogo is how many bytes a logo may have: every reader loads it.
const maxLogo = 256 << 10

// checkLook checks what only the pages use, the colour and the logo, and reads the logo.
func checkLook(s *settings.Settings, fsys fs.FS, t *record.Tree) (problems []record.Problem) {
	if s.AccentColor != "" {
		if message, fix := accentProblem(s.AccentColor); message != "" {
			problems = append(problems, fault(record.WrongValue, SettingsFile, memberAt(t, "accent_color"), message, fix))
		}
	}
	if s.Logo != "" {
		data, problem := readLogo(fsys, s.Logo)
		if problem != nil {
			at := memberAt(t, "logo")
			problem.File, problem.Line, problem.Column = SettingsFile, int(at.Line), int(at.Column)
			problems = append(problems, *problem)
		}
		s.LogoData = string(data)
	}
	return problems
}

// memberAt returns where a member of the settings stands.
func memberAt(t *record.Tree, name string) record.Pos {
	for i := range t.Children(0) {
		if n := &t.Nodes[i]; n.Name == name {
			return n.At
		}
	}
	return record.Pos{Line: 1}
}

func accentProblem(text string) (message, fix string) {
	c, err := color.Parse(text)
	if err != nil {
		return "accent_color: " + err.Error(), `write # and six hexadecimal digits in quotation marks, such as "#0b5c6b"`
	}
	if contrast := c.Contrast(color.LightGround); contrast < color.Readable {
		return fmt.Sprintf("accent_color %s cannot be read on a light page: its contrast is %.1f, and %.1f is the least", c, contrast, color.Readable),
			fmt.Sprintf(`write "%s", the same colour made darker, or another dark one`, c.DarkerOn(color.LightGround))
	}
	return "", ""
}

// readLogo reads the publisher's logo.
func readLogo(fsys fs.FS, at string) ([]byte, *record.Problem) {
	p := record.Problem{Code: record.NotRead}
	switch path.Ext(at) {
	case ".svg", ".png", ".webp":
	default:
		p.Message, p.Fix = fmt.Sprintf("logo: %q is no kind of picture that the pages show", at), "name a file that ends in .svg, .png or .webp"
		return nil, &p
	}
	if !fs.ValidPath(at) {
		p.Message, p.Fix = fmt.Sprintf("logo: %q does not lie in this folder", at), "write its path below this folder, such as logo.svg"
		return nil, &p
	}
	if _, problem := ordinary(fsys, at); problem != nil {
		problem.Message = "logo: " + at + ": " + problem.Message
		return nil, problem
	}
	f, err := fsys.Open(at)
	if err != nil {
		p = unreadable(at, err)
		return nil, &p
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxLogo+1))
	switch {
	case err != nil:
		p = unreadable(at, err)
		return nil, &p
	case len(data) > maxLogo:
		p.Code, p.Message, p.Fix = record.TooLarge, fmt.Sprintf("logo: %s is larger than %d KiB, and every reader has to load it", at, maxLogo>>10), "make it smaller"
		return nil, &p
	case path.Ext(at) == ".svg":
		if err := checkSVG(data); err != nil {
			p.Code, p.Message, p.Fix = record.UnsafePicture, fmt.Sprintf("logo: %s can do more than draw: %v", at, err), "save it as a plain SVG without scripts, links and fonts from elsewhere, or as PNG"
			return nil, &p
		}
	}
	return data, nil
}
