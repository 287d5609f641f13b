package describe

// jsonFeedDocument is a JSON Feed 1.1 document.
type jsonFeedDocument struct {
	Version     string       `json:"version"`
	Title       string       `json:"title"`
	HomePageURL string       `json:"home_page_url"`
	FeedURL     string       `json:"feed_url"`
	NextURL     string       `json:"next_url,omitempty"` // URL of the page with older entries
	Description string       `json:"description"`
	Language    string       `json:"language,omitempty"`
	Authors     []feedAuthor `json:"authors"`
	Items       []feedItem   `json:"items"`
}

type feedAuthor struct {
	Name string `json:"name"`
	URL  string `json:"url"`
}

func (p page) jsonFeed() []byte {
	const suffix = ".json"
	f := jsonFeedDocument{
		Version: "https://jsonfeed.org/version/1.1", Title: p.title(), HomePageURL: p.homeURL(), FeedURL: p.urlOf(p.ownURL(suffix)),
		Description: p.terms() + " Licence: " + p.settings.License + ".", Language: p.settings.Language,
		Authors: []feedAuthor{{p.settings.Publisher, p.urlOf("")}}, Items: p.items,
	}
	if before := p.earlierURL(suffix); before != "" {
		f.NextURL = p.urlOf(before)
	}
	return encode(f, " ")
}
