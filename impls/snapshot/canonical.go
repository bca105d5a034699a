package snapshot

import "example.com/idlab/impls/numericuuid"

// Canonical returns the state's document in the one form that all compressors
// with an equal document share: version 3, without session, the sessions that
// have clusters in the order of their first ones.
func (s *State) Canonical() *State {
	c := &State{
		Version:  V3,
		Sessions: make([]numericuuid.UUID, 0, len(s.Sessions)),
		Clusters: make([]Cluster, len(s.Clusters)),
	}
	place := make([]int32, len(s.Sessions)) // 1 more than in c, 0 if not there yet
	for i, cluster := range s.Clusters {
		if place[cluster.Session] == 0 {
			c.Sessions = append(c.Sessions, s.Sessions[cluster.Session])
			place[cluster.Session] = int32(len(c.Sessions))
		}
		cluster.Session = place[cluster.Session] - 1
		c.Clusters[i] = cluster
	}
	return c
}
