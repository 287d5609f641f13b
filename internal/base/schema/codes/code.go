// Package codes lists the codes of findings.
package codes

// Code identifies a rule. Every problem has one, and `stele explain` describes each.
type Code string

// The codes, sorted by topic.
const (
	Unreadable            Code = "FIL01"
	NotText               Code = "FIL02"
	Malformed             Code = "FIL03"
	DuplicateMember       Code = "FIL04"
	TooLarge              Code = "FIL05"
	NotRead               Code = "FIL06"
	MalformedCSV          Code = "FIL07"
	NoRecords             Code = "FIL08"
	UnsafeLook            Code = "FIL09"
	NoWords               Code = "LNG01"
	ExampleAddress        Code = "ADR01"
	AddressChanged        Code = "ADR02"
	UnusableDefault       Code = "DEF01"
	MalformedID           Code = "ID01"
	DuplicateID           Code = "ID02"
	MismatchedID          Code = "ID03"
	BecameAnother         Code = "ID04"
	WrongValue            Code = "SCH01"
	UnknownMember         Code = "SCH02"
	NotInList             Code = "SCH03"
	UnknownReference      Code = "REF01"
	WrongKind             Code = "REF02"
	ReferenceAsEvidence   Code = "REF03"
	Unreferenced          Code = "REF04"
	RefersToHeld          Code = "REF05"
	NoSource              Code = "SRC01"
	MalformedURL          Code = "SRC02"
	DoubtfulURL           Code = "SRC03"
	MisquotedSource       Code = "QUO01"
	DifferentText         Code = "QUO02"
	MalformedDate         Code = "DAT01"
	AfterRelease          Code = "DAT02"
	PublishedAfterUpdate  Code = "DAT03"
	VerifiedBeforeUpdate  Code = "DAT04"
	ImpossibleDate        Code = "DAT05"
	CorrectedTooEarly     Code = "DAT06"
	PublishedDateMoved    Code = "DAT07"
	UpdatedDateStands     Code = "DAT08"
	DateWentBack          Code = "DAT09"
	PublishedTooEarly     Code = "DAT10"
	UpdatedTooEarly       Code = "DAT11"
	ReviewDue             Code = "REV01"
	ChangedWithoutVersion Code = "VER01"
	VersionFell           Code = "VER02"
	Vanished              Code = "VER03"
	VersionWithoutChange  Code = "VER04"
	PlanChanged           Code = "CAL01"
	PublishedEarlier      Code = "CAL02"
	TermsChanged          Code = "VER05"
	WrongRedaction        Code = "RED01"
	DigestKept            Code = "RED02"
	NoBoundary            Code = "BND01"
	BoundaryRepeatsClaim  Code = "BND02"
	WrongInVersion        Code = "COR01"
	CorrectionLost        Code = "COR02"
	RetractedSupport      Code = "COR03"
	RetractionUnsaid      Code = "COR04"
	FieldNotCorrected     Code = "COR05"
	NothingToReinstate    Code = "COR06"
	CorrectedTwice        Code = "COR07"
	ChangeNotNamed        Code = "COR08"
	LostEvidenceMoved     Code = "COR09"
	RatedByNobody         Code = "LBL01"
	LabelTooStrong        Code = "LBL02"
	ChoiceDisagrees       Code = "LBL03"
	LabelChanged          Code = "LBL04"
	LabelNotReached       Code = "LBL05"
	ReasonWithoutSentence Code = "LBL06"
	PValueAsLabel         Code = "LBL07"
	SizeWithoutLabel      Code = "LBL08"
	MeasureMismatch       Code = "EFF01"
	EffectNotReached      Code = "EFF02"
	MalformedPeriod       Code = "STA01"
	MalformedArea         Code = "STA02"
	WrongFigure           Code = "STA03"
	DuplicateStatistic    Code = "STA04"
	PeriodNotOver         Code = "STA05"
	TwoSpellings          Code = "STA06"
	MixedUnits            Code = "STA07"
	OutsideUnit           Code = "STA08"
	ValueJumps            Code = "STA09"
	NotAsMeasured         Code = "STA10"
	SuppressedFigure      Code = "STA11"
	FigureFollows         Code = "STA12"
	SmallFigureFollows    Code = "STA13"
	MalformedAreas        Code = "ARE01"
	UnknownAreaCode       Code = "ARE02"
	AreaNotValid          Code = "ARE03"
	AreaContinues         Code = "ARE04"
	AreaGoesTwice         Code = "ARE05"
	WrongShares           Code = "ARE06"
	AreaUnexplained       Code = "ARE07"
	AreaOutsidePeriod     Code = "ARE08"
	MixedEditions         Code = "ARE09"
	ZeroAfterEnd          Code = "ARE10"
	WrongAreaParent       Code = "ARE11"
	DanglingEdge          Code = "GRA01"
	RedundantEdge         Code = "GRA02"
	CircularRelations     Code = "GRA03"
	GarbledText           Code = "TXT01"
	InvisibleText         Code = "TXT02"
	SecretText            Code = "PRV01"
	PersonalText          Code = "PRV02"
	PrivateAddress        Code = "PRV03"
	FalseEvent            Code = "EVT01"
	ChangeWithoutEvent    Code = "EVT02"
	UnusedAcceptance      Code = "ACC01"
	SingleDiffers         Code = "OUT01"
	CountDiffers          Code = "OUT02"
	DateDiffers           Code = "OUT03"
	ArchiveDiffers        Code = "OUT04"
)

// Info is a row of the table of codes.
type Info struct {
	Code     Code
	Severity Severity
	Title    string // what the rule finds, in a few words
}

// Table is the table of all codes, in the order in which they are listed.
var Table = []Info{
	{Unreadable, Error, "file or folder cannot be read"},
	{NotText, Error, "not plain UTF-8 text"},
	{Malformed, Error, "not valid YAML, JSON or CSV"},
	{DuplicateMember, Error, "duplicate member"},
	{TooLarge, Error, "larger, longer or deeper than the limits"},
	{NotRead, Error, "file in a folder without records, or of an unknown format"},
	{MalformedCSV, Error, "malformed CSV row or header"},
	{NoRecords, Warning, "no records found"},
	{UnsafeLook, Error, "unsafe logo or style sheet"},
	{NoWords, Warning, "pages have no words in the language of the records"},
	{ExampleAddress, Warning, "base_url is the example of a new folder"},
	{AddressChanged, Warning, "base_url changed, and published identities with it"},
	{UnusableDefault, Error, "default with an unknown placeholder"},
	{MalformedID, Error, "malformed ID"},
	{DuplicateID, Error, "ID used twice"},
	{MismatchedID, Error, "signal_id, evidence_id or claim_id differs from id"},
	{BecameAnother, Error, "existing ID used for a different thing"},
	{WrongValue, Error, "missing, null, empty or of the wrong type"},
	{UnknownMember, Error, "unknown member"},
	{NotInList, Error, "value outside a closed list"},
	{UnknownReference, Error, "refers to a record that does not exist"},
	{WrongKind, Error, "refers to a record of the wrong kind"},
	{ReferenceAsEvidence, Error, "public reference used as evidence"},
	{Unreferenced, Warning, "source or entity that nothing refers to"},
	{RefersToHeld, Error, "refers to a draft, or to a record that is withheld until a later day"},
	{NoSource, Error, "no source link"},
	{MalformedURL, Error, "not an absolute http or https URL"},
	{DoubtfulURL, Warning, "plain http, or the same URL twice"},
	{MisquotedSource, Error, "quote that does not appear word for word in its source"},
	{DifferentText, Error, "text of a source differs from the text that its record names"},
	{MalformedDate, Error, "not a calendar date"},
	{AfterRelease, Error, "date after the release date"},
	{PublishedAfterUpdate, Error, "published after it was updated"},
	{VerifiedBeforeUpdate, Warning, "verified before the latest change to a source or to another record that affects it"},
	{ImpossibleDate, Error, "implausibly early date"},
	{CorrectedTooEarly, Error, "corrected before it was published"},
	{PublishedDateMoved, Error, "published_date changed after publication"},
	{UpdatedDateStands, Error, "content changed, updated_date did not"},
	{DateWentBack, Error, "updated_date or verification_date went back"},
	{PublishedTooEarly, Error, "new record dated before the previous release"},
	{UpdatedTooEarly, Error, "updated before a date that it mentions"},
	{ReviewDue, Warning, "verified longer ago than review_after allows"},
	{ChangedWithoutVersion, Error, "content changed, version did not"},
	{VersionFell, Error, "version fell"},
	{Vanished, Error, "record vanished since the last release"},
	{VersionWithoutChange, Warning, "version increased without a change, or skipped a number"},
	{TermsChanged, Error, "licence or notice changed since the last release"},
	{PlanChanged, Error, "planned publication postponed without a reason, or removed"},
	{PublishedEarlier, Warning, "planned publication on a day without a release"},
	{WrongRedaction, Error, "redacted content that is back or repeated elsewhere, or redaction of something that no release contains"},
	{DigestKept, Warning, "keep_digest in a redaction, which has no effect"},
	{NoBoundary, Error, "claim boundary missing or empty"},
	{BoundaryRepeatsClaim, Warning, "claim boundary only repeats the claim"},
	{WrongInVersion, Error, "no change can have this in_version"},
	{CorrectionLost, Error, "an earlier correction or source update was deleted or edited"},
	{RetractedSupport, Error, "everything that the record rests on was retracted, but the record does not say so"},
	{RetractionUnsaid, Warning, "something that the record rests on was retracted, but the record does not say so"},
	{FieldNotCorrected, Error, "correction of a member that does not exist or did not change"},
	{NothingToReinstate, Error, "reinstatement of a record that was neither retracted nor in question"},
	{CorrectedTwice, Error, "two corrections of one member in one version"},
	{ChangeNotNamed, Error, "changed member that no correction of the change names"},
	{LostEvidenceMoved, Error, "lost evidence removed from a claim, or given another stance, without a correction"},
	{RatedByNobody, Error, "rated without saying by whom"},
	{LabelTooStrong, Error, "claim's label stronger than its evidence"},
	{ChoiceDisagrees, Error, "decision and chosen option disagree"},
	{LabelChanged, Warning, "label or decision changed without an explanation"},
	{LabelNotReached, Warning, "start, factors and label do not add up"},
	{ReasonWithoutSentence, Warning, "factor of a label without a sentence that explains it"},
	{PValueAsLabel, Warning, "p-value given as the scheme of a certainty"},
	{SizeWithoutLabel, Warning, "size of an effect without a rated certainty"},
	{MeasureMismatch, Warning, "measure that contradicts its code or its assumed risk"},
	{EffectNotReached, Warning, "printed absolute effect that does not follow from the assumed risk and the effect"},
	{MalformedPeriod, Error, "time period unreadable"},
	{MalformedArea, Error, "area code unreadable"},
	{WrongFigure, Error, "no figure, or two, or one outside its interval"},
	{DuplicateStatistic, Error, "duplicate statistic"},
	{PeriodNotOver, Error, "period not over at the release date, but the value is not a forecast"},
	{TwoSpellings, Error, "code that looks like another, or has invisible characters"},
	{MixedUnits, Error, "one indicator in units of two scales, or one unit in two spellings"},
	{OutsideUnit, Warning, "value that its unit does not allow"},
	{ValueJumps, Warning, "value that differs by a power of ten from its series or from the last release"},
	{NotAsMeasured, Error, "statistic that its indicator does not allow"},
	{SuppressedFigure, Warning, "published value that is now suppressed but remains in the history"},
	{FigureFollows, Warning, "suppressed figure that follows from other published figures"},
	{SmallFigureFollows, Error, "suppressed figure below the threshold in stele.yaml that follows from other published figures"},
	{MalformedAreas, Error, "row of an area table that cannot be read"},
	{UnknownAreaCode, Error, "change from or to a code that is not in the table"},
	{AreaNotValid, Error, "change from or to a code that is not valid on the day of the change"},
	{AreaContinues, Error, "change whose area does not end or begin as its kind requires"},
	{AreaGoesTwice, Error, "changes of an area that contradict each other"},
	{WrongShares, Error, "shares of an area that do not add up to 1"},
	{AreaUnexplained, Error, "code that begins or ends without a change"},
	{AreaOutsidePeriod, Error, "statistic of an area that is not valid in its period"},
	{MixedEditions, Warning, "areas of several editions in one period of an indicator"},
	{ZeroAfterEnd, Error, "value of 0 for an area that had ended"},
	{WrongAreaParent, Error, "parent that is not valid on all days of its child"},
	{DanglingEdge, Error, "edge that ends at an unknown node"},
	{RedundantEdge, Error, "edge that repeats another or leads to its own node"},
	{CircularRelations, Error, "circular relations"},
	{GarbledText, Warning, "text that a program cut off or damaged"},
	{InvisibleText, Warning, "invisible characters, or characters that reverse text"},
	{SecretText, Error, "secret such as a password or key"},
	{PersonalText, Warning, "email address, telephone number, date of birth or personal number"},
	{PrivateAddress, Warning, "URL that readers cannot open or should not see"},
	{FalseEvent, Error, "incorrect change event"},
	{ChangeWithoutEvent, Warning, "correction or change without a change event"},
	{UnusedAcceptance, Warning, "accepted finding that no longer occurs"},
	{SingleDiffers, Error, "single record differs from its collection"},
	{CountDiffers, Error, "count differs from the number of records"},
	{DateDiffers, Error, "as_of differs from the latest date of the records"},
	{ArchiveDiffers, Error, "archive of change events differs from the manifest"},
}

var codeInfo = func() map[Code]Info {
	m := make(map[Code]Info, len(Table))
	for _, info := range Table {
		m[info.Code] = info
	}
	return m
}()

// Info returns the code's row in Table.
func (c Code) Info() Info { return codeInfo[c] }

// HidesRecords reports whether records may be missing because of a finding with this code.
// References to unknown records cannot be judged then.
func (c Code) HidesRecords() bool {
	switch c {
	case Unreadable, NotText, Malformed, DuplicateMember, TooLarge, NotRead, MalformedCSV:
		return true
	}
	return false
}
