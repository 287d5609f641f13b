package site

import (
	"stele/internal/base/layout"
	"stele/internal/show/site/markup"
)

// The page about the signature.
var (
	signedPageForm = markup.Parse(`
		{heading}
		<section><h2>{by}</h2>{keys}<p>{trust}</p></section>
		<section><h2>{where}</h2>
			<p id="place" data-place="{entry}" data-none="{none}">{proof}</p>
			<ul>{files}</ul>
		</section>
		<section data-copy="{copy}" data-copied="{copied}"><h2>{check}</h2>
			<p>{how}</p>
			<pre tabindex="0" class="copy">{command}</pre>
			<p>{proves}</p>
		</section>

		`)
	keyForm        = markup.Parse(`<p><code>{key}</code></p>`)
	signedFileForm = markup.Parse(`<li>{file}: {text}</li>`)
)

// writeSigned makes the page about the signature, where the publisher names keys. A release is
// signed after its pages are made, so its place in the log is not known here: a script reads it
// from the proof, and without scripts the page says where it stands.
func (s *site) writeSigned() error {
	if len(s.settings.SigningKeys) == 0 {
		return nil
	}
	return s.put(layout.SignedPage, func(p *page) error {
		p.begin(head{title: p.words.Signed, description: p.words.SignedText, scripts: []string{"signed.js", "record.js"}})
		p.Fill(signedPageForm,
			markup.By("heading", func() { p.heading(p.words.Signed, p.words.SignedText, nothing) }),
			markup.With("by", p.words.SignedBy), markup.With("trust", p.words.SignedTrust),
			markup.By("keys", func() {
				for _, key := range p.settings.SigningKeys {
					p.Fill(keyForm, markup.With("key", key))
				}
			}),
			markup.With("where", p.words.SignedPlace), markup.With("entry", p.words.SignedEntry),
			markup.With("none", p.words.SignedNone), markup.With("proof", p.words.SignedProof),
			markup.By("files", p.signedFiles),
			markup.With("copy", p.words.Copy), markup.With("copied", p.words.Copied),
			markup.With("check", p.words.SignedCheck), markup.With("how", p.words.SignedHow),
			markup.With("command", "stele verify "+p.base+" --key "+p.settings.SigningKeys[0]+"\n"),
			markup.With("proves", p.words.SignedProves))
		p.end()
		return nil
	})
}

// signedFiles lists the files that a signature is made of.
func (p *page) signedFiles() {
	for _, f := range []struct{ address, text string }{
		{layout.Address(layout.ProofPath), p.words.SignedFileProof},
		{layout.Address(layout.CheckpointPath), p.words.SignedFileLog},
		{layout.Address(layout.ManifestPath), p.words.MoreManifest},
	} {
		p.Fill(signedFileForm, markup.By("file", func() { p.file(f.address) }), markup.With("text", f.text))
	}
}
