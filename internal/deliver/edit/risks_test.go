package edit

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestRisks: the form of evidence has the absolute effects as a table, computes them from what is
// in the form, and compares them with the printed ones.
func TestRisks(t *testing.T) {
	b := open(t, sampleFolder(t))
	const at = "record/evd-mmr-rubella/change"
	_, page := b.ask(http.MethodGet, at, nil, nil)
	for _, want := range []string{
		`<table class="risks"><thead><tr><th scope="col">Assumed</th>`, `aria-label="Assumed 1"`,
		`<p class="quiet">Not computed. It needs a ratio, an assumed risk above 0, and a number of people.</p>`,
		`<span class="help">lowers: a wide interval, or few people or events</span>`,
		`name="label_basis.factors.0.why"`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the form lacks %s", want)
		}
	}
	slot := regexp.MustCompile(`(?s)id="at-effect\.risks\.0\.computed">(.*?)</div>`)
	for _, c := range []struct{ assumed, per, corresponding, lower, upper, want string }{
		{"66", "1000", "7", "2", "28", `<p class="">7.3 (2 to 27.7)</p>` + "\n" + `<p class="quiet">The printed figures agree with it, within rounding.</p>`},
		{"66", "1000", "9", "2", "28", `<p class="">7.3 (2 to 27.7)</p>` + "\n" + `<p class="finding warning">The printed figures do not agree with it.</p>`},
		{"66", "1000", "", "", "", `<p class="">7.3 (2 to 27.7)</p>`},
		{"many", "1000", "", "", "", `<p class="quiet">Not computed.`},
		{"1e999999999", "1000", "7", "", "", `<p class="quiet">Not computed.`},
		{"66", "x", "7", "", "", `<p class="quiet">Not computed.`},
	} {
		form := changed(formOf(t, page), "do", "live")
		for name, value := range map[string]string{
			"assumed": c.assumed, "per": c.per, "corresponding": c.corresponding, "lower": c.lower, "upper": c.upper,
		} {
			form.Set("effect.risks.0."+name, value)
		}
		_, now := b.ask(http.MethodPost, at, form, nil)
		if got := slot.FindStringSubmatch(now); got == nil || !strings.HasPrefix(got[1], c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
	form := changed(formOf(t, page), "do", "add effect.risks")
	if _, now := b.ask(http.MethodPost, at, form, nil); !strings.Contains(now, `name="effect.risks.1.assumed"`) {
		t.Error("no row was added")
	}
}
