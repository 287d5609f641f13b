package record

// figureRule says whether statistics with a certain status have a figure.
type figureRule uint8

const (
	always    figureRule = iota
	ifGiven              // if the source gives it
	boundOnly            // only a bound may be known
	never
)

// statuses are the values of SDMX's code list CL_OBS_STATUS 2.2, explained in our own words.
var statuses = map[ObsStatus]struct {
	words  string
	figure figureRule
}{
	StatusNormal:            {"normal value", always},
	StatusBreak:             {"break in the series", always},
	StatusDefinitionDiffers: {"definition differs", always},
	StatusEstimated:         {"calculated, not counted", always},
	StatusForecast:          {"for a future time", always},
	StatusExperimental:      {"experimental: the method is still being tried", always},
	StatusHoliday:           {"no value, because of a holiday or weekend", never},
	StatusImputed:           {"filled in where no value was reported", always},
	StatusDerogation:        {"the country need not report the value", ifGiven},
	StatusInAnother:         {"no value: it is counted in another category", never},
	StatusNotCollected:      {"no value: it could exist, but was not collected", never},
	StatusCannotExist:       {"no value, because there cannot be one", never},
	StatusNotSignificant:    {"too small to matter", ifGiven},
	StatusMissing:           {"the value is missing", never},
	StatusProvisional:       {"may still change", always},
	StatusSuppressed:        {"no value: it is confidential, to protect people or companies", boundOnly},
	StatusSpecialEvent:      {"a strike or another special event had an effect", always},
	StatusLowReliability:    {"low reliability", always},
	StatusUnvalidated:       {"not validated yet", always},
	StatusIncludesOther:     {"includes values of another category", always},
}

// CanBeEmpty reports whether a statistic with this status may have no figure.
func (s ObsStatus) CanBeEmpty() bool { return statuses[s].figure != always }

// obsStatuses returns the statuses, sorted by letter.
func obsStatuses() (list []value) {
	for letter := 'A'; letter <= 'Z'; letter++ {
		if s, ok := statuses[ObsStatus(letter)]; ok {
			list = append(list, value{string(letter), s.words})
		}
	}
	return list
}
