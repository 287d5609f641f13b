package input

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// An SVG opened by itself can run scripts in the origin of the site, and load resources. So a logo
// may contain only known harmless elements.

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xhtmlSpace = "http://www.w3.org/1999/xhtml"
	maxDepth   = 100
)

// drawing contains the elements that only draw.
var drawing = strings.Fields(`svg g defs symbol use title desc metadata style
		path rect circle ellipse line polyline polygon text tspan textPath image marker
		linearGradient radialGradient stop pattern clipPath mask filter
		feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR
		feGaussianBlur feMerge feMergeNode feMorphology feOffset feTile feTurbulence`)

// checkSVG returns an error if an SVG may do more than draw.
func checkSVG(data []byte) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	depth, roots, styles := 0, 0, 0 // styles is the number of enclosing style elements
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("it cannot be read as XML: %w", err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			if depth++; depth > maxDepth {
				return fmt.Errorf("it is deeper than %d elements", maxDepth)
			}
			err = checkElement(t, depth == 1)
			if t.Name.Local == "style" {
				styles++
			}
		case xml.EndElement:
			depth--
			if t.Name.Local == "style" {
				styles--
			}
		case xml.CharData:
			if styles > 0 {
				err = checkStyle(string(t))
			}
		case xml.ProcInst:
			if t.Target != "xml" {
				err = fmt.Errorf("it contains the instruction <?%s?>", t.Target)
			}
		case xml.Directive:
			if bytes.ContainsAny(t, "[<") {
				err = errors.New("it declares entities")
			}
		}
		if err != nil {
			return err
		}
	}
	if roots != 1 {
		return errors.New("it must have exactly one svg element")
	}
	return nil
}

func checkElement(e xml.StartElement, root bool) error {
	name := e.Name.Local
	switch {
	case root && (name != "svg" || e.Name.Space != svgSpace):
		return fmt.Errorf(`it must begin with <svg xmlns="%s">`, svgSpace)
	case e.Name.Space == xhtmlSpace:
		return fmt.Errorf("it contains the HTML element %s", name)
	case e.Name.Space == svgSpace && !slices.Contains(drawing, name):
		return fmt.Errorf("it contains the element %s", name)
	}
	for _, a := range e.Attr {
		if err := checkAttribute(name, a); err != nil {
			return err
		}
	}
	return nil
}

func checkAttribute(element string, a xml.Attr) error {
	name, value := strings.ToLower(a.Name.Local), compactText(a.Value)
	switch {
	case strings.HasPrefix(name, "on"):
		return fmt.Errorf("%s has the attribute %s, which runs a script", element, a.Name.Local)
	case name == "base" || name == "src":
		return fmt.Errorf("%s has the attribute %s", element, a.Name.Local)
	case name == "href":
		if !strings.HasPrefix(value, "#") && (element != "image" || !picture.MatchString(value)) {
			return fmt.Errorf("%s links to %.40q", element, a.Value)
		}
		return nil
	case a.Name.Space == "xmlns" || name == "xmlns": // namespace names are not loaded
		return nil
	}
	return checkStyle(a.Value)
}

// picture matches the start of a data URL with a picture, except SVG.
var picture = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp);base64,`)

// checkStyle returns an error if styles may load a resource, or hide that they do.
func checkStyle(text string) error {
	value := compactText(text)
	for _, wrong := range []string{"javascript:", "@import", "@charset", "@namespace", "expression(", "image-set(", "src(", `\`} {
		if strings.Contains(value, wrong) {
			return fmt.Errorf("it contains %s in %.40q", wrong, text)
		}
	}
	for rest := value; ; {
		_, after, found := strings.Cut(rest, "url(")
		if !found {
			return nil
		}
		if rest = strings.TrimLeft(after, `"'`); !strings.HasPrefix(rest, "#") {
			return fmt.Errorf("it loads a resource in %.40q", text)
		}
	}
}

// compactText returns a text in lower case without characters that browsers ignore: spaces,
// controls and comments.
func compactText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToLower(text))
	for {
		before, after, found := strings.Cut(text, "/*")
		if !found {
			return text
		}
		_, after, _ = strings.Cut(after, "*/")
		text = before + after
	}
}
