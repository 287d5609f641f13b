// Package settings defines stele.yaml, the publisher's settings for the whole service.
package settings

import (
	"path"
	"strings"

	"stele/internal/base/schema"
	"stele/internal/base/schema/codes"
	"stele/record"
)

// Settings are the contents of stele.yaml.
type Settings struct {
	Title       string       `json:"title" max:"160" doc:"The name of the service."`
	Description string       `json:"description,omitempty" max:"10000" doc:"A description of the service."`
	About       string       `json:"about,omitempty" max:"10000" doc:"How the records are made and who decides. The page /how/ begins with this text. An empty line starts a paragraph."`
	Keywords    []string     `json:"keywords,omitempty" max:"160" doc:"Subjects of the records, one or two words each, for catalogues."`
	BaseURL     record.URL   `json:"base_url,omitempty" doc:"The URL of the service, such as https://data.example.org. Omit it until it is known; releases then omit everything that needs it."`
	Publisher   string       `json:"publisher" max:"500" doc:"The name of the publisher."`
	License     string       `json:"license" max:"160" doc:"The SPDX identifier of the records' licence, such as CC-BY-4.0."`
	Contact     string       `json:"contact" max:"500" doc:"The contact for readers: an email or web address."`
	Language    string       `json:"language" max:"100" doc:"The language of the records as a BCP 47 tag, such as en. The interface text of the pages is in the same language if there is a translation, otherwise in English."`
	Words       string       `json:"words,omitempty" max:"100" doc:"The language of the pages' interface text, if it differs from that of the records."`
	Notice      string       `json:"notice" max:"10000" doc:"A notice that readers must see, for example that nothing is promised; at most 10,000 characters."`
	AccentColor string       `json:"accent_color,omitempty" doc:"The colour of links and marks on the pages, as six hexadecimal digits in quotation marks, such as \"#0b5c6b\". It must be dark enough to be read on a light page."`
	Logo        string       `json:"logo,omitempty" doc:"The publisher's logo on the pages: an SVG, PNG or WebP file in this folder, such as logo.svg."`
	Style       string       `json:"style,omitempty" doc:"An additional style sheet for the pages: a CSS file in this folder, such as brand.css."`
	ReviewAfter record.Terms `json:"review_after,omitempty" doc:"The time after which records must be verified again, by kind, such as 90 days, 6 weeks, 18 months or 2 years. Other kinds are never due."`
	AxisFrom    record.Terms `json:"axis_from,omitempty" doc:"The value at which the axis of an indicator's charts begins, by indicator code, such as life_expectancy: 40. Other axes begin at zero. Charts whose axis does not begin at zero say so."`
	// GraphStatistics is for publishers who want the complete graph, whatever its size.
	GraphStatistics bool     `json:"graph_statistics,omitempty" doc:"true to add every statistic to the graph. Otherwise only statistics that another record refers to are added, and the entities of indicators and areas represent the others."`
	Home            []string `json:"home,omitempty" doc:"The parts of the first page, in their order: search, claims, figures, changes, decisions, kinds and data. The default is all of them, in this order."`
	Calendar        []Plan   `json:"calendar,omitempty" doc:"Planned publications with their dates. Plans are not promises."`
	TimeZone        string   `json:"time_zone,omitempty" max:"100" doc:"The publisher's time zone by its IANA name, such as Europe/Paris: it decides when days begin and embargoes end. The default is UTC."`
	// Suppression makes it an error if small counts can be computed. It is never published.
	Suppression *Suppression `json:"suppression,omitempty" doc:"Which counts must not be computable from others."`
	// Areas are decoded with the names of the schemes.
	Areas AreaSchemes `json:"areas,omitempty" doc:"The publisher's schemes of areas, by the name that statistics have in ref_area_scheme, each with its tables."`
	// SigningKeys are published for readers. The signing key is chosen when a release is signed.
	SigningKeys []string `json:"signing_keys,omitempty" doc:"The public keys of signed releases, as stele key show prints them. Pages and descriptions name them."`
	// Publish names the destinations of stele publish. It is never published.
	Publish *Publishing `json:"publish,omitempty" doc:"The destinations of stele publish."`
	// Accept are problems that the publisher examined and accepts.
	Accept []Acceptance `json:"accept,omitempty" doc:"Accepted warnings, each with a reason."`

	// AreaDigests are the digests of the published tables of areas, by scheme.
	AreaDigests record.Terms `json:"-"`

	LogoData  string `json:"-"` // contents of the logo's file
	StyleData string `json:"-"` // contents of the style sheet's file
}

// Suppression says which counts are suppressed.
type Suppression struct {
	Threshold int64 `json:"threshold" min:"1" doc:"If a suppressed count below the threshold, or a suppressed value that is not a count, can be computed from other figures, it is an error. Otherwise it is a warning."`
}

// ThresholdValue returns the threshold, or 0.
func (s *Suppression) ThresholdValue() float64 {
	if s == nil {
		return 0
	}
	return float64(s.Threshold)
}

// Publishing names the destinations of releases.
type Publishing struct {
	Folder    string     `json:"folder,omitempty" max:"4000" doc:"A folder on this machine, relative to this folder, such as ../public."`
	Bucket    string     `json:"bucket,omitempty" max:"4000" doc:"A bucket, such as s3://measles/live."`
	Site      bool       `json:"site,omitempty" doc:"true to write the files to their public URLs in the bucket, too."`
	Address   record.URL `json:"address,omitempty" doc:"The public URL of the releases. The live release is read from it, and the new release is checked there."`
	Purge     string     `json:"purge,omitempty" max:"200" doc:"An environment variable, such as $STELE_PURGE, that contains a command which purges a cache. The command gets the changed URLs on its standard input, one per line."`
	Key       string     `json:"key,omitempty" max:"4000" doc:"The file of the private signing key, relative to this folder, or an environment variable that contains the key, such as $STELE_KEY."`
	Witnesses string     `json:"witnesses,omitempty" max:"4000" doc:"A policy file that names the witnesses to ask for cosignatures."`
}

// Acceptance is a problem that the publisher examined and accepts. Only warnings can be accepted,
// and secrets that are false alarms. Errors protect the promises of a release.
type Acceptance struct {
	Code   string `json:"code" doc:"The code of the warning, such as SRC03."`
	Record string `json:"record" doc:"The ID of the record, or a pattern such as src-who-*."`
	Reason string `json:"reason" max:"2000" doc:"The reason, in a sentence."`

	At schema.Pos `json:"-"` // position in the settings
}

// MaxPatterns is the maximum number of accepted ID patterns, because each is compared with each
// warning.
const MaxPatterns = 1000

// IsPattern reports whether the acceptance can match several records.
func (a *Acceptance) IsPattern() bool { return strings.ContainsAny(a.Record, `*?[\`) }

// NeedsEachRecord reports whether the code must be accepted for each record by itself. Damaged or
// private content must be examined each time.
func (a *Acceptance) NeedsEachRecord() bool {
	switch codes.Code(a.Code) {
	case codes.GarbledText, codes.InvisibleText, codes.SecretText, codes.PersonalText, codes.PrivateAddress:
		return true
	}
	return false
}

// Matches reports whether a accepts problem p.
func (a *Acceptance) Matches(p *schema.Problem) bool {
	if string(p.Code) != a.Code || p.Severity() != codes.Warning && !a.NeedsEachRecord() {
		return false
	}
	ok, err := path.Match(a.Record, p.Record)
	return ok && err == nil
}
