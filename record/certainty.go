package record

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
)

// checkCertainty checks that the label follows from its factors, and that each factor has a reason.
func (e *Evidence) checkCertainty(c *checker) {
	if e.Effect != nil && e.Effect.Size != "" && (e.EvidenceLabel == LabelNotRated || e.EvidenceLabel == "") {
		c.Report(codes.SizeWithoutLabel, "/effect/size", "the size is "+string(e.Effect.Size)+", but the certainty is not rated", "rate the certainty, or delete size")
	}
	b := e.LabelBasis
	if b == nil {
		return
	}
	if isPValue(b.Scheme) {
		c.Report(codes.PValueAsLabel, "/label_basis/scheme", "a p-value says nothing about certainty", "name the scheme by which the certainty was rated, such as GRADE, or set evidence_label to not_rated and delete label_basis")
	}
	for i, f := range b.Factors {
		if f.Why != "" && (!isSentence(f.Why) || sameWords(f.Why, string(f.Factor))) {
			c.Report(codes.ReasonWithoutSentence, "/label_basis/factors/"+strconv.Itoa(i)+"/why", schema.Quote(f.Why)+" is not a reason", "give the reason in a sentence, such as: Only 151 children were studied.")
		}
	}
	if b.Factors != nil && isGRADE(b.Scheme) && e.EvidenceLabel != "" && !c.HasProblemAt("/label_basis/factors") {
		e.checkTotal(c)
	}
}

// checkTotal checks that start, factors and label add up by the rules of GRADE.
func (e *Evidence) checkTotal(c *checker) {
	b, sum, seen := e.LabelBasis, "", map[CertaintyFactor]bool{}
	if b.Start == "" {
		c.Report(codes.LabelNotReached, "/label_basis", "the factors have no start", "add start: in GRADE, it is high for randomized trials and low for observational studies")
		return
	}
	for i, f := range b.Factors {
		at, most := "/label_basis/factors/"+strconv.Itoa(i), int64(2)
		if f.Factor.Raises() && f.Factor != "large_effect" {
			most = 1
		}
		switch {
		case seen[f.Factor]:
			c.Report(codes.LabelNotReached, at+"/factor", string(f.Factor)+" is given twice", "combine the two")
			return
		case f.Levels > most:
			c.Report(codes.LabelNotReached, at+"/levels", "levels is "+itoa(f.Levels)+", but "+string(f.Factor)+" counts for at most "+itoa(most), "write the number of levels that the source gives")
			return
		case f.Levels != 0 && f.Factor.Raises():
			sum += " + " + itoa(f.Levels)
		case f.Levels != 0:
			sum += " − " + itoa(f.Levels)
		}
		seen[f.Factor] = true
	}
	if reached := b.Reached(); reached != e.EvidenceLabel {
		c.Report(codes.LabelNotReached, "/evidence_label", "evidence_label is "+string(e.EvidenceLabel)+", but "+string(b.Start)+sum+" is "+string(reached), "correct the label, start or factors; if the source gives them like this, accept the warning")
	}
}

// Reached returns the label that Start and Factors lead to: no lower than very_low, no higher than
// high. Without a start it is not_rated.
func (b *LabelBasis) Reached() EvidenceLabel {
	at := int64(slices.Index(labelsByStrength, EvidenceLabel(b.Start)))
	if at <= 0 {
		return LabelNotRated
	}
	for _, f := range b.Factors {
		if levels := min(f.Levels, 4); f.Factor.Raises() {
			at += levels
		} else {
			at -= levels
		}
	}
	return labelsByStrength[max(1, min(at, int64(len(labelsByStrength)-1)))]
}

// Limit returns the first of the factors that lower the label most, or nil if none lowers it.
func (b *LabelBasis) Limit() *LabelFactor {
	var limit *LabelFactor
	for i, f := range b.Factors {
		if !f.Factor.Raises() && f.Levels > 0 && (limit == nil || f.Levels > limit.Levels) {
			limit = &b.Factors[i]
		}
	}
	return limit
}

// LimitedBy describes the factor that lowers the label most or, without such a factor, the start.
// It returns "" if b is nil or has neither.
func (b *LabelBasis) LimitedBy() string {
	if b == nil {
		return ""
	}
	if f := b.Limit(); f != nil {
		return strings.ReplaceAll(string(f.Factor), "_", " ") + " " + f.SignedLevels() + ": " + f.Why
	}
	if b.Start == "" || string(b.Start) == string(LabelHigh) {
		return ""
	}
	return "start " + strings.ReplaceAll(string(b.Start), "_", " ")
}

// SignedLevels returns the levels with a sign: −1, +2 or 0.
func (f LabelFactor) SignedLevels() string {
	switch {
	case f.Levels == 0:
		return "0"
	case f.Factor.Raises():
		return "+" + itoa(f.Levels)
	}
	return "−" + itoa(f.Levels)
}

// Reasons returns the factors in one line, such as "imprecision −1: few events".
func (b *LabelBasis) Reasons() string {
	var list []string
	for _, f := range b.Factors {
		list = append(list, string(f.Factor)+" "+f.SignedLevels()+": "+f.Why)
	}
	return strings.Join(list, " | ")
}

// isGRADE reports whether the scheme is GRADE, possibly with an edition, and not one of the schemes
// that are named after it.
func isGRADE(scheme string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(scheme), " ")
	return strings.EqualFold(name, "GRADE")
}

// isPValue reports whether a scheme is a p-value or a statistical test.
func isPValue(scheme string) bool {
	letters := strings.FieldsFunc(strings.ToLower(scheme), func(r rune) bool { return !unicode.IsLetter(r) })
	words := strings.Join(letters, " ")
	return words == "p" || strings.HasPrefix(words, "p value") || strings.Contains(words, "significan")
}

// isSentence reports whether a text has three words, or is in a script without spaces.
func isSentence(s string) bool {
	words := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return len(words) >= 3 || len(s) > 15 && len(s) > 2*utf8.RuneCountInString(s)
}

// checkRisks checks the measure and the absolute effects.
func (x *EffectSize) checkRisks(c *checker) {
	spelled := (&EffectSize{Measure: x.Measure}).Code()
	if x.MeasureCode != "" && spelled != "" && spelled != x.MeasureCode {
		c.Report(codes.MeasureMismatch, "/effect/measure_code", "measure_code is "+string(x.MeasureCode)+", but measure is "+schema.Quote(x.Measure), "set measure_code to "+string(spelled)+", or correct measure")
		return
	}
	measure := x.Code()
	if len(x.Risks) > 0 && (measure == MeasureMD || measure == MeasureSMD) {
		c.Report(codes.MeasureMismatch, "/effect/risks", "the effect is a difference of means, which has no risks", "delete the member risks, or correct measure")
		return
	}
	for i, r := range x.Risks {
		at := "/effect/risks/" + strconv.Itoa(i)
		all := Number(itoa(r.Per))
		if measure != MeasureRateRatio && measure != "" && r.Per > 0 && Number(r.Assumed).Compare(all) > 0 {
			c.Report(codes.MeasureMismatch, at+"/assumed", "the assumed risk is "+string(r.Assumed)+" per "+itoa(r.Per)+", which only a rate can be", "correct the member assumed, per or measure")
			continue
		}
		if r.Lower != "" && r.Upper != "" && Number(r.Lower).Compare(Number(r.Upper)) > 0 {
			c.Report(codes.EffectNotReached, at+"/lower", "lower "+string(r.Lower)+" is above upper "+string(r.Upper), "swap the two")
			continue
		}
		for _, f := range [...]struct {
			name    string
			printed Figure
			effect  Number
		}{{"corresponding", r.Corresponding, x.Value}, {"lower", r.Lower, x.Lower}, {"upper", r.Upper, x.Upper}} {
			x.checkFigure(c, &r, at+"/"+f.name, f.printed, f.effect)
		}
	}
}

// checkFigure reports a printed figure that cannot follow from the assumed risk and the effect,
// regardless of rounding.
func (x *EffectSize) checkFigure(c *checker, r *Risk, at string, printed Figure, effect Number) {
	measure := x.Code()
	low, high, ok := riskBounds(measure, string(r.Assumed), string(effect), r.Per)
	if printed == "" || !ok || canRoundTo(string(printed), low, high) {
		return
	}
	of := string(r.Assumed) + " per " + itoa(r.Per) + " × " + string(effect)
	if measure == MeasureOR {
		of = string(r.Assumed) + " per " + itoa(r.Per) + " with an odds ratio of " + string(effect)
	}
	decimals := decimalsOf(string(printed)) + 1
	between := low.FloatString(decimals) + " to " + high.FloatString(decimals)
	c.Report(codes.EffectNotReached, at, string(printed)+" per "+itoa(r.Per)+" is printed, but "+of+" is "+between+", regardless of rounding", "compare the assumed risk, the effect and this figure with the source; if it prints them like this, accept the warning")
}
