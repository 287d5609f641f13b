package layout

// Histories contain the earlier versions of records: one file for each record, or compressed files
// with many records.
const (
	HistoryFolder = "history/"
	HistorySingle = ".ndjson"
	HistoryPack   = ".ndjson.zst"
)
