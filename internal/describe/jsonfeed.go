package describe

import (
	"encoding/json"

	"stele/record"
)

const typeJSONFeed = "application/feed+json"

// jsonFeedDocument is a JSON Feed 1.1.
type jsonFeedDocument struct {
	Version     string       `json:"version"`
	Title       string       `json:"title"`
	HomePageURL string       `json:"home_page_url"`
	FeedURL     string       `json:"feed_url"`
	NextURL     string       `json:"next_url,omitempty"` // of the page with older entries
	Description string       `json:"description"`
	Language    string       `json:"language,omitempty"`
	Authors     []feedAuthor `json:"authors"`
	Items       []feedItem   `json:"items"`
}

type feedAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

type feedItem struct {
	ID            string          `json:"id"`
	URL           string          `json:"url"`
	Title         string          `json:"title"`
	ContentText   string          `json:"content_text"`
	DatePublished string          `json:"date_published"`
	Tags          []string        `json:"tags"`
	Event         json.RawMessage `json:"_event"` // word for word, for programs
}

func (p page) jsonFeed() ([]byte, error) {
	const suffix = ".json"
	f := jsonFeedDocument{
		Version: "https://jsonfeed.org/version/1.1", Title: p.title(), HomePageURL: p.at(""), FeedURL: p.at(p.path(suffix)),
		Description: p.terms() + " Licence: " + p.settings.License + ".", Language: p.settings.Language,
		Authors: []feedAuthor{{p.settings.Publisher, p.at("")}}, Items: []feedItem{},
	}
	if before := p.before(suffix); before != "" {
		f.NextURL = p.at(before)
	}
	for _, e := range p.entries {
		address, _ := p.entryLink(e)
		f.Items = append(f.Items, feedItem{
			ID: p.entryID(
				e,
			), URL: address, Title: entryTitle(e), ContentText: entryText(e), DatePublished: midnight(e.PublishedDate),
			Tags: []string{string(e.ChangeType), string(e.RecordKind)}, Event: record.AppendJSON(nil, changes(), e),
		})
	}
	return marshal(f, " ")
}
