// Package inspect tells a person or a program what a serialized compressor
// holds, and converts it between its forms: what idlab inspect and idlab
// convert do.
//
// The terms are those of packages snapshot and compact. An ID is finalized when
// a range with it was, and reserved when its cluster has a place for it that no
// range has taken yet.
package inspect

import (
	"encoding/hex"

	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
	"example.com/idlab/impls/snapshot/compact"
)

// Report is what is in a serialized compressor. Its JSON keys are fixed, since
// scripts rely on them.
type Report struct {
	Version       int   `json:"version"`       // of Fluid's form: 2 or 3
	HasLocalState bool  `json:"hasLocalState"` // a form with session
	Sessions      int   `json:"sessions"`
	Clusters      int   `json:"clusters"`
	Finalized     int64 `json:"finalized"` // IDs: the sum of counts
	Reserved      int64 `json:"reserved"`  // IDs: the sum of capacity - count

	Form          Form      `json:"form"`  // of the input
	Bytes         int       `json:"bytes"` // of the input
	EmptySessions int       `json:"emptySessions"`
	Fill          []Bucket  `json:"fill"`   // clusters by how full they are
	Chains        []Bucket  `json:"chains"` // sessions by how many clusters they have
	MostReserved  []Session `json:"mostReserved"`
	Local         *Local    `json:"local,omitempty"`
	Sizes         []Size    `json:"sizes"`
	Bound         float64   `json:"bound"` // bytes: compact.Bound
	Hash          string    `json:"hash"`  // compact.Hash in hex
	Findings      []string  `json:"findings"`
}

// Bucket is how many things a range of values has.
type Bucket struct {
	Label string `json:"label"`
	Count int    `json:"count"`
}

// Session is what a session of the document has.
type Session struct {
	ID        string `json:"id"`
	Clusters  int    `json:"clusters"`
	Finalized int64  `json:"finalized"`
	Reserved  int64  `json:"reserved"`
}

// Local is what only the own session knows.
type Local struct {
	Session   string    `json:"session"`
	Generated int64     `json:"generated"`
	LocalIDs  int64     `json:"localIDs"`  // of those, generated as local IDs
	Runs      int       `json:"runs"`      // that these are in
	Cursor    int64     `json:"cursor"`    // first generation count of the next creation range
	Finalized int64     `json:"finalized"` // own IDs
	Sharding  *Sharding `json:"sharding,omitempty"`
}

// Sharding is the state of a sharded compressor, or of a shard.
type Sharding struct {
	Stride         int64    `json:"stride"`
	OriginalStride int64    `json:"originalStride"`
	Children       []string `json:"children"`
	ShardID        string   `json:"shardID,omitempty"` // empty on the root
}

// Describe reads data in any form, as [Read] does, and reports what it holds.
// It takes time in proportion to the data, and some for compressing it.
func Describe(data []byte) (Report, error) {
	s, form, err := Read(data)
	if err != nil {
		return Report{}, err
	}
	r := Report{
		Version: s.Version, HasLocalState: s.Local != nil, Sessions: len(s.Sessions), Clusters: len(s.Clusters),
		Form: form, Bytes: len(data),
		Bound: compact.Bound(s),
	}
	sessions := tally(s)
	for _, t := range sessions {
		r.Finalized += t.finalized
		r.Reserved += t.reserved
		if t.clusters == 0 {
			r.EmptySessions++
		}
	}
	r.Fill = fill(s.Clusters)
	r.Chains = chains(sessions)
	r.MostReserved = mostReserved(s, sessions)
	r.Local = local(s, sessions)
	r.Findings = findings(s, sessions)
	if r.Sizes, err = sizes(s); err != nil {
		return Report{}, err
	}
	hash, err := compact.Hash(s)
	if err != nil {
		return Report{}, err
	}
	r.Hash = hex.EncodeToString(hash[:])
	return r, nil
}

// total is what a session has.
type total struct {
	clusters            int
	finalized, reserved int64
	capacity            int64 // IDs allocated
	own                 int64 // generation counts finalized, from 1 on
}

func tally(s *snapshot.State) []total {
	sessions := make([]total, len(s.Sessions))
	for _, c := range s.Clusters {
		t := &sessions[c.Session]
		t.own = t.capacity + c.Count
		t.clusters++
		t.finalized += c.Count
		t.reserved += c.Capacity - c.Count
		t.capacity += c.Capacity
	}
	return sessions
}

func local(s *snapshot.State, sessions []total) *Local {
	l := s.Local
	if l == nil {
		return nil
	}
	r := &Local{
		Session: s.Sessions[0].String(), Generated: l.Generated, Runs: len(l.Runs), Cursor: l.Cursor,
		Finalized: sessions[0].own,
	}
	for _, run := range l.Runs {
		r.LocalIDs += run.Count
	}
	if h := l.Sharding; h != nil {
		r.Sharding = &Sharding{Stride: h.Stride, OriginalStride: h.Original, Children: names(h.Children)}
		if h.ShardID != nil {
			r.Sharding.ShardID = h.ShardID.String()
		}
	}
	return r
}

func names(ids []numericuuid.UUID) []string {
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = id.String()
	}
	return names
}
