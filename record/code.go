package record

// Code names a rule. Every problem has one, and `stele explain` tells about each.
type Code string

// The codes, by what they are about.
const (
	FIL01 Code = "FIL01"
	FIL02 Code = "FIL02"
	FIL03 Code = "FIL03"
	FIL04 Code = "FIL04"
	FIL05 Code = "FIL05"
	FIL06 Code = "FIL06"
	FIL07 Code = "FIL07"
	FIL08 Code = "FIL08"
	DEF01 Code = "DEF01"
	ID01  Code = "ID01"
	ID02  Code = "ID02"
	ID03  Code = "ID03"
	SCH01 Code = "SCH01"
	SCH02 Code = "SCH02"
	SCH03 Code = "SCH03"
	REF01 Code = "REF01"
	REF02 Code = "REF02"
	REF03 Code = "REF03"
	REF04 Code = "REF04"
	SRC01 Code = "SRC01"
	SRC02 Code = "SRC02"
	SRC03 Code = "SRC03"
	DAT01 Code = "DAT01"
	DAT02 Code = "DAT02"
	DAT03 Code = "DAT03"
	DAT04 Code = "DAT04"
	VER01 Code = "VER01"
	VER02 Code = "VER02"
	VER03 Code = "VER03"
	VER04 Code = "VER04"
	BND01 Code = "BND01"
	BND02 Code = "BND02"
	COR01 Code = "COR01"
	COR02 Code = "COR02"
	COR03 Code = "COR03"
	COR04 Code = "COR04"
	LBL01 Code = "LBL01"
	LBL02 Code = "LBL02"
	LBL03 Code = "LBL03"
	STA01 Code = "STA01"
	STA02 Code = "STA02"
	STA03 Code = "STA03"
	STA04 Code = "STA04"
	GRA01 Code = "GRA01"
	GRA02 Code = "GRA02"
	GRA03 Code = "GRA03"
	OUT01 Code = "OUT01"
	OUT02 Code = "OUT02"
)

// CodeInfo is a row of the table of codes.
type CodeInfo struct {
	Code     Code
	Severity Severity
	Title    string // what it finds, in a few words
}

// Codes is the table of all codes, in the order in which they are listed.
var Codes = []CodeInfo{
	{FIL01, Error, "file or folder cannot be read"},
	{FIL02, Error, "not plain UTF-8 text"},
	{FIL03, Error, "not valid YAML, JSON or CSV"},
	{FIL04, Error, "the same member twice"},
	{FIL05, Error, "larger, longer or deeper than the limits"},
	{FIL06, Error, "not a place for records, or not a format that is read"},
	{FIL07, Error, "CSV row or header of the wrong form"},
	{FIL08, Warning, "no records found"},
	{DEF01, Error, "a default that cannot be filled in"},
	{ID01, Error, "ID of the wrong form"},
	{ID02, Error, "ID used twice"},
	{ID03, Error, "signal_id, evidence_id or claim_id differs from id"},
	{SCH01, Error, "missing, null, empty or of the wrong type"},
	{SCH02, Error, "unknown member"},
	{SCH03, Error, "value outside a closed list"},
	{REF01, Error, "refers to a record that does not exist"},
	{REF02, Error, "refers to a record of the wrong kind"},
	{REF03, Error, "public reference used as evidence"},
	{REF04, Warning, "source or entity that nothing refers to"},
	{SRC01, Error, "no source link"},
	{SRC02, Error, "not an absolute http or https URL"},
	{SRC03, Warning, "plain http, or the same URL twice"},
	{DAT01, Error, "not a calendar date"},
	{DAT02, Error, "verified after the release date"},
	{DAT03, Error, "published after it was updated"},
	{DAT04, Warning, "verified before the newest source update"},
	{VER01, Error, "content changed, version did not"},
	{VER02, Error, "version fell"},
	{VER03, Error, "record vanished since the last release"},
	{VER04, Warning, "version rose without a change, or skipped one"},
	{BND01, Error, "claim boundary missing or empty"},
	{BND02, Warning, "claim boundary only repeats the claim"},
	{COR01, Error, "in_version is no version that a change can have"},
	{COR02, Error, "an earlier correction or source update was deleted or edited"},
	{COR03, Error, "relies on retracted evidence"},
	{COR04, Warning, "source was taken back, and the record does not say so"},
	{LBL01, Error, "rated without saying by whom"},
	{LBL02, Error, "claim's label stronger than its evidence"},
	{LBL03, Error, "decision and chosen option disagree"},
	{STA01, Error, "time period unreadable"},
	{STA02, Error, "area code unreadable"},
	{STA03, Error, "value missing, or outside its interval"},
	{STA04, Error, "the same statistic twice"},
	{GRA01, Error, "edge that ends nowhere"},
	{GRA02, Error, "edge that stands already, or leads to itself"},
	{GRA03, Error, "relations that go round in a circle"},
	{OUT01, Error, "single record differs from its collection"},
	{OUT02, Error, "count differs from the number of records"},
}

var codeInfo = func() map[Code]CodeInfo {
	m := make(map[Code]CodeInfo, len(Codes))
	for _, info := range Codes {
		m[info.Code] = info
	}
	return m
}()

// Info is the code's row in the table.
func (c Code) Info() CodeInfo { return codeInfo[c] }
