package input

import (
	"encoding/xml"
	"strings"
	"testing"
)

const svgStart = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">`

func TestDrawingsAreTaken(t *testing.T) {
	for _, text := range []string{
		`<svg xmlns="http://www.w3.org/2000/svg"/>`,
		`<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd"><!-- drawn -->` + svgStart + `</svg>`,
		svgStart + `<title>On a hill</title><style>.a{fill:url(#g)}</style><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs><path class="a" d="M0 0h9v9z" style="fill: url('#g')"/><use xlink:href="#g"/></svg>`,
		svgStart + `<image href="data:image/png;base64,iVBORw0KGgo="/></svg>`,
		`<svg xmlns="http://www.w3.org/2000/svg" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd"><sodipodi:namedview id="base"/><g/></svg>`,
	} {
		if err := checkSVG([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestScriptsAreRefused(t *testing.T) {
	for _, text := range []string{
		``, `text`, `<svg/>`, `<html xmlns="http://www.w3.org/1999/xhtml"/>`, svgStart, svgStart + `</svg>` + svgStart + `</svg>`,
		svgStart + `<script>alert(1)</script></svg>`,
		svgStart + `<script href="/assets/x.js"/></svg>`,
		`<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>alert(1)</s:script></s:svg>`,
		svgStart + `<g onload="alert(1)"/></svg>`,
		svgStart + `<g ONLOAD="alert(1)"/></svg>`,
		`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`,
		svgStart + `<foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject></svg>`,
		svgStart + `<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script></svg>`,
		svgStart + `<a href="javascript:alert(1)"><text>x</text></a></svg>`,
		svgStart + `<a xlink:href="https://evil.example"><text>x</text></a></svg>`,
		svgStart + `<use href="https://evil.example/x.svg#a"/></svg>`,
		svgStart + `<use href="data:image/svg+xml;base64,PHN2Zz4="/></svg>`,
		svgStart + `<image href="https://evil.example/x.png"/></svg>`,
		svgStart + `<image href="data:image/svg+xml,x"/></svg>`,
		svgStart + `<animate attributeName="href" values="javascript:alert(1)"/></svg>`,
		svgStart + `<set attributeName="onload" to="alert(1)"/></svg>`,
		svgStart + `<style>@import "https://evil.example/x.css";</style></svg>`,
		svgStart + `<style>a{background:u/**/rl(https://evil.example)}</style></svg>`,
		svgStart + `<style>a{background:\75rl(https://evil.example)}</style></svg>`,
		svgStart + `<style><![CDATA[a{background:url("https://evil.example")}]]></style></svg>`,
		svgStart + `<path style="fill:URL( https://evil.example )"/></svg>`,
		svgStart + `<path fill="url(//evil.example#a)"/></svg>`,
		svgStart + `<g xml:base="https://evil.example/"/></svg>`,
		`<?xml-stylesheet href="https://evil.example/x.css"?>` + svgStart + `</svg>`,
		`<!DOCTYPE svg [<!ENTITY x "<script/>">]>` + svgStart + `&x;</svg>`,
		`<?xml version="1.0" encoding="UTF-16"?>` + svgStart + `</svg>`,
		svgStart + strings.Repeat("<g>", 200) + strings.Repeat("</g>", 200) + `</svg>`,
		svgStart + "\x00</svg>",
	} {
		if err := checkSVG([]byte(text)); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

// FuzzSVG: what is taken has no script, no handler and no address outside of itself.
func FuzzSVG(f *testing.F) {
	f.Add(svgStart + `<style>.a{fill:url(#g)}</style><use xlink:href="#g"/></svg>`)
	f.Add(svgStart + `<script>alert(1)</script><g onload="x"/></svg>`)
	f.Fuzz(func(t *testing.T, text string) {
		if checkSVG([]byte(text)) != nil {
			return
		}
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			token, err := d.Token()
			if err != nil {
				return
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			if strings.EqualFold(e.Name.Local, "script") && e.Name.Space != "" &&
				(e.Name.Space == svgSpace || e.Name.Space == xhtmlSpace) {
				t.Errorf("%q is taken", text)
			}
			for _, a := range e.Attr {
				if strings.HasPrefix(strings.ToLower(a.Name.Local), "on") {
					t.Errorf("%q is taken", text)
				}
			}
		}
	})
}
