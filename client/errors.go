package client

import "stele/internal/trust/signing"

// Why a release with a key is not opened, or not updated to, for errors.Is. The error itself says
// what happened and what to do.
var (
	ErrUnsigned   = signing.ErrUnsigned   // there is no signature
	ErrUntrusted  = signing.ErrUntrusted  // nobody signed whom the key names
	ErrAltered    = signing.ErrAltered    // the release or its log is not what was signed
	ErrRolledBack = signing.ErrRolledBack // it is older than what was seen, or takes back what was
	ErrForked     = signing.ErrForked     // there are two histories, both signed
)
