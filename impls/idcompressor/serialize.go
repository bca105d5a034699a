package idcompressor

import (
	"fmt"
	"iter"
	"slices"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
	"example.com/idlab/impls/snapshot"
)

// AppendSerialized appends the compressor's binary form to dst, see package
// snapshot. With session it holds the whole state, for the same session to go
// on from; without, it is what a document stores, and holds only what all
// sessions agree on. Either form is refused in a ghost session, [ErrGhost], and
// after the compressor was disposed, [ErrDisposed].
func (c *Compressor) AppendSerialized(dst []byte, withSession bool) ([]byte, error) {
	s, err := c.State(withSession)
	if err != nil {
		return dst, err
	}
	c.tellSize(s)
	return s.AppendBinary(dst)
}

// AppendSerializedText appends Fluid's text form: base64 of the binary one.
func (c *Compressor) AppendSerializedText(dst []byte, withSession bool) ([]byte, error) {
	s, err := c.State(withSession)
	if err != nil {
		return dst, err
	}
	c.tellSize(s)
	return s.AppendText(dst)
}

// AppendBinary is [encoding.BinaryAppender]: the form with session.
func (c *Compressor) AppendBinary(dst []byte) ([]byte, error) { return c.AppendSerialized(dst, true) }

// MarshalBinary is [encoding.BinaryMarshaler]: the form with session.
func (c *Compressor) MarshalBinary() ([]byte, error) { return c.AppendSerialized(nil, true) }

// AppendText is [encoding.TextAppender]: the text form with session.
func (c *Compressor) AppendText(dst []byte) ([]byte, error) { return c.AppendSerializedText(dst, true) }

// MarshalText is [encoding.TextMarshaler]: the text form with session.
func (c *Compressor) MarshalText() ([]byte, error) { return c.AppendSerializedText(nil, true) }

// State returns the compressor's state as data, a copy, under the conditions of
// [Compressor.AppendSerialized].
func (c *Compressor) State(withSession bool) (*snapshot.State, error) {
	if err := c.usable("serialize"); err != nil {
		return nil, err
	}
	if c.ghost != nil {
		return nil, fmt.Errorf("idcompressor: serialize: %w: not while one is going on", ErrGhost)
	}
	return c.state(withSession), nil
}

func (c *Compressor) state(withSession bool) *snapshot.State {
	n := c.table.SessionCount()
	s := &snapshot.State{
		Version:  c.version,
		Sessions: make([]numericuuid.UUID, 0, n),
		Clusters: make([]snapshot.Cluster, 0, c.table.ClusterCount()),
	}
	list := c.table.Clusters
	if extents, ok := c.table.(impls.ExtentLister); ok {
		list = extents.Extents
	}
	for cluster := range list() {
		s.Clusters = append(s.Clusters, snapshot.Cluster{Session: int32(cluster.Session), Capacity: cluster.Capacity, Count: cluster.Count})
	}
	// Without session, those without clusters are left out, and the others
	// move up.
	moved := make([]int32, n) // 1 more than the new position, 0 for those left out
	for i := range s.Clusters {
		moved[s.Clusters[i].Session] = 1
	}
	for i := range impls.Session(n) {
		if withSession || moved[i] != 0 {
			s.Sessions = append(s.Sessions, c.table.SessionID(i))
			moved[i] = int32(len(s.Sessions))
		}
	}
	if len(s.Sessions) < n {
		for i := range s.Clusters {
			s.Clusters[i].Session = moved[s.Clusters[i].Session] - 1
		}
	}
	if withSession {
		s.Local = c.localState()
	}
	return s
}

func (c *Compressor) localState() *snapshot.Local {
	l := &snapshot.Local{Generated: c.gen, Cursor: c.cursor}
	for _, r := range c.localRuns(1, c.gen) {
		l.Runs = append(l.Runs, snapshot.Run(r))
	}
	if h := c.shard; h != nil {
		l.Sharding = &snapshot.Sharding{
			Stride: h.stride, Original: h.original, ShardID: clone(h.id),
			Children: slices.Clone(h.children),
		}
	}
	return l
}

func clone(id *numericuuid.UUID) *numericuuid.UUID {
	if id == nil {
		return nil
	}
	return new(*id)
}

func (c *Compressor) tellSize(s *snapshot.State) {
	c.tell(func() Event {
		return SerializedSizeEvent{Size: s.Size(), ClusterCount: len(s.Clusters), SessionCount: len(s.Sessions)}
	})
}

// Load reads the binary form. A form without session needs [WithSession], a
// session that the document does not have yet; one with session must not be
// given any. Errors: [ErrUnsupportedVersion], [ErrSessionMismatch],
// [ErrSessionExists], [ErrCorrupt], and those of the options.
func Load(data []byte, options ...Option) (*Compressor, error) {
	o, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	return o.parse(data)
}

// LoadText reads Fluid's text form, like [Load].
func LoadText(text []byte, options ...Option) (*Compressor, error) {
	o, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	data, err := snapshot.DecodeText(text)
	if err != nil {
		return nil, err
	}
	return o.parse(data)
}

func (o *config) parse(data []byte) (*Compressor, error) {
	h, err := snapshot.ParseHeader(data)
	if err != nil {
		return nil, err
	}
	if err := o.checkSession(h.HasLocal); err != nil {
		return nil, err
	}
	s, err := snapshot.Parse(data)
	if err != nil {
		return nil, err
	}
	return o.load(s)
}

// FromState returns a compressor of that state, like [Load], which it checks as
// Load does.
func FromState(s *snapshot.State, options ...Option) (*Compressor, error) {
	o, err := newConfig(options)
	if err != nil {
		return nil, err
	}
	if err := o.checkSession(s.Local != nil); err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	return o.load(s)
}

func (o *config) checkSession(hasLocal bool) error {
	switch {
	case hasLocal && o.session != nil:
		return fmt.Errorf("idcompressor: load: %w: the data has one, and %s was given", ErrSessionMismatch, *o.session)
	case !hasLocal && o.session == nil:
		return fmt.Errorf("idcompressor: load: %w: the data has none, and none was given", ErrSessionMismatch)
	}
	return nil
}

// load builds a compressor. Whatever the data holds was checked, but for
// sessions that are there twice.
func (o *config) load(s *snapshot.State) (*Compressor, error) {
	sessions, offset := s.Sessions, impls.Session(0)
	if s.Local == nil {
		own, err := o.sessionID()
		if err != nil {
			return nil, err
		}
		// The new session goes before those of the document.
		sessions = append(append(make([]numericuuid.UUID, 0, len(s.Sessions)+1), own), s.Sessions...)
		offset = 1
	}
	o.version = max(o.version, s.Version)
	c := o.compressor(sessions[0])
	if i, ok := fill(c.table, sessions, len(s.Clusters), clusters(s, len(sessions), offset)); !ok {
		if offset == 1 && sessions[i] == sessions[0] {
			return nil, fmt.Errorf("idcompressor: load: %w: %s", ErrSessionExists, sessions[0])
		}
		at := i - int(offset)
		return nil, &snapshot.Error{
			Field: fmt.Sprintf("sessions[%d]", at), Offset: int64(32 + 16*at), Value: sessions[i].String(),
			Reason: "is there twice", Err: ErrCorrupt,
		}
	}
	if n := len(s.Clusters); n > 0 {
		var before int64
		for i := range s.Clusters[:n-1] {
			before += s.Clusters[i].Capacity
		}
		last := s.Clusters[n-1]
		c.trackLast(&impls.Cluster{BaseFinal: before, Capacity: last.Capacity, Count: last.Count}, impls.Session(last.Session)+offset)
	}
	if l := s.Local; l != nil {
		c.gen, c.cursor = l.Generated, l.Cursor
		for _, r := range l.Runs {
			c.addLocalRun(r.First, r.Count)
		}
		if h := l.Sharding; h != nil {
			c.shard = &shardState{stride: h.Stride, original: h.Original, children: slices.Clone(h.Children), id: clone(h.ShardID)}
		}
	}
	c.refreshOwn()
	return c, nil
}

// clusters yields the clusters of a state with what its form leaves out.
func clusters(s *snapshot.State, sessions int, offset impls.Session) iter.Seq[impls.Cluster] {
	return func(yield func(impls.Cluster) bool) {
		gens := make([]int64, sessions)
		var limit int64
		for _, cluster := range s.Clusters {
			owner := impls.Session(cluster.Session) + offset
			c := impls.Cluster{Session: owner, BaseFinal: limit, BaseGen: gens[owner] + 1, Capacity: cluster.Capacity, Count: cluster.Count}
			limit += cluster.Capacity
			gens[owner] += cluster.Capacity
			if !yield(c) {
				return
			}
		}
	}
}

// fill fills an empty table, at once where it can.
func fill(t impls.ClusterTable, sessions []numericuuid.UUID, n int, clusters iter.Seq[impls.Cluster]) (int, bool) {
	if bulk, ok := t.(impls.BulkLoader); ok {
		return bulk.Load(sessions, n, clusters)
	}
	for i, id := range sessions {
		if _, added := t.AddSession(id); !added {
			return i, false
		}
	}
	for c := range clusters {
		t.AppendCluster(c)
	}
	return 0, true
}

// Sessions yields the sessions in the order in which this compressor first saw
// them, its own first. The compressor must not be changed meanwhile.
func (c *Compressor) Sessions() iter.Seq[uuid.UUID] {
	return func(yield func(uuid.UUID) bool) {
		for i := range impls.Session(c.table.SessionCount()) {
			if !yield(c.table.SessionID(i).UUID()) {
				return
			}
		}
	}
}

// Clusters yields the clusters in the order of their final IDs. The compressor
// must not be changed meanwhile.
func (c *Compressor) Clusters() iter.Seq[impls.Cluster] { return c.table.Clusters() }
