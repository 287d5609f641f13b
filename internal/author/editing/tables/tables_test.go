package tables_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"stele/internal/author/editing/tables"
	"stele/internal/base/sheet"
	"stele/internal/testkit/must"
	"stele/internal/testkit/race"
	"stele/record"
)

// convert runs a map over a table, and writes each file that it gives.
func convert(t testing.TB, name, content, mapping string) (string, error) {
	t.Helper()
	m, err := tables.ReadMap(strings.NewReader(mapping))
	if err != nil {
		return "", err
	}
	return convertBy(t, m, name, content)
}

func convertBy(t testing.TB, m *tables.Map, name, content string) (string, error) {
	t.Helper()
	table := open(t, name, content, m.Table.Options)
	result, err := m.Convert(table)
	if err != nil {
		return "", err
	}
	plan, err := result.Compare(fstest.MapFS{}, tables.Change{Date: "2026-01-02"})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, f := range plan.New {
		if strings.HasSuffix(f.Path, ".csv") {
			b.WriteString(f.Path + ":\n" + string(f.New))
		}
	}
	return b.String(), nil
}

func open(t testing.TB, name, content string, o sheet.Options) *sheet.Table {
	t.Helper()
	table := must.Get(sheet.Read(context.Background(), name, strings.NewReader(content), int64(len(content)), o))(t)
	return table
}

const simple = `
columns: {ref_area: Country, time_period: Year, x_area_name: Country}
series:
  - {folder: a, value: A}
`

func TestConvert(t *testing.T) {
	for name, test := range map[string]struct{ table, mapping, want string }{
		"long": {"Country,Year,A\nFrance,2024,1.50\nIvory Coast,2024,.9\nItaly,2024,\n", simple, `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,value,x_area_name
iso3166,FRA,2024,1.50,France
iso3166,CIV,2024,0.9,Ivory Coast
`},
		"interval, missing, marks": {"Title\n\nCountry;Year;A\nFrance;2024;1 234,5 (1 000,1–2 000)\nItaly;2024;..\nSpain;2024;7*\nSource: x\n", `
table: {header: 3, decimal: ",", thousands: " ", missing: [".."], marks: {"*": {obs_status: P}}, end: "Source"}` + simple, `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,value,lower,upper,obs_status,x_area_name
iso3166,FRA,2024,1234.5,1000.1,2000,,France
iso3166,ESP,2024,7,,,P,Spain
`},
		"wide by year": {"Country Code,2023,2024\nFRA,1,2\n", `
columns: {ref_area: Country Code}
series:
  - {folder: a, values: '(?P<time_period>\d{4})', set: {unit: percent}}
`, `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,value,unit
iso3166,FRA,2023,1,percent
iso3166,FRA,2024,2,percent
`},
		"wide by sex and age, two header rows": {",,Male,,Female,\niso,year,0-14,15+,0-14,15+\nFR,2024,1,2,3,4\n", `
table: {header: [1, 2]}
columns: {ref_area: iso, time_period: year}
words: {dimensions.sex: {Male: male, Female: female}}
series:
  - {folder: a, values: '(?P<sex>Male|Female) / (?P<age>.*)'}
`, `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,value,dimensions.age,dimensions.sex
iso3166,FRA,2024,1,0-14,male
iso3166,FRA,2024,2,15+,male
iso3166,FRA,2024,3,0-14,female
iso3166,FRA,2024,4,15+,female
`},
		"several series of one column, areas, the first that fits": {"i,Country,Year,v\nx,World,2024,1\nx,France,2024,2\ny,Africa,2024,3\n", `
columns: {ref_area: Country, time_period: Year, x_area_name: Country}
areas:
  World: {ref_area_scheme: un_m49, ref_area: "001"}
  Africa: {ref_area_scheme: entity, ref_area: ent-afr, name: African Region}
series:
  - {folder: x, value: v, where: {i: x, Country: World}, set: {unit: thousand}}
  - {folder: x, value: v, where: {i: x}, set: {unit: one}}
  - {folder: "y", value: v, where: {i: "y"}}
`, `records/healthcare-statistics/x/values.csv:
ref_area_scheme,ref_area,time_period,value,x_area_name,unit
un_m49,001,2024,1,World,thousand
iso3166,FRA,2024,2,France,one
records/healthcare-statistics/y/values.csv:
ref_area_scheme,ref_area,time_period,value,x_area_name
entity,ent-afr,2024,3,African Region
`},
		"bounds, marks in place of a value, statuses": {"Country,Year,A,S\nFrance,2024,<5,\nItaly,2024,> 95,\nSpain,2024,..,\nPeru,2024,,Q\nChile,2024,,A\nCuba,2024,7*†,E\nMali,2024,≤5,\n", `
table: {marks: {"*": {note: Reported late.}, "†": {obs_status: P}, "..": {obs_status: L}, "≤5": {less_than: "6"}}}` + strings.Replace(simple, "value: A", "value: A, set: {obs_status: A}, columns: {obs_status: S}", 1), `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,value,less_than,greater_than,obs_status,note,x_area_name
iso3166,FRA,2024,,5,,A,,France
iso3166,ITA,2024,,,95,A,,Italy
iso3166,ESP,2024,,,,L,,Spain
iso3166,PER,2024,,,,Q,,Peru
iso3166,CUB,2024,7,,,E,Reported late.,Cuba
iso3166,MLI,2024,,6,,A,,Mali
`},
		"intervals with their sort, codes": {"Country,Year,A,B\nFrance,2024,12 (10–14),Yes\nItaly,2024,13,n/a\n", `
table: {missing: [n/a]}
words: {code: {Yes: "1"}}
columns: {ref_area: Country, time_period: Year}
series:
  - {folder: a, value: A, set: {interval: uncertainty, level: "95"}}
  - {folder: b, value: B, as: code}
`, `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,value,lower,upper,interval,level
iso3166,FRA,2024,12,10,14,uncertainty,95
iso3166,ITA,2024,13,,,,
records/healthcare-statistics/b/values.csv:
ref_area_scheme,ref_area,time_period,code
iso3166,FRA,2024,1
`},
		"two editions": {"Country,Year,A,E\nFrance,2024,1,2025\nFrance,2024,2,2026\n", "columns: {ref_area: Country, time_period: Year, vintage: E}\nseries: [{folder: a, value: A}]\n", `records/healthcare-statistics/a/values.csv:
ref_area_scheme,ref_area,time_period,vintage,value
iso3166,FRA,2024,2025,1
iso3166,FRA,2024,2026,2
`},
		"another kind": {"Name,Type,Code\nMeasles,condition,ent-measles\n", `
kind: entity
columns: {id: Code, name: Name, entity_type: Type, title: Name}
series:
  - folder: conditions
`, "records/entities/conditions/values.csv:\nid,entity_type,name,title\nent-measles,condition,Measles,Measles\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := convert(t, "table.csv", test.table, test.mapping)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestReady: the maps that come with Stele read what those services answer.
func TestReady(t *testing.T) {
	for name, test := range map[string]struct{ file, content, want string }{
		"who-gho": {
			"t.json", `{"@odata.context":"https://ghoapi.azureedge.net/api/$metadata#X","value":[` +
				gho("FRA", "COUNTRY", `"Dim1Type":"SEX","Dim1":"SEX_BTSX","Dim2Type":"AGEGROUP","Dim2":"AGEGROUP_YEARS15-24"`, "96.0") + "," +
				gho("FRA", "COUNTRY", `"Dim1Type":"SEX","Dim1":"SEX_MLE","Dim2Type":null,"Dim2":null`, "97") + "," +
				gho("AFR", "REGION", `"Dim1Type":"SEX","Dim1":"SEX_BTSX","Dim2Type":null,"Dim2":null`, "98") + "," +
				gho("GLOBAL", "GLOBAL", `"Dim1Type":null,"Dim1":null,"Dim2Type":null,"Dim2":null`, "null") + `]}`,
			"records/healthcare-statistics/whs4-100/values.csv:\nref_area_scheme,ref_area,time_period,value,lower,upper,dimensions.dim1,dimensions.dim2\n" +
				"iso3166,FRA,2023,96.0,95.1,97,SEX_BTSX,AGEGROUP_YEARS15-24\niso3166,FRA,2023,97,95.1,97,SEX_MLE,\n",
		},
		"world-bank": {
			"t.json", `[{"page":1},[{"indicator":{"id":"SH.DYN.MORT","value":"x"},"country":{"id":"FR","value":"France"},"countryiso3code":"FRA","date":"2023",
			"value":4.4,"unit":"","obs_status":"","decimal":1},{"indicator":{"id":"SH.DYN.MORT","value":"x"},"country":{"id":"XX","value":"y"},"countryiso3code":"","date":"2023",
			"value":1,"unit":"","obs_status":"","decimal":1}]]`,
			"records/healthcare-statistics/sh-dyn-mort/values.csv:\nref_area_scheme,ref_area,time_period,value,x_area_name\niso3166,FRA,2023,4.4,France\n",
		},
		"sdmx-csv": {
			"t.csv", "DATAFLOW,REF_AREA,INDICATOR,SEX,WEALTH_QUINTILE,TIME_PERIOD,OBS_VALUE,UNIT_MULTIPLIER,UNIT_MEASURE,OBS_STATUS,OBS_CONF,LOWER_BOUND,UPPER_BOUND," +
				"WGTD_SAMPL_SIZE,OBS_FOOTNOTE,SERIES_FOOTNOTE,DATA_SOURCE,SOURCE_LINK,CUSTODIAN,TIME_PERIOD_METHOD,REF_PERIOD,COVERAGE_TIME\n" +
				"UNICEF:CME(1.0),FRA,CME_MRY0,_T,_T,2023,3.74851,0,D_PER_1000_B,A,F,3.1,4.2,,,,UN_IGME,,,,,\n",
			"records/healthcare-statistics/cme-mry0/values.csv:\nref_area_scheme,ref_area,time_period,value,lower,upper,obs_status,dimensions.sex,dimensions.wealth_quintile,unit\n" +
				"iso3166,FRA,2023,3.74851,3.1,4.2,A,_T,_T,D_PER_1000_B\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := tables.OpenMap(name)
			must.Do(t, err)
			got, err := convertBy(t, m, test.file, test.content)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// gho is a row as the Global Health Observatory answers it.
func gho(area, kind, dimensions, value string) string {
	return `{"Id":32256659,"IndicatorCode":"WHS4_100","SpatialDimType":"` + kind + `","SpatialDim":"` + area + `","ParentLocationCode":"EUR","TimeDimType":"YEAR",
		"ParentLocation":"Europe",` + dimensions + `,"TimeDim":2023,"Dim3Type":null,"Dim3":null,"DataSourceDimType":null,"DataSourceDim":null,"Value":"96 [95-97]",
		"NumericValue":` + value + `,"Low":95.1,"High":97,"Comments":null,"Date":"2024-07-11T10:12:33.987+02:00","TimeDimensionValue":"2023",
		"TimeDimensionBegin":"2023-01-01T00:00:00+01:00","TimeDimensionEnd":"2023-12-31T00:00:00+01:00"}`
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct{ table, mapping, want string }{
		"area":          {"Country,Year,A\nFrnace,2024,1\n", simple, `line 2, column "Country": "Frnace" is not an ISO 3166 country: add its meaning to areas in the map; if the row is a total or a note, add it to ignore; did you mean "France"?`},
		"region":        {"Country,Year,A\nAfrica,2024,1\n", simple, `add "Africa": {ref_area_scheme: un_m49, ref_area: "002"} to areas`},
		"no area":       {"Country,Year,A\n,2024,1\n", simple, `line 2, column "Country": "" is not an ISO 3166 country`},
		"period":        {"Country,Year,A\nFrance,24,1\n", simple, `line 2, column "Year": "24" is not a clear period`},
		"thousands":     {"Country,Year,A\nFrance,2024,\"1,234\"\n", simple, `line 2, column "A": 1,234 can mean 1234 or 1.234`},
		"decimal comma": {"Country,Year,A\nFrance,2024,\"1,5\"\nItaly,2024,1.5\n", simple, `line 3 has 1.5 and line 2 has 1,5, which have different formats`},
		"bound":         {"Country,Year,A\nFrance,2024,≤5\n", simple, `explain it in marks below table, such as "≤5": {less_than: "6"}`},
		"lower bound":   {"Country,Year,A,L\nFrance,2024,5,<1\n", strings.Replace(simple, "value: A", "value: A, columns: {lower: L}", 1), `column "L": "<1" is not a number`},
		"as":            {"", "series: [{folder: x, value: A, as: word}]\n", `as: unknown value "word"`},
		"code":          {"Country,Year,A\nFrance,2024,maybe\n", "words: {code: {Yes: y}}" + strings.Replace(simple, "value: A", "value: A, as: code", 1), `unknown word "maybe" for code`},
		"mark":          {"Country,Year,A\nFrance,2024,5†\n", simple, `explain "†" in marks`},
		"no value":      {"Country,Year,A\nFrance,2024,n/a\n", simple, "add it to missing"},
		"twice":         {"Country,Year,A\nFrance,2024,1\nFRA,2024,2\n", simple, "line 3: duplicate of line 2: area, period, dimensions and vintage are equal"},
		"column":        {"Country,Year,A,B,C\nFrance,2024,1,2,3\n", simple, `the map lacks these columns: "B", "C". Add each`},
		"no column":     {"Country,Yaer,A\n", simple, `unknown column "Year"; did you mean "Yaer"?`},
		"no name":       {"Country,Year,A\nFrance,2024,1,2\n", simple, `line 2: "2" is in cell 4, whose column has no heading: add a heading, or add the column to ignore as "column 4"`},
		"two columns":   {"Country,Year,A,A\n", simple, `the map lacks these columns: "A (column 4)"`},
		"map":           {"", "colums: {}\n", "line 1: unknown key colums; did you mean columns?"},
		"no series":     {"", "columns: {}\n", "missing series"},
		"folder":        {"", "series: [{folder: ../x, value: A}]\n", `folder: "../x" is not a valid folder name`},
		"secret":        {"Country,Year,A,N\nFrance,2024,1,ask jane.roe@clinic-north.org\n", strings.Replace(simple, "x_area_name: Country", "note: N", 1), "line 2: PRV02: the text contains the email address jane.roe@clinic-north.org"},
		"short row":     {"Country,Year,A,B\nFrance,2024,1\n", "ignore: [B]" + simple, "line 2: the row has 3 cells and the heading 4"},
		"no record":     {"Country,Year,A\nFrance,2024,\n", simple, "none of the 1 rows gave a record"},
		"dropped words": {"Country,2022,2023 (target)\nFrance,1,2\n", "columns: {ref_area: Country}\nseries: [{folder: a, values: '(?P<time_period>\\d{4}).*'}]\n", `drops "(target)" from the column "2023 (target)"`},
		"NA":            {"Country,Year,A\nNorway,2024,1\nNA,2024,2\n", simple, `"NA" would mean NAM, but other areas in the column are written differently`},
		"states":        {"Country,Year,A\nCA,2024,1\nNY,2024,2\n", "areas: {NY: US-NY}\n" + simple, `"CA" would mean CAN`},
		"reading":       {"Country,Year,A\nFrance,2024,\"1,5\"\n", strings.Replace(simple, "value: A", "value: A, reading: 1234.5", 1), `"1,5" is not a number: correct it in the table. The map reads this column as 1234.5`},
		"no ID":         {"Country,Year,A\n", "kind: entity\ncolumns: {name: Country}\nignore: [Year, A]\nseries: [{folder: a}]\n", "entity records need an ID"},
		"four million":  {"Country,Year,A\nFrance,2024," + strings.Repeat("7", 4_000_000) + "\n", simple, "the cell has 4000000 characters, too many for a number"},
		"no header":     {"a,b\n", "table: {header: 3}" + simple, "missing row 3"},
		"leading zero":  {"Country,Year,A\nFrance,2024,007\n", simple, `"007" is not a number`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := convert(t, "table.csv", test.table, test.mapping)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v with %q, want %q", err, got, test.want)
			} else if text := tables.ErrorIn(err, "ar"); strings.HasPrefix(err.Error(), "line 2") && !strings.HasPrefix(text, "السطر ") {
				t.Errorf("%s is not in Arabic: %s", err, text)
			}
		})
	}
}

// TestEditionsThatMoved: figures that another area or year had before are a question, and records
// of another kind are found again by their IDs.
func TestEditionsThatMoved(t *testing.T) {
	const first = "Country,Year,A\nFrance,2020,1\nFrance,2021,2\nFrance,2022,3\nItaly,2020,4\nItaly,2021,5\nItaly,2022,6\n"
	const entity = "kind: entity\ncolumns: {x_code: Country, name: A, version: Year}\nseries: [{folder: a}]\ndefaults: {id: \"ent-{x_code}\"}\n"
	for name, test := range map[string]struct{ mapping, first, then, want string }{
		"exchanged": {simple, first, "Country,Year,A\nFrance,2020,4\nFrance,2021,5\nFrance,2022,6\nItaly,2020,1\nItaly,2021,2\nItaly,2022,3\n", "FRA and ITA in records/healthcare-statistics/a/values.csv seem to be swapped"},
		"shifted":   {simple, first, "Country,Year,A\nFrance,2020,0\nFrance,2021,1\nFrance,2022,2\nItaly,2020,9\nItaly,2021,4\nItaly,2022,5\n", "seem to be shifted by +1 year"},
		"new":       {simple, first, strings.Replace(first, "2020,1", "2020,7", 1), ""},
		"entities":  {entity, first[:0] + "Country,Year,A\nn,1,North\ne,1,East\n", "Country,Year,A\nn,1,North\ne,1,East\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := must.Get(tables.ReadMap(strings.NewReader(test.mapping)))(t)
			there := fstest.MapFS{}
			revision := &record.SourceUpdate{
				Type: record.UpdateDataRevision, Date: "2026-02-02", Summary: "New.", Effect: record.EffectRecordChanged,
			}
			result := must.Get(m.Convert(open(t, "t.csv", test.first, m.Table.Options)))(t)
			plan := must.Get(result.Compare(there, tables.Change{Date: "2026-01-02"}))(t)
			for _, f := range plan.New {
				there[f.Path] = &fstest.MapFile{Data: f.New}
			}
			result = must.Get(m.Convert(open(t, "t.csv", test.then, m.Table.Options)))(t)
			plan, err := result.Compare(there, tables.Change{Date: "2026-02-02", Update: revision})
			if text := fmt.Sprint(err); test.want == "" && err != nil || !strings.Contains(text, test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
			if name == "entities" && len(plan.Changed)+len(plan.New) > 0 {
				t.Errorf("the same table again changes %v", plan.Changed)
			}
		})
	}
}

// TestCutOff: wherever an import of new records is cut off, the next one writes what is missing.
func TestCutOff(t *testing.T) {
	m := must.Get(tables.ReadMap(strings.NewReader(simple)))(t)
	there := fstest.MapFS{}
	for {
		result := must.Get(m.Convert(open(t, "t.csv", "Country,Year,A\nFrance,2024,1\n", m.Table.Options)))(t)
		plan := must.Get(result.Compare(there, tables.Change{Date: "2026-11-17"}))(t)
		if len(plan.New) == 0 {
			break
		}
		there[plan.New[0].Path] = &fstest.MapFile{Data: plan.New[0].New} // and then it is cut off
	}
	if len(there) != 2 {
		t.Errorf("%d files are there, and not values and defaults", len(there))
	}
}

// TestProposals: a map that is proposed for a table can be used at once, or says what is open.
func TestProposals(t *testing.T) {
	race.LeaveOut(t, "one goroutine reads tables")
	for name, test := range map[string]struct{ file, content, want, says string }{
		"a column without a head":           {"t.csv", ",Entity,Year,Deaths\n0,France,2024,1\n1,Italy,2024,2\n", "iso3166,FRA,2024,1,France", ""},
		"Eurostat":                          {"t.tsv", "freq,sex,geo\\TIME_PERIOD\t2019 \t2020 \nA,F,BE\t12.3 \t12.1 p\nA,M,EL\t: c\t9.1 \n", "iso3166,BEL,2020,12.1,P,F,BE\niso3166,GRC,2019,,Q,M,EL\n", ""},
		"excel":                             {"t.csv", "Some title;;\n;;\nLand;Jahr;Wert\nFrance;2024;1,5\nItaly;2024;..\nSpain;2024;2,5\nPeru;2024;3,5\n", "iso3166,FRA,2024,1.5,France", ""},
		"wide":                              {"t.csv", "Country Name,Country Code,Indicator Name,2022,2023,2024\nFrance,FRA,x,1,2,3\nItaly,ITA,x,4,5,\n", "iso3166,ITA,2022,4,Italy", ""},
		"intervals":                         {"t.csv", "country,iso3,year,e_inc,e_inc_lo,e_inc_hi\nFrance,FRA,2024,5,4,6\nItaly,ITA,2024,7,6,8\n", "iso3166,FRA,2024,5,4,6,France", ""},
		"json":                              {"t.json", `[{"SpatialDim":"FRA","TimeDim":2024,"NumericValue":5.5,"Dim1":"MLE"},{"SpatialDim":"FRA","TimeDim":2024,"NumericValue":6.5,"Dim1":"FMLE"}]`, "iso3166,FRA,2024,5.5,MLE,FRA", ""},
		"names in two rows":                 {"t.csv", "Country,Year,Male,,Female,,Note\n,,Cases,Deaths,Cases,Deaths,\nFrance,2024,1,2,3,4,a\nItaly,2024,5,6,7,8,b\n", "iso3166,FRA,2024,1,a,Male,France", "header: [1, 2]"},
		"indicators":                        {"t.csv", "Country,Year,Indicator,Value,Unit\nFrance,2024,Cases,900,cases\nFrance,2024,Deaths,7,deaths\n", "iso3166,FRA,2024,7,deaths,France", "deaths # the code of the indicator\n    # read as: 7 → 7\n"},
		"an answer that a map is there for": {"t.json", `{"value":[` + gho("FRA", "COUNTRY", `"Dim1Type":"SEX","Dim1":"SEX_MLE","Dim2Type":null,"Dim2":null`, "97") + `]}`, "iso3166,FRA,2023", "--map who-gho"},
		"the examples":                      {"t.csv", example(t), "iso3166,AFG,1980,11,Afghanistan", ""},
	} {
		t.Run(name, func(t *testing.T) {
			proposed := propose(t, test.file, test.content, tables.Answers{"column Note": "dimension", "unknown areas": "regions", "name Wert": "Deaths", "heading WHO 2017": "name", "areas": "countries"})
			got, err := convert(t, test.file, test.content, proposed.Map)
			if err != nil || !strings.Contains(got, test.want) || !strings.Contains(proposed.Map, test.says) {
				t.Errorf("%v: the map\n%sgives\n%.2000s", err, proposed.Map, got)
			}
		})
	}
}

func propose(t testing.TB, file, content string, answers ...tables.Answers) *tables.Proposal {
	t.Helper()
	opened := func(o sheet.Options) (*sheet.Table, error) { return open(t, file, content, o), nil }
	p := must.Get(tables.Propose(opened, file, sheet.Options{}, nil, answers...))(t)
	return p
}

func example(t *testing.T) string {
	data := must.Get(os.ReadFile("../../../../examples/immunization/countries.csv"))(t)
	return string(data)
}

func FuzzMap(f *testing.F) {
	f.Add([]byte(simple))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := tables.ReadMap(strings.NewReader(string(data))); err == nil {
			_, _ = m.Convert(open(t, "t.csv", "Country,Year,A\nFrance,2024,1\n", m.Table.Options))
		}
	})
}
