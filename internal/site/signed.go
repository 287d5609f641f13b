package site

import "stele/internal/layout"

// writeSigned makes the page about the signature, where the publisher names keys. A release is
// signed after its pages are made, so its place in the log is not known here: a script reads it
// from the proof, and without scripts the page says where it stands.
func (s *site) writeSigned() error {
	if len(s.settings.SigningKeys) == 0 {
		return nil
	}
	return s.put(layout.SignedPage, func(p *page) error {
		p.begin(head{title: p.words.Signed, description: p.words.SignedText, scripts: []string{"signed.js", "record.js"}})
		p.HTML(`<header class="opening"><h1>`)
		p.Text(p.words.Signed)
		p.HTML(`</h1><p class="lead">`)
		p.Text(p.words.SignedText)
		p.HTML(`</p></header><section><h2>`)
		p.Text(p.words.SignedBy)
		p.HTML("</h2>")
		for _, key := range p.settings.SigningKeys {
			p.HTML("<p><code>")
			p.Text(key)
			p.HTML("</code></p>")
		}
		p.HTML("<p>")
		p.Text(p.words.SignedTrust)
		p.HTML("</p></section><section><h2>")
		p.Text(p.words.SignedPlace)
		p.HTML(`</h2><p id="place"`)
		p.Attr("data-place", p.words.SignedEntry)
		p.Attr("data-none", p.words.SignedNone)
		p.HTML(">")
		p.Text(p.words.SignedProof)
		p.HTML("</p><ul>")
		for _, f := range []struct{ address, text string }{
			{layout.Address(layout.ProofPath), p.words.SignedFileProof},
			{layout.Address(layout.CheckpointPath), p.words.SignedFileLog},
			{layout.Address(layout.ManifestPath), p.words.MoreManifest},
		} {
			p.HTML("<li>")
			p.file(f.address)
			p.HTML(": ")
			p.Text(f.text)
			p.HTML("</li>")
		}
		p.HTML("</ul></section><section")
		p.Attr("data-copy", p.words.Copy)
		p.Attr("data-copied", p.words.Copied)
		p.HTML("><h2>")
		p.Text(p.words.SignedCheck)
		p.HTML("</h2><p>")
		p.Text(p.words.SignedHow)
		p.HTML(`</p><pre tabindex="0" class="copy">`)
		p.Text("stele verify " + p.base + " --key " + p.settings.SigningKeys[0] + "\n")
		p.HTML("</pre><p>")
		p.Text(p.words.SignedProves)
		p.HTML("</p></section>\n")
		p.end()
		return nil
	})
}
