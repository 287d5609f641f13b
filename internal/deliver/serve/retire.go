package serve

import "stele/internal/deliver/library"

// maxLeases is how many releases may be sent from beside the one that is served. An older one has
// the idle time left.
const maxLeases = 3

// retire lets a release that was replaced be sent from for a while.
func (s *Server) retire(l *library.Lease) {
	if s.leases = append(s.leases, l); len(s.leases) > maxLeases {
		s.leases[0].EndAfter(s.options.IdleTime)
		s.leases = append(s.leases[:0], s.leases[1:]...)
	}
	l.EndAfter(s.options.OldTime)
}
