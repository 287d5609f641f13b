package tables_test

import (
	"slices"
	"strings"
	"testing"

	"stele/internal/author/editing/tables"
)

// TestReadings: a text that can be read in two ways is a question, unless the file shows which way
// is meant; and an answer settles it.
func TestReadings(t *testing.T) {
	const years = "Country,Year,Deaths\n"
	for name, test := range map[string]struct {
		table   string
		asks    string // the IDs of the questions, and none if nothing is asked
		answers string // as ID=value, separated by bars
		want    string // part of what is imported with the answers, or of the error
	}{
		"English groups between semicolons":   {"Country;Year;A\nFrance;2019;1,234\nItaly;2019;12,345\nSpain;2019;987\n", "numbers", "numbers=.", "ITA,2019,12345,Italy"},
		"as decimals":                         {"Country;Year;A\nFrance;2019;1,234\nItaly;2019;12,345\nSpain;2019;987\n", "numbers", "numbers=,", "ITA,2019,12.345,Italy"},
		"a cell that only one reads":          {"Country;Year;A\nFrance;2019;1,234\nItaly;2019;12,3\n", "", "", "FRA,2019,1.234,France"},
		"a column that only one reads":        {"Country;Year;A;B\nFrance;2019;1,234;0.5\nItaly;2019;12,345;0.7\n", "", "", "ITA,2019,12345,Italy"},
		"three decimals between commas":       {"Country,Year,A\nFrance,2019,1.234\nItaly,2019,12.345\n", "numbers", "numbers=.", "ITA,2019,12.345,Italy"},
		"lakhs":                               {"Country,Year,A\nIndia,2019,\"1,23,456\"\nNepal,2019,\"12,345\"\n", "", "", "NPL,2019,12345,Nepal"},
		"a mark and a target in headings":     {"Country,2021,2022p,2023 (target)\nFrance,1,2,95\nItaly,4,5,96\n", "mark (target)|mark p", "mark p=obs_status=P|mark (target)=omit", "ITA,2022,5,P,Italy"},
		"a mark that a note explains":         {years + "France,2020,7p\nItaly,2020,8\n\np = provisional\n", "", "", "FRA,2020,7,P,France"},
		"another table below":                 {"Country,Year,Cases\nFrance,2019,5\n,,\nCountry,Year,Deaths\nFrance,2019,1\n", "second table", "second table=first", "FRA,2019,5,France\n"},
		"the same heading again":              {years + "France,2019,5\n" + years + "Italy,2019,6\n", "", "", "ITA,2019,6,Italy"},
		"names of persons":                    {"Country,Year,Cases,Reported by\nFrance,2019,5,Dr Jane Roe\nItaly,2019,6,Mario Rossi\n", "column Reported by", "column Reported by=ignore", "ITA,2019,6,Italy\n"},
		"a row for each person":               {"Country,Year,Village,Age,Sex,HIV cases\nChad,2020,Aba,34,f,1\nChad,2020,Abo,12,m,1\nChad,2020,Abu,51,f,1\n", "column Village|persons", "", "open questions"},
		"per cent as a fraction":              {"Country,Year,Coverage (%)\nFrance,2019,0.95\nItaly,2019,0.931\n", "per cent", "per cent=fraction", "ITA,2019,93.1,Italy"},
		"per cent as it is":                   {"Country,Year,Coverage (%)\nFrance,2019,0.95\nItaly,2019,1.2\n", "", "", "FRA,2019,0.95,France"},
		"NA among names":                      {years + "Norway,2020,5\nSweden,2020,6\nNA,2020,7\n", "area NA", "area NA=none", "SWE,2020,6,Sweden\n"},
		"NA in two columns of figures":        {"Date,A,B,C\n2019,NA,NA,5\n2020,NA,NA,6\n", "area", "area=FRA", "2020,6"},
		"figures in thousands":                {"REF_AREA,TIME_PERIOD,UNIT_MULT,A\nFRA,2019,3,5\nITA,2019,3,6\n", "column UNIT_MULT", "column UNIT_MULT=ignore", "ITA,2019,6"},
		"the same unit in all rows":           {"Country,Year,Unit,A\nFrance,2019,persons,5\nItaly,2019,persons,6\n", "", "", "ITA,2019,6,persons,Italy"},
		"NA beside Namibia":                   {"ISO,Country,Year,A\nNA,Namibia,2020,5\nNO,Norway,2020,6\n", "", "", "NAM,2020,5"},
		"codes of states":                     {"State,Year,A\nCA,2020,5\nDE,2020,6\nNY,2020,7\n", "areas|unknown areas", "areas=own", "entity,ent-ca,2020,5"},
		"a code and a name that disagree":     {"ISO,Country,Year,A\nITA,Spain,2019,5\nFRA,France,2019,6\n", "areas differ", "", "open questions"},
		"a former state too late":             {"ISO,Year,A\nSUN,1995,5\nFRA,1995,6\n", "", "", "SUN is the code of a state that existed from 1922 to 1991"},
		"a former state":                      {"ISO,Year,A\nSUN,1985,5\nFRA,1985,6\n", "", "", "SUN,1985,5"},
		"financial years":                     {years + "India,2008-09,5\nIndia,2009-10,6\nIndia,2010-11,7\n", "period", "period=financial years from 04-01", "IND,2009-04-01/P1Y,6"},
		"or months":                           {years + "India,2008-09,5\nIndia,2009-10,6\n", "period", "period=months", "IND,2009-10,6"},
		"the heading shows the day":           {"Country,Financial year (April–March),A\nIndia,2008-09,5\nIndia,2009-10,6\n", "", "", "IND,2009-04-01/P1Y,6"},
		"a day before the month":              {"Country,Date,A\nIndia,03/04/2025,5\nIndia,05/06/2025,6\n", "period", "period=days day-month-year", "IND,2025-04-03,5"},
		"months in words":                     {"Pays,Mois,A\nFrance,janvier 2025,5\nFrance,août 2025,6\n", "", "", "FRA,2025-08,6"},
		"a short row":                         {"Country,Year,Births,Deaths\nNorway,2020,7,8\nSweden,2020,9\n", "short rows", "", "open questions"},
		"a row that was cut":                  {"Country,Year,Births,Deaths\nNorway,2020,7,8\nSweden,2020,9\n", "short rows", "short rows=cut", "SWE,2020,9,Sweden"},
		"empty cells below a country":         {"Country,Year,A\nFrance,2019,1\n,2020,2\nItaly,2019,3\n,2020,4\n", "fill", "fill=same", "ITA,2020,4"},
		"years that may be deaths":            {"Country,Deaths,Year\nFrance,1999,2019\nItaly,2005,2019\n", "", "", "FRA,2019,1999"},
		"Cyrillic":                            {"Страна;Год;Пол;Случаи\nФранция;2019;мужчины;5\nФранция;2019;женщины;6\n", "", "", "FRA,2019,6,женщины"},
		"Arabic":                              {"الدولة,السنة,الوفيات\nفرنسا,2019,5\nإيطاليا,2019,6\n", "", "", "ITA,2019,6"},
		"Chinese":                             {"国家,年份,性别,死亡\n法国,2019,男,5\n法国,2019,女,6\n", "", "", "FRA,2019,6,女"},
		"years below two indicators":          {",Cases,,Deaths,\nCountry,2019,2020,2019,2020\nFrance,1,2,3,4\nItaly,5,6,7,8\n", "", "", "deaths/values.csv:\nref_area_scheme,ref_area,time_period,value,x_area_name\niso3166,FRA,2019,3,France"},
		"two columns with one name":           {"Country,Year,A,A\nFrance,2019,1,2\nItaly,2019,3,4\n", "column A (column 4)", "column A (column 4)=figures", "a-column-4/values.csv"},
		"a heading with more":                 {"Country,Year,Coverage (target)\nFrance,2019,1\nItaly,2019,3\n", "heading target", "heading target=name", "ITA,2019,3"},
		"figures without a heading":           {"Country,Year,A,\nFrance,2019,1,2\nItaly,2019,3,5\n", "column column 4", "column column 4=ignore", "ITA,2019,3"},
		"a row that is longer":                {"Country,Year,A,B\nFrance,2019,1,2\nItaly,2019,9,3,\n", "long rows", "", "open questions"},
		"bounds below each year":              {"Country,2019,,,2020,,\n,Rate,Lower,Upper,Rate,Lower,Upper\nFrance,5,4,6,7,6,8\nItaly,9,8,10,11,10,12\n", "", "", "FRA,2020,7,6,8,France"},
		"bounds above the years":              {"Country,Rate,,Lower,,Upper,\n,2019,2020,2019,2020,2019,2020\nFrance,5,7,4,6,6,8\nItaly,9,11,8,10,10,12\n", "", "", "FRA,2020,7,6,8,France"},
		"bounds in the names of years":        {"Country,2019,2019 lower,2019 upper,2020,2020 lower,2020 upper\nFrance,5,4,6,7,6,8\nItaly,9,8,10,11,10,12\n", "", "", "FRA,2020,7,6,8,France"},
		"bounds of two indicators":            {"Country,A 2019,A 2019 (low),A 2019 (high),B 2019,B 2019 (low),B 2019 (high)\nFrance,5,4,6,7,6,8\nItaly,9,8,10,11,10,12\n", "", "", "b/values.csv:\nref_area_scheme,ref_area,time_period,value,lower,upper,x_area_name\niso3166,FRA,2019,7,6,8,France"},
		"bounds by sex":                       {"Country,Year,Male,,,Female,,\n,,Rate,Lower,Upper,Rate,Lower,Upper\nFrance,2019,5,4,6,7,6,8\nItaly,2019,9,8,10,11,10,12\n", "", "", "FRA,2019,7,6,8,Female,France"},
		"lower bounds alone":                  {"Country,Year,Rate,Lower\nFrance,2019,5,4\nItaly,2019,6,5\n", "column Lower", "column Lower=ignore", "ITA,2019,6,Italy"},
		"a state called as a country":         {"State,Year,Cases\nAlabama,2019,5\nGeorgia,2019,6\nTexas,2019,7\n", "areas|unknown areas", "areas=own|unknown areas=own", "entity,ent-georgia,2019,6"},
		"headings of sections":                {"Country,2019,2020\nCases,,\nFrance,5,6\nItaly,7,8\nDeaths,,\nSpain,1,2\nFrance,3,4\n", "sections", "sections=rows", "FRA,2020,4,Deaths,France"},
		"sections that are years":             {"Country,Sex,Cases\n2019,,\nFrance,Male,5\n2020,,\nFrance,Male,7\n", "sections|time", "sections=rows", "FRA,2020,7,France"},
		"sections that are nothing":           {"Country,Year,A\ncontinued,,\nFrance,2019,5\nItaly,2019,6\n", "sections", "sections=nothing", "ITA,2019,6,Italy"},
		"regions above their countries":       {"Country,Year,A\nEurope,,\nFrance,2019,5\nItaly,2019,6\n", "", "", "ITA,2019,6,Italy"},
		"regions beside their countries":      {"Region,Country,Year,A\nEurope,France,2019,5\nEurope,Italy,2019,6\nAfrica,Chad,2019,7\nAfrica,Mali,2019,7\n", "", "", "ITA,2019,6,Europe,Italy"},
		"a year and a month":                  {"Country,Year,Month,A\nFrance,2019,1,5\nFrance,2019,12,6\nFrance,2019,Total,11\n", "", "", "FRA,2019-12,6"},
		"a year and a month in words":         {"Pays,Année,Mois,A\nFrance,2019,août,5\nFrance,2019,sept.,6\n", "", "", "FRA,2019-09,6"},
		"a year and a quarter":                {"Country,Year,Quarter,A\nFrance,2019,Q1,5\n,,Q2,6\nItaly,2019,Q1,7\n", "fill", "fill=same", "FRA,2019-Q2,6"},
		"a year and a week":                   {"Country,Year,Week,A\nFrance,2019,1,5\nFrance,2019,52,6\n", "", "", "FRA,2019-W52,6"},
		"ages in months":                      {"Country,Year,Age in months,A\nFrance,2019,1,5\nFrance,2019,12,6\n", "", "", "FRA,2019,6,12,France"},
		"months in headings":                  {"Country,Year,Jan,Feb,Mar,Total\nFrance,2019,1,2,3,6\nItaly,2019,4,5,6,15\n", "", "", "ITA,2019-03,6,Italy\n"},
		"Arabic digits":                       {"الدولة,السنة,الوفيات\nفرنسا,٢٠١٩,٥\nإيطاليا,٢٠١٩,١٢٫٥\n", "", "", "ITA,2019,12.5"},
		"a dash that is zero":                 {"Country,Year,A\nFrance,2019,-\nItaly,2019,6\n- = nil\n", "", "", "FRA,2019,0,France"},
		"a dash that may be zero":             {"Country,Year,A\nFrance,2019,–\nItaly,2019,6\n– zero or less than half of the unit\n", "mark –", "mark –=missing", "value,x_area_name\niso3166,ITA,2019,6,Italy"},
		"an empty dimension":                  {"Country,Year,Ward,A\nFrance,2019,North,5\nFrance,2020,,6\nFrance,2020,South,6\nItaly,2019,South,6\n", "fill", "fill=same", "FRA,2020,6,North,France"},
		"NZ.Stat":                             {"Dataset: Population,,,,\nYear,,,2018,2019\nArea,Sex,,,\nFrance,Male,,10,11\n,Female,,12,13\nItaly,Male,,14,15\n,Female,,16,17\ndata extracted on 19 Nov 2026 from NZ.Stat,,,,\n", "fill", "fill=same", "dimensions.sex,x_area_name\niso3166,FRA,2018,10,Male,France\niso3166,FRA,2019,11,Male,France\niso3166,FRA,2018,12,Female"},
		"PxWeb":                               {"Population by region sex and year,,,\n,,,\n,,2019,2020\n0180 Stockholm,men,100,101\n,women,110,111\n1480 Göteborg,men,200,201\n,women,210,211\n,,,\nFootnote: refers to 31 December,,,\nLatest update:,,,\n20240101 08:00,,,\nSource:,,,\n", "area|fill", "area=column 1|fill=same|unknown areas=own", "dimensions.sex,x_area_name\nentity,ent-0180-stockholm,2019,100,men,0180 Stockholm\nentity,ent-0180-stockholm,2020,101,men,0180 Stockholm\nentity,ent-0180-stockholm,2019,110,women"},
		"PxWeb in one row for each figure":    {"\"region\",\"sex\",\"year\",\"Live births\"\n\"0180 Stockholm\",\"men\",\"2019\",100\n\"0180 Stockholm\",\"women\",\"2019\",110\n", "unknown areas", "unknown areas=own", "entity,ent-0180-stockholm,2019,110,women"},
		"a fiscal year by its number":         {"Country,Fiscal year,A\nIndia,2019,5\nIndia,2020,6\n", "period", "period=financial years to 03-31", "IND,2018-04-01/P1Y,5"},
		"a fiscal year that is a year":        {"Country,Fiscal year,A\nIndia,2019,5\nIndia,2020,6\n", "period", "period=years", "IND,2019,5"},
		"ages that became dates":              {"Country,Year,Age,A\nFrance,2019,0-4,1\nFrance,2019,05-Sep,2\n", "dates in Age", "", "open questions"},
		"numbers of rows":                     {"No.,Country,2019,2020\n1,France,5,6\n2,Italy,7,8\n", "", "", "ITA,2020,8,Italy"},
		"two columns of countries":            {"Country,Country of birth,Year,A\nFrance,Italy,2019,5\nFrance,Spain,2019,6\n", "areas differ", "areas differ=dimension", "FRA,2019,6,Spain,France"},
		"sexes as digits":                     {"Country,Year,Sex,A\nFrance,2019,1,5\nFrance,2019,2,6\n", "", "", "FRA,2019,6,2,France"},
		"months beside years in headings":     {"Country,Month,2019,2020\nFrance,January,5,6\nFrance,May,7,8\n", "", "", "FRA,2020-05,8,France"},
		"wide digits":                         {"国家,年份,死亡\n法国,２０１９,５\n意大利,２０１９,１２.５\n", "", "", "ITA,2019,12.5"},
		"months beside a measure in headings": {"Country,Cases Jan 2019,Cases Feb 2019\nFrance,1,2\nItaly,4,5\n", "", "", "ITA,2019-02,5"},
		"years that end with a month":         {"Country,Year ended March 2019,Year ended March 2020\nFrance,1,2\n", "", "", "FRA,2019-04-01/P1Y,2"},
		"half-years by their months":          {"Country,Jan-Jun 2019,Jul-Dec 2019\nFrance,1,2\n", "", "", "FRA,2019-07-01/P6M,2"},
		"quarters below years":                {"Country,2019,,,2020,,\n,Q1,Q2,Total,Q1,Q2,Total\nFrance,1,2,3,5,6,11\nItaly,9,10,19,13,14,27\n", "", "", "ITA,2020-Q2,14"},
		"months below years":                  {"Country,2019,,2020,\n,Jan,Feb,Jan,Feb\nFrance,1,2,4,5\n", "", "", "FRA,2020-02,5"},
		"days with midnight":                  {"Country,Date,A\nFrance,2020-01-04T00:00:00.000,5\nItaly,2020-01-11T00:00:00.000,6\n", "", "", "ITA,2020-01-11,6"},
		"years in two columns":                {"COU,YEA,Year,Value,Flag Codes\nFRA,2019,2019,85,\nFRA,2020,2020,86,P\n", "name Value", "name Value=A", "FRA,2020,86,P,FRA"},
		"bounds in one row of headings":       {"Country,2019,Lower,Upper,2020,Lower,Upper\nFrance,5,4,6,7,6,8\nItaly,9,8,10,11,10,12\n", "", "", "FRA,2020,7,6,8,France"},
		"flags after each year":               {"Country,2019,Flag,2020,Flag\nFrance,5,p,6,\nItaly,7,,8,e\n", "column 2019 / Flag|column 2020 / Flag", "column 2019 / Flag=ignore|column 2020 / Flag=ignore", "ITA,2020,8,Italy"},
		"areas of one letter":                 {"Region,2019,2020\nA,1,2\nB,3,4\n", "unknown areas", "unknown areas=own", "entity,ent-a,2020,2,A"},
		"figures like months":                 {"Country,Year,A\nFrance,2019,1.2019\nItaly,2019,2.1990\n", "", "", "ITA,2019,2.1990"},
		"numbers of columns":                  {"Country,Year,Cases,Deaths\n1,2,3,4\nFrance,2019,5,6\n", "", "", "FRA,2019,6,France"},
		"a row of units":                      {"Country,Year,Cases,Incidence\n,number,number,per 100 000\nFrance,2019,5,6.5\n", "", "", "incidence/values.csv:\nref_area_scheme,ref_area,time_period,value,x_area_name\niso3166,FRA,2019,6.5"},
		"countries in headings":               {"Year,France,Italy,Spain\n2019,5,6,7\n2020,8,9,10\n", "", "", "ITA,2020,9"},
		"countries with signs":                {"Country,2019,2020\nFrance*,5,6\nItaly (a),9,10\n* overseas too\n", "marked areas", "marked areas=yes", "ITA,2020,10,Italy (a)"},
		"counts and shares":                   {"Country,Year,Cases n (%)\nFrance,2019,12 (3.4)\nItaly,2019,15 (4)\n", "mark 12 (3)", "mark 12 (3)=nothing", "ITA,2019,15,Italy"},
		"negative figures in brackets":        {"Country,Year,A\nFrance,2019,(7)\nItaly,2019,5\n", "mark (12)", "mark (12)=negative=yes", "FRA,2019,-7,France"},
		"titles of two tables":                {"Table 1. Cases,,\nCountry,2019,2020\nFrance,1,2\n,,\nTable 2. Deaths,,\nCountry,2019,2020\nFrance,5,6\n", "second table", "second table=first", "cases/values.csv:\nref_area_scheme,ref_area,time_period,value,x_area_name\niso3166,FRA,2019,1,France\niso3166,FRA,2020,2,France\n"},
		"a title again":                       {"Table 1,,\nCountry,2019,2020\nFrance,1,2\nTable 1 (continued),,\nCountry,2019,2020\nItaly,5,6\n", "second table", "second table=same", "ITA,2020,6,Italy"},
		"two tables side by side":             {"Country,2019,,Country,2019\nFrance,1,,Spain,3\nItaly,5,,Norway,7\n", "areas differ|column 2019 (column 5)|tables side by side", "", "open questions"},
		"totals of rows with a text":          {"Country,Sex,2019\nFrance,F,1\n,M,3\nFrance Total,,4\nItaly,F,5\nItaly Total,,5\n", "fill", "fill=same", "FRA,2019,3,M,France"},
		"a total in an unused column":         {"Notes,Country,Year,A\n,France,2019,5\n,Italy,2019,6\nTotal,,,11\n", "column Notes", "column Notes=ignore", "ITA,2019,6,Italy\n"},
		"notes with separators":               {"Country,Year,A\nFrance,2019,5\nSource: WHO, Geneva, 2020\n", "", "", "FRA,2019,5,France\n"},
		"words instead of figures":            {"Country,Year,A\nFrance,2019,5\nItaly,2019,Suppressed\nSpain,2019,7\n", "", "", "ITA,2019,,Q,Italy"},
		"a multiple in cells":                 {"Country,Year,A\nFrance,2019,5\nItaly,2019,6 million\nSpain,2019,7\n", "mark million", "", "open questions"},
		"Cyrillic in another encoding":        {"\xd1\xf2\xf0\xe0\xed\xe0;\xc3\xee\xe4;\xd1\xec\xe5\xf0\xf2\xed\xee\xf1\xf2\xfc\n\xd4\xf0\xe0\xed\xf6\xe8\xff;2019;12,5\n\xc8\xf2\xe0\xeb\xe8\xff;2019;13,4\n", "", "", "FRA,2019,12.5,Франция"},
		"an encoding that no word shows":      {"iso3;rok;p\xb3e\xe6;zgony\nPOL;2019;m\xea\xbfczy\x9fni;5\nPOL;2019;kobiety;6\n", "encoding", "encoding=windows-1250", "POL,2019,5,mężczyźni"},
		"own areas without ASCII letters":     {"Регион,Год,А\nОмск,2019,5\nТомск,2019,6\n", "unknown areas", "unknown areas=own", "entity,ent-area-2,2019,6,Томск"},
		"own areas and their total":           {"Region,Year,A\nNord,2019,5\nSüd,2019,6\nInsgesamt,2019,11\n", "unknown areas", "unknown areas=own", "entity,ent-nord,2019,5,Nord\nentity,ent-sud,2019,6,Süd\n"},
		"a column without a heading":          {"Country,Year,,Geschlecht,A\nFrance,2019,male,Frauen,5\nFrance,2019,female,Frauen,6\nFrance,2019,male,Männer,7\nFrance,2019,female,Männer,8\n", "", "", "dimensions.geschlecht,dimensions.sex,x_area_name\niso3166,FRA,2019,5,Frauen,male"},
		"two years below a name":              {"Country,Cases,\n,2019,2020\nFrance,1,2\nItaly,3,4\n", "", "", "cases/values.csv:\nref_area_scheme,ref_area,time_period,value,x_area_name\niso3166,FRA,2019,1"},
	} {
		t.Run(name, func(t *testing.T) {
			given := strings.FieldsFunc(test.answers, func(r rune) bool { return r == '|' })
			answers, err := tables.ParseAnswers(given)
			if err != nil {
				t.Fatal(err)
			}
			var asked []string
			for _, q := range propose(t, "t.csv", test.table).Questions {
				asked = append(asked, q.ID)
			}
			slices.Sort(asked)
			if got := strings.Join(asked, "|"); got != test.asks {
				t.Errorf("asks %q, want %q", got, test.asks)
			}
			p := propose(t, "t.csv", test.table, answers)
			got, err := convert(t, "t.csv", test.table, p.Map)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s\nhas no %s with\n%s", got, test.want, p.Map)
			}
		})
	}
}

// TestWithoutReadings: a map that names no reading reads periods as the cells of their column show,
// or is refused if they can be read in two ways.
func TestWithoutReadings(t *testing.T) {
	const april = "table: {year: 04-01}\n"
	for _, test := range []struct{ mapping, periods, want string }{
		{april, "2016/17", "2016-04-01/P1Y"},
		{april, "FY 2016-17", "2016-04-01/P1Y"},
		{april, "2016/2017", "2016-04-01/P1Y"},
		{april, "1999–00", "1999-04-01/P1Y"},
		{april, "2011-12", "2011-04-01/P1Y"},
		{april, "2016", "2016"},
		{april, "2016-2019", "2016-01-01/P4Y"},
		{april, "2016, 2016/17", "2016-04-01/P1Y"},
		{april, "2016/18", "is not a clear period"},
		{"", "2016/17", "does not show on which day the year begins"},
		{"", "2008-09", "2008-09 can mean months or financial years"},
		{"", "2008-09, 2009-10", "readings: {\"Year\": months}"},
		{"", "2008-09, 2009-01", "2009-01"},
		{"", "2016/2017", "2016/2017 can mean financial years or spans of years"},
		{"", "2016-2019", "2016-01-01/P4Y"},
		{"", "2019, 2020-05, 2020-Q1", "2020-05"},
		{"", "2008, 2008-09", "is not a clear period"},
		{"", "03/04/2025", "can mean days day-month-year or days month-day-year"},
		{"", "03/04/2025, 25/04/2025", "2025-04-03"},
		{"readings: {Year: months}\n", "2008-09", "2008-09"},
		{"readings: {Year: periods as records write them}\n", "2008, 2008-09", "2008-09"},
	} {
		table := "Country,Year,A\n"
		for period := range strings.SplitSeq(test.periods, ", ") {
			table += "France," + period + ",5\n"
		}
		got, err := convert(t, "t.csv", table, test.mapping+simple)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%q with %q: %s, want %s", test.periods, test.mapping, got, test.want)
		}
	}
	if _, err := tables.ReadMap(strings.NewReader("table: {year: 13-01}\nseries: [{folder: a, value: v}]\n")); err == nil {
		t.Error("a year begins in a thirteenth month")
	}
}
