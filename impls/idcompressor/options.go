package idcompressor

import (
	"fmt"

	"github.com/google/uuid"

	"example.com/idlab/impls"
	"example.com/idlab/impls/numericuuid"
)

// Option is a setting of [New], [Load] and [LoadText].
type Option func(*config)

type config struct {
	session     *uuid.UUID
	clusterSize int64
	version     int
	backend     impls.Backend
	hook        func(Event)
	newShardID  func() uuid.UUID
}

func newConfig(options []Option) (*config, error) {
	o := &config{clusterSize: DefaultClusterSize, version: DefaultVersion, backend: DefaultBackend, newShardID: uuid.New}
	for _, option := range options {
		option(o)
	}
	if err := checkClusterSize(o.clusterSize); err != nil {
		return nil, err
	}
	if o.version != V2 && o.version != V3 {
		return nil, fmt.Errorf("idcompressor: %w: write version %d is neither 2 nor 3", ErrInvalidArgument, o.version)
	}
	if o.session != nil {
		if _, err := parseID(*o.session); err != nil {
			return nil, err
		}
	}
	if o.backend.NewTable == nil || o.backend.NewNormalizer == nil {
		return nil, fmt.Errorf("idcompressor: %w: backend %q has no table or normalizer", ErrInvalidArgument, o.backend.Name)
	}
	return o, nil
}

// sessionID returns the session that was given, or a random one.
func (o *config) sessionID() (numericuuid.UUID, error) {
	if o.session == nil {
		id, _ := numericuuid.FromUUID(uuid.New())
		return id, nil
	}
	return parseID(*o.session)
}

func parseID(id uuid.UUID) (numericuuid.UUID, error) {
	n, ok := numericuuid.FromUUID(id)
	if !ok {
		return n, fmt.Errorf("idcompressor: %w: %s", ErrInvalidUUID, id)
	}
	return n, nil
}

// WithSession sets the compressor's own session; without it, [New] draws a
// random one. No two compressors at work may have the same session.
func WithSession(id uuid.UUID) Option { return func(o *config) { o.session = &id } }

// WithClusterSize sets the requested cluster size, [DefaultClusterSize] unless
// set. It is not part of the serialized form.
func WithClusterSize(size int64) Option { return func(o *config) { o.clusterSize = size } }

// WithVersion sets the version to write, [V2] or [V3], [DefaultVersion] unless
// set. A compressor that is loaded writes the greater of this and the
// version it was loaded from.
func WithVersion(version int) Option { return func(o *config) { o.version = version } }

// WithBackend sets the backend, [DefaultBackend] unless set. Backends differ in
// speed and memory, never in an answer.
func WithBackend(b impls.Backend) Option { return func(o *config) { o.backend = b } }

// WithEventHook has hook called with every [Event], after the change it tells
// of is complete. It may call the compressor.
func WithEventHook(hook func(Event)) Option { return func(o *config) { o.hook = hook } }

// WithShardIDs sets where [Compressor.Shard] takes its children's IDs from,
// random UUIDs unless set: for replays and tests.
func WithShardIDs(next func() uuid.UUID) Option { return func(o *config) { o.newShardID = next } }
