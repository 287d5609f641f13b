package layout

// What records said before: a file for each record, or files of many, which are compressed.
const (
	HistoryFolder = "history/"
	HistorySingle = ".ndjson"
	HistoryPack   = ".ndjson.zst"
)
