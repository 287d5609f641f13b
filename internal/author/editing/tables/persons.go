package tables

import (
	"regexp"
	"slices"
	"strings"

	"stele/internal/base/schema/codes"
)

// ofPersons matches headings of columns about individual people, in some languages.
var ofPersons = regexp.MustCompile(`(?i)(^|[^\pL])(` + strings.Join([]string{
	`patients?([ _-]*(name|id|no|nr|number))?`, `(first|last|given|family|middle|full|maiden)[ _-]*names?`, `forenames?`, `surnames?`,
	`(date|day|place)[ _-]*of[ _-]*birth`, `birth[ _-]*(date|day)s?`, `d\.?o\.?b\.?`, `(nhs|ssn|mrn|chi|hospital|medical record|record|case|passport|insurance)[ _-]*(no|nr|id|numbers?)\.?`,
	`ssn|mrn|nhs`, `social security.*`, `e-?mails?([ _-]*address)?`, `(tele)?phone([ _-]*(no|number))?`, `mobile`, `(home|street|postal)[ _-]*address`,
	`nachname|vorname|familienname|geburtsdatum|geburtstag|geb\.?[ _-]*datum|versichertennummer`, `nom de famille|prénoms?|date de naissance|numéro de dossier`,
	`\pL*姓名|身份证\S*|\S*卡号\S*|\S*账号\S*|手机\S*|电话\S*|出生日期|病历号`, `фамилия|фио|дата рождения|телефон|паспорт`,
	`apellidos?|fecha de nacimiento|número de historia( clínica)?|historia clínica`, `الاسم الأول|تاريخ الميلاد|رقم المريض`,
}, "|") + `)($|[^\pL])`)

// countsThem matches headings of columns that count people and do not name them.
var countsThem = regexp.MustCompile(`(?i)(numbers? of|no\.? of|count|total|per |rate|share|proportion|percent|%|average|mean|median|days|anzahl|nombre de|número de pacientes|cases)`)

// IsAboutPersons reports whether the heading of a column says that each cell is about a person.
func IsAboutPersons(head string) bool {
	return ofPersons.MatchString(head) && !countsThem.MatchString(head)
}

func (c *converter) refusePersonColumns() error {
	for i, name := range c.names {
		if c.taken[name] && IsAboutPersons(name) && !slices.Contains(c.values, i) {
			return say("person column", string(codes.PersonalText), name)
		}
	}
	return nil
}

// contacts matches headings of contact details, which may belong to an office.
var contacts = regexp.MustCompile(`(?i)mail|phone|mobile|address`)

// isOnePersonPerRow reports whether each row seems to be one person: c, a column about people,
// differs in every row, or all figures are one.
func (c *column) isOnePersonPerRow(figures []*column) bool {
	ones := func(f *column) bool {
		for text, w := range f.known {
			if text != "1" && text != "0" && !w.missing {
				return false
			}
		}
		return f.filled > f.missing
	}
	differ := c.filled > 1 && (c.many || len(c.known) == c.filled) && !contacts.MatchString(c.name)
	return differ || len(figures) > 0 && !slices.ContainsFunc(figures, func(f *column) bool { return !ones(f) })
}

func personColumnError(head string) error {
	return say("person rows", string(codes.PersonalText), head)
}

func (p *proposal) refusePersons() error {
	for _, c := range p.columns {
		if IsAboutPersons(c.name) && c.isOnePersonPerRow(p.values) {
			return personColumnError(c.name)
		}
	}
	return nil
}

// isOnePersonPerRow reports whether each row seems to be a person: all figures are counts of one,
// by age, sex or place.
func (p *proposal) isOnePersonPerRow() bool {
	if p.rows < 3 || len(p.values) == 0 || !slices.ContainsFunc(p.columns, func(c *column) bool {
		return dividers.MatchString(c.name) || partOfDay.MatchString(c.name) || someone.MatchString(c.name)
	}) {
		return false
	}
	ones := 0
	for _, c := range p.values {
		for text, w := range c.known {
			if text != "1" && text != "0" && text != "2" && !w.missing {
				return false
			}
			if text == "1" {
				ones += w.count
			}
		}
	}
	return ones*2 > p.rows
}
