package live

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Faults are how often what goes wrong in a run.
type Faults struct {
	Session int `json:"session"` // a node's process is killed and started again
	Server  int `json:"server"`  // an embedded server is killed and started again
	Cut     int `json:"cut"`     // a node is cut off, and comes back with thousands of unsent IDs
	Stale   int `json:"stale"`   // a node is killed, and finds an older state on its disk
	Garbage int `json:"garbage"` // a foreign or damaged message is published
	Repeat  int `json:"repeat"`  // a message that is in the stream is published once more
}

// SomeFaults is what "--kill" without a value stands for.
const SomeFaults = "session:10,server:2,cut:2,stale:1,garbage:10,repeat:5"

// fields names the faults.
func (f *Faults) fields() []struct {
	name string
	n    *int
} {
	return []struct {
		name string
		n    *int
	}{
		{"session", &f.Session}, {"server", &f.Server}, {"cut", &f.Cut},
		{"stale", &f.Stale}, {"garbage", &f.Garbage}, {"repeat", &f.Repeat},
	}
}

// ParseFaults reads them as in [SomeFaults]; empty or "none" are none.
func ParseFaults(text string) (f Faults, err error) {
	if text == "none" || text == "" {
		return f, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		name, count, _ := strings.Cut(strings.TrimSpace(item), ":")
		known := false
		for _, field := range f.fields() {
			if field.name == name {
				known = true
				if *field.n, err = strconv.Atoi(count); err != nil || *field.n < 0 || *field.n > 10_000 {
					return f, fmt.Errorf("faults: %q: give it a number of times, as in %s:2", item, name)
				}
			}
		}
		if !known {
			return f, fmt.Errorf("faults: %q is none: there are %s", name, SomeFaults)
		}
	}
	return f, nil
}

// String returns what ParseFaults reads.
func (f Faults) String() string {
	var items []string
	for _, field := range f.fields() {
		if *field.n > 0 {
			items = append(items, fmt.Sprintf("%s:%d", field.name, *field.n))
		}
	}
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ",")
}

// incident is a fault, or a newcomer, at a moment.
type incident struct {
	at   float64 // the share of all IDs that is issued then
	kind string
	pair *pair // of the two halves of a stale disk
}

// pair is what the halves of a stale disk share: whose disk the first copied,
// nil if there was none, and how many IDs that node had issued.
type pair struct {
	node   *node
	issued int64
}

// The kinds of incidents that are no fields of Faults.
const (
	backup  = "backup"
	restore = "restore"
	join    = "join"
)

// schedule draws when what happens, in order of time. Of all nodes, late ones
// join while others are at work.
func (f Faults) schedule(rng *rand.Rand, nodes, late int) []incident {
	var all []incident
	for range late {
		// The others issue no more than their own share.
		all = append(all, incident{at: rng.Float64() * 0.7 * float64(nodes-late) / float64(nodes), kind: join})
	}
	for _, field := range f.fields() {
		for range *field.n {
			if field.name != "stale" {
				all = append(all, incident{at: 0.05 + 0.9*rng.Float64(), kind: field.name})
				continue
			}
			first, p := 0.1+0.3*rng.Float64(), &pair{}
			all = append(all, incident{first, backup, p}, incident{first + 0.2 + 0.3*rng.Float64(), restore, p})
		}
	}
	slices.SortStableFunc(all, func(a, b incident) int { return cmp.Compare(a.at, b.at) })
	return all
}

// Plants are faults of a session that a run must find.
var Plants = []string{PlantSkipRange}

// PlantSkipRange has a session leave out a range: it takes it, and never sends it.
const PlantSkipRange = "skip-range"

var errPlant = errors.New("it is no planted fault")
