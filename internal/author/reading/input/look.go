package input

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"stele/internal/author/reading/settings/color"
	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checkLook checks the settings that only pages use (colour, logo, style sheet), and reads the
// files.
func (c *settingsCheck) checkLook(fsys fs.FS) {
	if c.AccentColor != "" {
		if message, fix := accentProblem(c.AccentColor); message != "" {
			c.reportInvalid(message, fix, "accent_color")
		}
	}
	for _, f := range []struct {
		name, at string
		data     *string
		read     func(fs.FS, string) ([]byte, *schema.Problem)
	}{{"logo", c.Logo, &c.LogoData, readLogo}, {"style", c.Style, &c.StyleData, readStyle}} {
		if f.at == "" {
			continue
		}
		data, problem := f.read(fsys, f.at)
		if problem != nil {
			c.report(problem.Code, problem.Message, problem.Fix, f.name)
		}
		*f.data = string(data)
	}
}

func accentProblem(text string) (message, fix string) {
	c, err := color.Parse(text)
	if err != nil {
		return "accent_color: " + err.Error(), `write # and six hexadecimal digits in quotation marks, such as "#0b5c6b"`
	}
	if contrast := c.Contrast(color.LightGround); contrast < color.Readable {
		return fmt.Sprintf("accent_color %s is too light to read: its contrast is %.1f, the minimum is %.1f", c, contrast, color.Readable),
			fmt.Sprintf(`write "%s", a darker shade, or choose another dark colour`, c.DarkenedFor(color.LightGround))
	}
	return "", ""
}

// lookFile is a publisher's file that pages load.
type lookFile struct {
	setting string
	what    string
	types   []string // allowed extensions
	example string
	most    int64 // maximum number of bytes, because every reader loads it
}

var (
	logoFile  = lookFile{"logo", "picture", []string{".svg", ".png", ".webp"}, "logo.svg", 256 << 10}
	styleFile = lookFile{"style", "style sheet", []string{".css"}, "brand.css", 64 << 10}
)

// readLogo reads the publisher's logo.
func readLogo(fsys fs.FS, at string) ([]byte, *schema.Problem) {
	data, problem := logoFile.readFile(fsys, at)
	if problem == nil && path.Ext(at) == ".svg" {
		if err := checkSVG(data); err != nil {
			return nil, newProblem(codes.UnsafeLook, at, schema.Pos{}, fmt.Sprintf("logo: %s may contain only drawings: %v", at, err),
				"save it as a plain SVG without scripts, links and external fonts, or as PNG")
		}
	}
	return data, problem
}

// readStyle reads the publisher's style sheet.
func readStyle(fsys fs.FS, at string) ([]byte, *schema.Problem) {
	data, problem := styleFile.readFile(fsys, at)
	if problem != nil {
		return nil, problem
	}
	bare, line, err := stripCSS(data)
	if err != nil {
		return nil, newProblem(codes.Malformed, at, schema.Pos{}, fmt.Sprintf("style: line %d of %s: %v, and browsers would skip the rest", line, at, err),
			"add the missing character, or remove the extra one")
	}
	if line, what := findLoading(bare); what != "" {
		return nil, newProblem(codes.UnsafeLook, at, schema.Pos{}, fmt.Sprintf("style: line %d of %s contains %s, which could load a resource", line, at, what),
			"remove it: pages load only files of the release, and no fonts")
	}
	return data, nil
}

// readFile reads the file that a setting names.
func (l *lookFile) readFile(fsys fs.FS, at string) ([]byte, *schema.Problem) {
	switch {
	case !slices.Contains(l.types, path.Ext(at)):
		return nil, newProblem(codes.NotRead, at, schema.Pos{}, fmt.Sprintf("%s: %q is not a %s that the pages can show", l.setting, at, l.what),
			"name a file that ends in "+strings.Join(l.types, " or "))
	case !fs.ValidPath(at):
		return nil, newProblem(codes.NotRead, at, schema.Pos{}, fmt.Sprintf("%s: %q is not in this folder", l.setting, at),
			"write its path below this folder, such as "+l.example)
	}
	data, problem := readUpTo(fsys, at, l.most, newProblem(codes.TooLarge, at, schema.Pos{},
		fmt.Sprintf("%s: %s is larger than %d KiB, which every reader would have to load", l.setting, at, l.most>>10), "make it smaller"))
	if problem != nil && problem.Code == codes.Unreadable {
		problem.Message = l.setting + ": " + at + ": " + problem.Message
	}
	return data, problem
}
