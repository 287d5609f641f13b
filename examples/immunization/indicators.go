package main

import "slices"

// indicator is a column of the table, and what a statistic of it says. Text in single braces, such
// as {value}, is filled by Stele from the members of each statistic.
type indicator struct {
	Code       string // in IDs and folder names
	Column     string // its name in the header
	Name       string // what titles call it
	Definition string // what is measured, in a sentence
	Summary    string // what one value says
	Unit       unit
	WorldUnit  *unit  // the unit of the world's values, where it differs
	ObsStatus  string // A for counts as they were reported, E for estimates
	Method     string
	Boundary   string // what a value does not reach
	Population string // empty where the table does not say
	Excludes   []string
}

type unit struct{ Code, Label string }

var indicators = []indicator{
	coverage("bcg", "BCG vaccine", "one dose of BCG vaccine", "BCG immunization coverage among 1-year-olds (WHO 2017)"),
	coverage("hepb3", "Hepatitis B vaccine (HepB3)", "three doses of hepatitis B vaccine", "Hepatitis B (HepB3) immunization coverage among 1-year-olds (WHO 2017)"),
	coverage("dtp3", "Diphtheria-tetanus-pertussis vaccine (DTP3)", "three doses of diphtheria-tetanus-pertussis vaccine", "DTP3 immunization coverage among 1-year-olds (WHO 2017)"),
	coverage("pol3", "Polio vaccine (Pol3)", "three doses of polio vaccine", "Polio (Pol3) immunization coverage among 1-year-olds (WHO 2017)"),
	coverage("mcv1", "Measles vaccine (MCV)", "a dose of measles-containing vaccine", "Measles (MCV) immunization coverage among 1-year-olds (WHO 2017)"),
	cases("tetanus-cases", "tetanus", "Number of confirmed tetanus cases (WHO 2017)", "The table does not tell cases in newborns from others."),
	cases("polio-cases", "polio", "Number confirmed polio cases (WHO 2017)", "The table does not say whether cases from vaccine-derived virus are counted."),
	cases("pertussis-cases", "pertussis", "Number of confirmed pertussis cases (WHO 2017)", ""),
	cases("measles-cases", "measles", "Number of confirmed measles cases (WHO 2017)", ""),
	cases("diphtheria-cases", "diphtheria", "Number of confirmed diphtheria cases (WHO 2017)", ""),
	tuberculosisDeathRate,
	tuberculosisDeaths,
}

// coverage is the share of one-year-olds who received a vaccine.
func coverage(code, vaccine, doses, column string) indicator {
	return indicator{
		Code:       code,
		Column:     column,
		Name:       vaccine + " coverage among one-year-olds",
		Definition: "Share of one-year-olds who have received " + doses + ", in per cent.",
		Summary:    "{x_area_name}, {time_period}: an estimated {value} per cent of one-year-olds had received " + doses + ".",
		Unit:       unit{"percent", "per cent of one-year-olds"},
		ObsStatus:  "E",
		Method:     "Estimated by WHO and UNICEF from the coverage that countries report and from surveys.",
		Boundary: "An estimate of who received " + doses + ", not of who is protected. It rests on reports and surveys whose quality differs " +
			"between countries and years, the table gives no uncertainty interval, and an average hides differences within the area.",
		Population: "Children aged one year",
		Excludes:   excluding("Children of other ages", "Differences within the area"),
	}
}

// cases is the number of cases of a disease. A limit is a sentence on what the table leaves open,
// or empty.
func cases(code, disease, column, limit string) indicator {
	if limit != "" {
		limit = " " + limit
	}
	return indicator{
		Code:       code,
		Column:     column,
		Name:       "Confirmed " + disease + " cases",
		Definition: "Number of confirmed cases of " + disease + " in a year, as reported to WHO.",
		Summary:    "{x_area_name}, {time_period}: the number of confirmed " + disease + " cases that were reported is {value}.",
		Unit:       unit{"cases", "reported cases"},
		ObsStatus:  "A",
		Method:     "Counted from the cases that countries report to WHO.",
		Boundary: "Counts the " + disease + " cases that were reported, not all that occurred: how many go unreported differs between countries " +
			"and years. The table calls the cases confirmed and does not say how. A year without a value is not a year without cases." + limit,
		Excludes: excluding("Cases that were not reported"),
	}
}

var tuberculosisDeathRate = indicator{
	Code:       "tb-death-rate",
	Column:     "Estimated deaths due to tuberculosis per 100,000 population, excluding HIV (WHO 2017)",
	Name:       "Tuberculosis deaths per 100,000 people, excluding people with HIV",
	Definition: "Estimated deaths from tuberculosis in a year among people without HIV, per 100,000 people.",
	Summary:    "{x_area_name}, {time_period}: deaths from tuberculosis per 100,000 people, not counting people with HIV, are estimated at {value}.",
	Unit:       unit{"deaths_per_100000", "deaths per 100,000 people"},
	ObsStatus:  "E",
	Method:     tuberculosisMethod,
	Boundary:   tuberculosisBoundary,
	Population: tuberculosisPopulation,
	Excludes:   excluding("Deaths of people with HIV"),
}

// In this series alone the world's values are in thousands: 1400 for 2015, when the regions add up
// to 1,380,000 and the rate of 19 per 100,000 people makes 1.4 million. The digits stay as they
// are, and the unit says it.
var tuberculosisDeaths = indicator{
	Code:       "tb-deaths",
	Column:     "Estimated number of deaths due to tuberculosis, excluding HIV (WHO 2017)",
	Name:       "Tuberculosis deaths, excluding people with HIV",
	Definition: "Estimated number of deaths from tuberculosis in a year among people without HIV.",
	Summary:    "{x_area_name}, {time_period}: deaths from tuberculosis, not counting people with HIV, are estimated at {value} (unit: {unit_label}).",
	Unit:       unit{"deaths", "deaths"},
	WorldUnit:  &unit{"thousand_deaths", "thousand deaths"},
	ObsStatus:  "E",
	Method:     tuberculosisMethod,
	Boundary: tuberculosisBoundary + " The table gives no unit for the world; that its values are in thousands is concluded from those of " +
		"the regions.",
	Population: tuberculosisPopulation,
	Excludes:   excluding("Deaths of people with HIV"),
}

const (
	tuberculosisMethod   = "Estimated by WHO."
	tuberculosisBoundary = "An estimate, not a count of registered deaths, and rounded. It leaves out the deaths of people with HIV, and the table " +
		"gives no uncertainty interval."
	tuberculosisPopulation = "People without HIV"
)

// excluding adds what no series of the table reaches.
func excluding(first ...string) []string {
	return append(first, "Revisions by the source after 2017-07-26", "Changes of borders: each area has one name for all years")
}

// indicatorOf is the index of the indicator that a column holds, or -1.
func indicatorOf(column string) int {
	return slices.IndexFunc(indicators, func(ind indicator) bool { return ind.Column == column })
}
