package cards

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	accent "stele/internal/author/reading/settings/color"
	"stele/internal/testkit/must"
)

var pictures = flag.String("pictures", "", "a folder into which the pictures are written")

var teal, _ = accent.Parse("#0b5c6b")

// some are cards of every sort.
func some() map[string]*Card {
	const site, host = "Measles and immunization", "measles.example.org"
	return map[string]*Card{
		"claim": {
			Accent: teal, Kicker: "Claim", Title: "One dose of MMR vaccine protects most children from measles",
			Labels: []Label{{"Moderate certainty", Fair}}, Site: site, Host: host,
		},
		"retracted": {
			Accent: teal, Kicker: "Evidence", Title: "A paper of 1998 on twelve children, MMR vaccine and a bowel disease",
			Labels: []Label{{"Very low certainty", Fair}}, Grave: "Retracted", Site: site, Host: host,
		},
		"indicator": {
			Accent: teal, Kicker: "Indicator", Title: "Coverage with a first dose of measles vaccine",
			Figure: "85", Notes: []string{"per cent of children", "World, 2015"}, Site: site, Host: host,
			Line: []Point{{Y: .1}, {X: .3, Y: .6, Gap: true}, {X: .5, Y: .72}, {X: 1, Y: 1, Gap: true, Apart: true}},
		},
		"evidence": {
			Accent: teal, Kicker: "Evidence", Title: "One dose of MMR vaccine and measles",
			Labels: []Label{{"Moderate certainty", Fair}, {"Weakened", Doubt}}, Figure: "0.05", Notes: []string{"0.02–0.13, risk ratio"},
			Range: &Range{.1, .3, .5, .9}, Site: site, Host: host,
		},
		"foreign": {Accent: teal, Kicker: "ادعاء", Title: "جرعة واحدة", Site: "麻疹", Host: host},
		"long": {
			Accent: teal, Kicker: "Signal", Title: "Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz " + string(bytes.Repeat([]byte("and more "), 12)),
			Labels: []Label{{"Low certainty", Fair}}, Site: string(bytes.Repeat([]byte("A long name "), 12)), Host: host,
		},
		"kind": {
			Accent: teal, Title: "Sources", Lead: "A source that records rest on: who made it, where it is, and what became of it. " + string(bytes.Repeat([]byte("And more. "), 30)),
			Site: site, Host: host,
		},
		"first page": {
			Accent: teal, Title: "Measles and immunization, a sample", Figure: "123,456", Host: host,
			Notes: []string{"Coverage with a first dose of measles vaccine, as reported", "per cent of one-year-olds", "World, 2015"},
			Line:  []Point{{X: 0, Y: .1, Gap: false}, {X: 1, Y: 1, Gap: true}},
		},
		"empty": {},
	}
}

// TestPictures: any PNG reader reads them, they are small, and the same every time.
func TestPictures(t *testing.T) {
	seen := map[string]string{}
	for name, c := range some() {
		data := Append(nil, c)
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if img.Bounds() != image.Rect(0, 0, Width, Height) {
			t.Errorf("%s: %v", name, img.Bounds())
		}
		if len(data) > 40_000 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
		if again := Append([]byte("before"), c); !bytes.Equal(again, append([]byte("before"), data...)) {
			t.Errorf("%s is another picture the second time", name)
		}
		if *pictures != "" {
			must.Do(t, os.WriteFile(filepath.Join(*pictures, name+".png"), data, 0o644))
		}
		if other, ok := seen[string(data)]; ok {
			t.Errorf("%s and %s are the same", name, other)
		}
		seen[string(data)] = name
		t.Logf("%s: %d bytes", name, len(data))
	}
}

// TestPixels: the picture that is written is the one that was drawn, whatever is in it.
func TestPixels(t *testing.T) {
	p := canvases.New().(*canvas)
	p.clear(&Card{Accent: teal})
	for i := range p.pix { // runs of every length, and none
		p.pix[i] = byte((i*i/7 + i/(1+i%300)) % shades)
	}
	img := must.Get(png.Decode(bytes.NewReader(p.appendPNG(nil))))(t)
	for i, shade := range p.pix {
		c := p.palette[shade]
		if got := color.RGBAModel.Convert(img.At(i%Width, i/Width)); got != (color.RGBA{c.R, c.G, c.B, 255}) {
			t.Fatalf("pixel %d is %v, not %v", i, got, c)
		}
	}
}

// TestLetters: what the fonts cannot write is left out, and no box stands in its place.
func TestLetters(t *testing.T) {
	for text, want := range map[string]bool{
		"Ærø, Łódź, Ελλάδα, Україна – “quoted” ≥ 95 %…, a non‑breaking one": true,
		"جرعة واحدة": false, "麻疹": false, "งานวิจัย": false, "one 麻": false, "": false,
	} {
		if got := canWrite(bold, text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	foreign, without := some()["foreign"], some()["foreign"]
	without.Title, without.Kicker, without.Site = "", "", ""
	if !bytes.Equal(Append(nil, foreign), Append(nil, without)) {
		t.Error("letters that the fonts lack are drawn")
	}
	foreign.Latin = &Card{Title: "clm-n1", Figure: "85", Notes: []string{"FRA, 2015"}, Kicker: "Claim"}
	foreign.Figure, foreign.Notes = "٨٥", []string{"فرنسا", "2015"}
	latin := some()["foreign"]
	latin.Title, latin.Figure, latin.Notes, latin.Kicker, latin.Site = "clm-n1", "85", []string{"FRA, 2015"}, "Claim", ""
	if !bytes.Equal(Append(nil, foreign), Append(nil, latin)) {
		t.Error("a title that the fonts cannot write has nothing in its place")
	}
	foreign, without = some()["foreign"], some()["foreign"]
	foreign.Grave, without.Grave = "سُحب", "Retracted"
	if !bytes.Equal(Append(nil, foreign), Append(nil, without)) {
		t.Error("a picture in Arabic does not say that the record was retracted")
	}
}
