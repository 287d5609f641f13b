package client

import "stele/internal/trust/signing"

// Reasons for refusing a signed release, for errors.Is. The error's text contains the cause and the
// remedy.
var (
	ErrUnsigned   = signing.ErrUnsigned   // missing signature
	ErrUntrusted  = signing.ErrUntrusted  // not signed by the key
	ErrAltered    = signing.ErrAltered    // the release or its log differs from what was signed
	ErrRolledBack = signing.ErrRolledBack // older than a release seen before, or withdraws it
	ErrForked     = signing.ErrForked     // two histories, both signed
)
