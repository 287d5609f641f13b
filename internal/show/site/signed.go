package site

import (
	"stele/internal/base/layout"
	"stele/internal/show/site/frame"
	"stele/internal/show/site/markup"
)

// The forms of the page about the signature.
var (
	signedPageForm = markup.Parse(`
		{heading}
		<section><h2>{=SignedBy}</h2>{keys}<p>{=SignedTrust}</p></section>
		<section><h2>{=SignedPlace}</h2>
			<p id="place" data-place="{=SignedEntry}" data-none="{=SignedNone}">{=SignedProof}</p>
			<ul>{files}</ul>
		</section>
		<section data-copy="{=Copy}" data-copied="{=Copied}"><h2>{=SignedCheck}</h2>
			<p>{=SignedHow}</p>
			<pre tabindex="0" class="copy">{command}</pre>
			<p>{=SignedProves}</p>
		</section>`)
	keyForm        = markup.Parse(`<p><code>{key}</code></p>`)
	signedFileForm = markup.Parse(`<li>{file}: {text}</li>`)
)

// writeSigned writes the page about the signature, if the publisher names keys. A release is signed
// after its pages are written, so a script reads the release's position in the log from the proof.
// Without scripts, the page links to the proof.
func (s *site) writeSigned() error {
	if len(s.Settings.SigningKeys) == 0 {
		return nil
	}
	return s.Put(layout.SignedPage, func(p *page) {
		p.Open(frame.Head{Title: p.Words.Signed, Description: p.Words.SignedText, Scripts: []string{"signed.js", "record.js"}})
		p.Fill(signedPageForm, markup.By("heading", func() { p.WriteHeading(p.Words.Signed, p.Words.SignedText, nil) }),
			markup.Each("keys", p.Settings.SigningKeys, func(key string) { p.Fill(keyForm, markup.With("key", key)) }),
			markup.By("files", p.writeSignedFiles),
			markup.With("command", "stele verify "+p.Service()+" --key "+p.Settings.SigningKeys[0]+"\n"))
		p.Close()
	})
}

// writeSignedFiles writes a list of the files of a signature.
func (p *page) writeSignedFiles() {
	for _, f := range []struct{ address, text string }{
		{layout.Address(layout.ProofPath), p.Words.SignedFileProof},
		{layout.Address(layout.CheckpointPath), p.Words.SignedFileLog},
		{layout.Address(layout.ManifestPath), p.Words.MoreManifest},
	} {
		p.Fill(signedFileForm, markup.By("file", func() { p.WriteFileLink(f.address) }), markup.With("text", f.text))
	}
}
