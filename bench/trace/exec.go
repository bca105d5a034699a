package trace

import (
	"errors"
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/idcompressor"
)

// machine runs calls on compressors of a backend. The newest answer is in out.
type machine struct {
	backend impls.Backend
	on      []*idcompressor.Compressor
	out     answer

	shardIDs   []uuid.UUID // for the shard call under way
	shardBytes int64       // of all shards so far
	text       []byte      // storage of out.data
}

// errShards is the answer where shards would take too much memory.
var errShards = fmt.Errorf("the shards of the trace take more than %d bytes", MaxShards)

// errAbsent is the answer of a compressor whose making failed.
var errAbsent = errors.New("the compressor could not be made")

// do runs one call. out is valid until the next.
func (m *machine) do(p *Program, c *call) {
	m.out.kind, m.out.err = answerNone, nil
	if c.on >= 0 && (int(c.on) >= len(m.on) || m.on[c.on] == nil) && c.op != opCreate && c.op != opDeserialize {
		m.out.err = errAbsent
		return
	}
	ops[c.op].run(m, p, c)
}

func (m *machine) create(p *Program, c *call) {
	comp, err := idcompressor.New(m.options(&p.opens[c.arg])...)
	m.keep(c.on, comp, err)
}

func (m *machine) deserialize(p *Program, c *call) {
	a := &p.opens[c.arg]
	comp, err := idcompressor.LoadText(a.text, m.options(a)...)
	m.keep(c.on, comp, err)
}

func (m *machine) options(a *openArg) []idcompressor.Option {
	options := []idcompressor.Option{
		idcompressor.WithBackend(m.backend), idcompressor.WithShardIDs(m.nextShardID), idcompressor.WithVersion(a.version),
	}
	if a.session != nil {
		options = append(options, idcompressor.WithSession(*a.session))
	}
	if a.clusterSize != nil {
		options = append(options, idcompressor.WithClusterSize(*a.clusterSize))
	}
	return options
}

// keep puts a new compressor in its place.
func (m *machine) keep(slot int32, comp *idcompressor.Compressor, err error) {
	if m.out.err = err; err != nil || slot < 0 {
		return
	}
	for int(slot) >= len(m.on) {
		m.on = append(m.on, nil)
	}
	m.on[slot] = comp
}

// nextShardID returns the IDs of the line, and then one that is refused.
func (m *machine) nextShardID() (id uuid.UUID) {
	if len(m.shardIDs) > 0 {
		id, m.shardIDs = m.shardIDs[0], m.shardIDs[1:]
	}
	return id
}

func (m *machine) clusterSize(_ *Program, c *call) {
	m.out.err = m.on[c.on].SetClusterSize(c.id)
}

func (m *machine) generate(_ *Program, c *call) {
	m.out.kind = answerIDs
	m.out.ids, m.out.err = m.on[c.on].AppendGenerate(m.out.ids[:0], int(c.id))
}

func (m *machine) documentUnique(_ *Program, c *call) {
	m.out.kind = answerUnique
	m.out.unique, m.out.err = m.on[c.on].GenerateDocumentUniqueID()
}

func (m *machine) takeRange(_ *Program, c *call) {
	m.out.kind = answerRange
	m.out.r, m.out.err = m.on[c.on].TakeNextCreationRange()
}

func (m *machine) takeUnfinalized(_ *Program, c *call) {
	m.out.kind = answerRange
	m.out.r, m.out.err = m.on[c.on].TakeUnfinalizedCreationRange()
}

func (m *machine) resetUnfinalized(_ *Program, c *call) {
	m.out.err = m.on[c.on].ResetUnfinalizedCreationRange()
}

func (m *machine) finalize(p *Program, c *call) {
	a := &p.ranges[c.arg]
	if a.err != nil {
		m.out.err = m.refuse(c, a.err)
		return
	}
	m.out.err = m.on[c.on].FinalizeCreationRange(a.r)
}

// refuse is the answer to an argument that could not be read: whether the
// compressor can still be used is judged before it.
func (m *machine) refuse(c *call, err error) error {
	if disposed := m.disposed(c); disposed != nil {
		return disposed
	}
	return err
}

func (m *machine) disposed(c *call) error {
	_, _, err := m.on[c.on].TryNormalizeToSessionSpace(-1)
	return err
}

func (m *machine) toOp(_ *Program, c *call) {
	id, err := m.on[c.on].NormalizeToOpSpace(idcompressor.SessionSpaceID(c.id))
	m.out.setID(int64(id), err)
}

func (m *machine) toSession(p *Program, c *call) {
	id, err := m.on[c.on].NormalizeToSessionSpace(idcompressor.OpSpaceID(c.id), p.uuids[c.arg])
	m.out.setID(int64(id), err)
}

func (m *machine) toSessionNoOrigin(_ *Program, c *call) {
	id, ok, err := m.on[c.on].TryNormalizeToSessionSpace(idcompressor.OpSpaceID(c.id))
	m.out.setID(int64(id), err)
	if !ok {
		m.out.kind = answerNull
	}
}

func (m *machine) decompress(_ *Program, c *call) {
	m.out.kind = answerStable
	m.out.stable, m.out.err = m.on[c.on].Decompress(idcompressor.SessionSpaceID(c.id))
}

func (m *machine) recompress(p *Program, c *call) {
	id, ok := m.on[c.on].TryRecompress(p.uuids[c.arg])
	m.out.setID(int64(id), nil)
	if !ok {
		m.out.kind, m.out.err = answerNull, m.disposed(c)
	}
}

func (m *machine) ghost(p *Program, c *call) {
	comp := m.on[c.on]
	m.out.kind = answerIDs
	m.out.err = comp.BeginGhostSession(p.uuids[c.arg], func() (err error) {
		m.out.ids, err = comp.AppendGenerate(m.out.ids[:0], int(c.id))
		return err
	})
}

func (m *machine) shard(p *Program, c *call) {
	a := &p.shards[c.arg]
	if len(a.ids) > 0 { // without, it cannot succeed
		var err error
		if m.text, err = m.on[c.on].AppendSerialized(m.text[:0], true); err == nil {
			m.shardBytes += int64(len(a.ids)) * int64(len(m.text))
		}
		if m.shardBytes > MaxShards {
			m.out.err = errShards
			return
		}
	}
	m.shardIDs = a.ids
	m.out.kind = answerShards
	if m.out.shards, m.out.err = m.on[c.on].Shard(c.id); m.out.err != nil {
		return
	}
	for i, slot := range a.into {
		child, err := idcompressor.Load(m.out.shards[i].Data,
			idcompressor.WithBackend(m.backend), idcompressor.WithShardIDs(m.nextShardID))
		if m.keep(slot, child, err); err != nil {
			return
		}
	}
}

func (m *machine) shardToken(_ *Program, c *call) {
	token, err := m.on[c.on].ShardSyncToken()
	m.out.setToken(token, err)
}

func (m *machine) disposeShard(_ *Program, c *call) {
	token, err := m.on[c.on].DisposeShard()
	m.out.setToken(token, err)
}

func (m *machine) syncShard(p *Program, c *call) {
	a := &p.tokens[c.arg]
	if a.err != nil {
		m.out.err = m.refuse(c, a.err)
		return
	}
	m.out.err = m.on[c.on].SynchronizeWithShard(a.child)
}

func (m *machine) parentToken(p *Program, c *call) {
	a := &p.tokens[c.arg]
	if a.err != nil {
		m.out.err = m.refuse(c, a.err)
		return
	}
	m.out.kind = answerParentToken
	m.out.parent, m.out.err = m.on[c.on].ChildShardSyncToken(a.child)
}

func (m *machine) syncParent(p *Program, c *call) {
	a := &p.tokens[c.arg]
	if a.err != nil {
		m.out.err = m.refuse(c, a.err)
		return
	}
	m.out.err = m.on[c.on].SynchronizeWithParent(a.parent)
}

func (m *machine) serialize(_ *Program, c *call) {
	m.out.kind = answerData
	m.text, m.out.err = m.on[c.on].AppendSerializedText(m.text[:0], c.flag)
	m.out.data = m.text
}

func (m *machine) equal(_ *Program, c *call) {
	if int(c.arg) >= len(m.on) || m.on[c.arg] == nil {
		m.out.err = errAbsent
		return
	}
	m.out.kind = answerFlag
	m.out.flag, m.out.err = m.on[c.on].Equal(m.on[c.arg], c.flag)
}
