package workload

import "example.com/idlab/impls/snapshot"

// The measuring session: 10,000 IDs, as if it had generated 256 at a time
// whenever its cluster was full, and asked for 256 more with each range. Of
// every 512 IDs the first half is local and the second eager.
const (
	ownGenerated    = 10_000
	ownClusters     = 18
	ownHalf         = capacity / 2
	ownReserved     = ownClusters * capacity // 9,216; what comes after is local, and not acknowledged
	ownAcknowledged = ownReserved - ownHalf/2
	ownTaken        = ownReserved + 384 // the last range taken, which is still under way
)

func ownState() snapshot.Local {
	own := snapshot.Local{Generated: ownGenerated, Cursor: ownTaken + 1}
	for first := int64(1); first < ownReserved; first += capacity {
		own.Runs = append(own.Runs, snapshot.Run{First: first, Count: ownHalf})
	}
	own.Runs = append(own.Runs, snapshot.Run{First: ownReserved + 1, Count: ownGenerated - ownReserved})
	return own
}

// ownCluster is the measuring session's cluster where nobody else wrote meanwhile.
func ownCluster() snapshot.Cluster {
	return snapshot.Cluster{Session: 0, Capacity: ownReserved, Count: ownAcknowledged}
}
