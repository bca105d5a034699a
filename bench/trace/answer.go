package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math/bits"
	"reflect"
	"strconv"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// answer is what a call returned. Which field counts, kind says, unless there
// is an error.
type answer struct {
	kind   answerKind
	flag   bool
	id     int64
	err    error
	ids    []idcompressor.SessionSpaceID
	stable uuid.UUID
	unique idcompressor.DocumentUniqueID
	r      idcompressor.CreationRange
	token  idcompressor.ShardSyncToken
	parent idcompressor.ParentShardSyncToken
	data   []byte
	shards []idcompressor.Shard
}

type answerKind uint8

const (
	answerNone answerKind = iota
	answerNull
	answerID
	answerIDs
	answerStable
	answerUnique
	answerRange
	answerToken
	answerParentToken
	answerData
	answerFlag
	answerShards
)

func (a *answer) setID(id int64, err error) { a.kind, a.id, a.err = answerID, id, err }

func (a *answer) setToken(token *idcompressor.ShardSyncToken, err error) {
	a.kind, a.err = answerNull, err
	if token != nil {
		a.kind, a.token = answerToken, *token
	}
}

// append writes the answer as the members of a line.
func (a *answer) append(dst []byte, c *call) []byte {
	if a.err != nil {
		return appendString(dst, "error", idcompressor.ErrorClass(a.err))
	}
	for _, key := range ops[c.op].answers {
		dst = a.appendValue(appendKey(dst, key), key)
	}
	return dst
}

// appendValue writes the answer as the value of the member key.
func (a *answer) appendValue(dst []byte, key string) []byte {
	switch a.kind {
	case answerNull:
		return append(dst, "null"...)
	case answerID:
		return strconv.AppendInt(dst, a.id, 10)
	case answerIDs:
		dst = append(dst, '[')
		for i, id := range a.ids {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = strconv.AppendInt(dst, int64(id), 10)
		}
		return append(dst, ']')
	case answerStable:
		return appendValue(dst, a.stable)
	case answerUnique:
		if a.unique.IsFinal() {
			return strconv.AppendInt(dst, int64(a.unique.Final), 10)
		}
		return appendValue(dst, a.unique.Stable)
	case answerRange:
		dst, _ = a.r.AppendText(dst) // it has no error
		return dst
	case answerToken:
		return appendValue(dst, a.token)
	case answerParentToken:
		return appendValue(dst, a.parent)
	case answerData:
		return append(append(append(dst, '"'), a.data...), '"')
	case answerFlag:
		return strconv.AppendBool(dst, a.flag)
	case answerShards:
		return a.appendShards(dst, key)
	}
	return dst
}

func (a *answer) appendShards(dst []byte, key string) []byte {
	tokens := make([]idcompressor.ShardSyncToken, len(a.shards))
	data := make([][]byte, len(a.shards)) // marshals as base64
	for i := range a.shards {
		tokens[i], data[i] = a.shards[i].Token, a.shards[i].Data
	}
	if key == "tokens" {
		return appendValue(dst, tokens)
	}
	return appendValue(dst, data)
}

// sameJSON reports whether two texts are the same value: blanks and the order
// of members do not count.
func sameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, errX := decode(a)
	y, errY := decode(b)
	return errX == nil && errY == nil && reflect.DeepEqual(x, y)
}

func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// sum is a checksum over numbers, of which order and number count.
type sum uint64

func (s *sum) add(x uint64) {
	const k1, k2 = 0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9 // odd, of even bit count
	*s = sum(bits.RotateLeft64(uint64(*s)^x*k1, 29) * k2)
}

func (s *sum) addUUID(u uuid.UUID) {
	s.add(binary.BigEndian.Uint64(u[:8]))
	s.add(binary.BigEndian.Uint64(u[8:]))
}

func (s *sum) addBytes(data []byte) { s.add(uint64(len(data))<<32 | uint64(crc32.ChecksumIEEE(data))) }

// count returns how many IDs the answer is about.
func (a *answer) count() int64 {
	switch a.kind {
	case answerNull, answerID, answerStable, answerUnique:
		return 1
	case answerIDs:
		return int64(len(a.ids))
	}
	return 0
}

// fold adds the answer to a checksum.
func (a *answer) fold(s *sum) {
	if a.err != nil {
		s.addBytes([]byte(idcompressor.ErrorClass(a.err)))
		return
	}
	switch a.kind {
	case answerNull:
		s.add(1 << 63)
	case answerID:
		s.add(uint64(a.id))
	case answerIDs:
		for _, id := range a.ids {
			s.add(uint64(id))
		}
	case answerStable:
		s.addUUID(a.stable)
	case answerUnique:
		s.add(uint64(a.unique.Final))
		s.addUUID(a.unique.Stable)
	case answerRange:
		a.foldRange(s)
	case answerToken:
		s.add(uint64(a.token.LocalGenCount))
		s.addUUID(a.token.ShardID)
	case answerParentToken:
		s.add(uint64(a.parent.LocalGenCount))
		s.addUUID(a.parent.ShardID)
	case answerData:
		s.addBytes(a.data)
	case answerFlag:
		if a.flag {
			s.add(1)
		} else {
			s.add(0)
		}
	case answerShards:
		for i := range a.shards {
			s.addBytes(a.shards[i].Data)
		}
	}
}

func (a *answer) foldRange(s *sum) {
	s.addUUID(a.r.SessionID)
	if ids := a.r.IDs; ids != nil {
		s.add(uint64(ids.FirstGenCount))
		s.add(uint64(ids.Count))
		s.add(uint64(ids.RequestedClusterSize))
		for _, run := range ids.LocalIDRanges {
			s.add(uint64(run.First))
			s.add(uint64(run.Count))
		}
	}
}
