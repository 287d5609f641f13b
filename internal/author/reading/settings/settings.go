// Package settings has what a publisher says once for a whole service, in stele.yaml.
package settings

import (
	"path"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Settings are what concerns the publisher and not a record.
type Settings struct {
	Title       string       `json:"title" max:"160" doc:"What the service is called."`
	Description string       `json:"description,omitempty" max:"10000" doc:"What it is, in the publisher's words."`
	About       string       `json:"about,omitempty" max:"10000" doc:"How the records are made and who decides, in the publisher's words: the page /how/ begins with it. An empty line begins a paragraph."`
	Keywords    []string     `json:"keywords,omitempty" max:"160" doc:"What the records are about, a word or two each. Catalogues show them."`
	BaseURL     record.URL   `json:"base_url,omitempty" doc:"The address that it is published at, such as https://data.example.org. Left out as long as it is not known: nothing that needs it is published then."`
	Publisher   string       `json:"publisher" max:"500" doc:"Who publishes it."`
	License     string       `json:"license" max:"160" doc:"The SPDX identifier of the licence of the records, such as CC-BY-4.0."`
	Contact     string       `json:"contact" max:"500" doc:"Where to write to: a mail or web address."`
	Language    string       `json:"language" max:"100" doc:"The language of the records as a BCP 47 tag, such as en. The pages' own words are in it too, if there are words in it, else in English."`
	Words       string       `json:"words,omitempty" max:"100" doc:"The language of the pages' own words, where it is not that of the records: one that there are words in."`
	Notice      string       `json:"notice" max:"10000" doc:"What readers must know: for instance that nothing is promised; at most 10,000 characters."`
	AccentColor string       `json:"accent_color,omitempty" doc:"The colour of links and marks on the pages, as six hexadecimal digits in quotation marks, such as \"#0b5c6b\". It must be dark enough to be read on a light page."`
	Logo        string       `json:"logo,omitempty" doc:"The publisher's logo on the pages: an SVG, PNG or WebP file in this folder, such as logo.svg."`
	Style       string       `json:"style,omitempty" doc:"The publisher's own style sheet, which the pages load after theirs: a CSS file in this folder, such as brand.css."`
	ReviewAfter record.Terms `json:"review_after,omitempty" doc:"How long records of a kind may go without being verified again, by the name of the kind: 90 days, 6 weeks, 18 months or 2 years. Kinds that are not named are never due."`
	AxisFrom    record.Terms `json:"axis_from,omitempty" doc:"Where the axis of an indicator's charts begins, by the indicator's code, such as life_expectancy: 40. Charts that are not named here begin at zero; those that do not say so."`
	// GraphStatistics is for those who want the graph whole, whatever it weighs.
	GraphStatistics bool     `json:"graph_statistics,omitempty" doc:"true to give every statistic a node and its edges in the graph. Otherwise those have them that another record names: the entities of indicators and areas stand for the others."`
	Home            []string `json:"home,omitempty" doc:"The parts of the first page, in their order: search, claims, figures, changes, decisions, kinds and data. All of them, in this order, where nothing is said."`
	Calendar        []Plan   `json:"calendar,omitempty" doc:"What is planned to be published, and when. Planned, not promised."`
	TimeZone        string   `json:"time_zone,omitempty" max:"100" doc:"The publisher's time zone by its IANA name, such as Europe/Paris: days begin and embargoes that name a day end by it. UTC if nothing is said."`
	// Suppression makes it an error that small counts can be computed. Nothing of it is published.
	Suppression *Suppression `json:"suppression,omitempty" doc:"Which counts nobody may compute from others."`
	// SigningKeys are told to readers. Which key signs is decided when signing.
	SigningKeys []string `json:"signing_keys,omitempty" doc:"The public keys that releases are signed with, as stele key show prints them. Pages and descriptions name them."`
	// Publish is where stele publish brings releases. Nothing of it is published.
	Publish *Publishing `json:"publish,omitempty" doc:"Where stele publish brings releases to."`
	// Accept are findings that the publisher looked at and lives with.
	Accept []Acceptance `json:"accept,omitempty" doc:"Warnings that were looked at and are accepted, each with a reason."`

	LogoData  string `json:"-"` // what the logo's file holds
	StyleData string `json:"-"` // and the style sheet's
}

// Suppression is which counts are suppressed.
type Suppression struct {
	Threshold int64 `json:"threshold" min:"1" doc:"A suppressed count below it that follows from other figures is an error, as is anything suppressed that is no count. Otherwise it is a warning."`
}

// Below returns the threshold; 0 for none.
func (s *Suppression) Below() float64 {
	if s == nil {
		return 0
	}
	return float64(s.Threshold)
}

// Publishing is where releases are brought to.
type Publishing struct {
	Folder    string     `json:"folder,omitempty" max:"4000" doc:"A folder on this machine, seen from this one, such as ../public."`
	Bucket    string     `json:"bucket,omitempty" max:"4000" doc:"A bucket, such as s3://measles/live."`
	Site      bool       `json:"site,omitempty" doc:"true to bring the files to their public addresses in the bucket, too."`
	Address   record.URL `json:"address,omitempty" doc:"The public address, where the live release is read, and the new one read back."`
	Purge     string     `json:"purge,omitempty" max:"200" doc:"An environment variable, such as $STELE_PURGE, that has a command which tells a cache what changed: it gets the addresses on its standard input, a line for each."`
	Key       string     `json:"key,omitempty" max:"4000" doc:"The file of the private key that signs, seen from this folder, or an environment variable that has the key, such as $STELE_KEY."`
	Witnesses string     `json:"witnesses,omitempty" max:"4000" doc:"A policy file that names the witnesses to ask for cosignatures."`
}

// Acceptance is a finding that the publisher looked at and lives with. Only warnings can be
// accepted, and secrets that are none: errors guard what a release promises.
type Acceptance struct {
	Code   string `json:"code" doc:"The code of the warning, such as SRC03."`
	Record string `json:"record" doc:"The ID of the record, or a pattern such as src-who-*."`
	Reason string `json:"reason" max:"2000" doc:"Why it is accepted, in a sentence."`

	At schema.Pos `json:"-"` // where it stands in the settings
}

// MaxPatterns is how many patterns of IDs can be accepted: each is compared with each warning.
const MaxPatterns = 1000

// IsPattern reports whether it is about more than one record.
func (a *Acceptance) IsPattern() bool { return strings.ContainsAny(a.Record, `*?[\`) }

// ByName reports whether its code is accepted for one record at a time: what is damaged or private
// is looked at each time. A secret among them is an error otherwise.
func (a *Acceptance) ByName() bool {
	switch codes.Code(a.Code) {
	case codes.GarbledText, codes.InvisibleText, codes.SecretText, codes.PersonalText, codes.PrivateAddress:
		return true
	}
	return false
}

// Matches reports whether a finding is one that is accepted.
func (a *Acceptance) Matches(p *schema.Problem) bool {
	if string(p.Code) != a.Code || p.Severity() != codes.Warning && !a.ByName() {
		return false
	}
	ok, err := path.Match(a.Record, p.Record)
	return ok && err == nil
}
