package idcompressor

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"example.com/idlab/impls/numericuuid"
)

// parentTokenType tells a parent's token from a child's in JSON.
const parentTokenType = "parentIdSpaceShardSyncToken"

// ShardSyncToken is the progress of a shard, for its parent. Its JSON is Fluid's.
type ShardSyncToken struct {
	LocalGenCount int64     // the shard's newest generation count
	ShardID       uuid.UUID // which child it is
	Disposed      bool      // it will generate no more
}

// ParentShardSyncToken is the progress of a parent, for one of its children.
// Its JSON is Fluid's.
type ParentShardSyncToken struct {
	ShardID       uuid.UUID // of the child it is for
	LocalGenCount int64
}

// MarshalJSON is [json.Marshaler].
func (t ShardSyncToken) MarshalJSON() ([]byte, error) {
	b := append([]byte(`{"localGenCount":`), strconv.FormatInt(t.LocalGenCount, 10)...)
	b = append(append(b, `,"shardId":"`...), t.ShardID.String()...)
	b = append(strconv.AppendBool(append(b, `","disposed":`...), t.Disposed), '}')
	return b, nil
}

// MarshalJSON is [json.Marshaler].
func (t ParentShardSyncToken) MarshalJSON() ([]byte, error) {
	b := append([]byte(`{"type":"`+parentTokenType+`","shardId":"`), t.ShardID.String()...)
	b = strconv.AppendInt(append(b, `","localGenCount":`...), t.LocalGenCount, 10)
	return append(b, '}'), nil
}

// UnmarshalJSON is [json.Unmarshaler]. Unknown fields are ignored. Errors:
// [ErrInvalidUUID], [ErrShard].
func (t *ShardSyncToken) UnmarshalJSON(data []byte) error {
	var wire wireToken
	id, n, err := wire.read(data)
	if err != nil {
		return err
	}
	if wire.Type != "" {
		return fmt.Errorf("idcompressor: token: %w: type is %.40q, expected none", ErrShard, wire.Type)
	}
	*t = ShardSyncToken{LocalGenCount: n, ShardID: id, Disposed: wire.Disposed}
	return nil
}

// UnmarshalJSON is [json.Unmarshaler]. Unknown fields are ignored. Errors:
// [ErrInvalidUUID], [ErrShard].
func (t *ParentShardSyncToken) UnmarshalJSON(data []byte) error {
	var wire wireToken
	id, n, err := wire.read(data)
	if err != nil {
		return err
	}
	if wire.Type != parentTokenType {
		return fmt.Errorf("idcompressor: token: %w: type is %.40q, expected %q", ErrShard, wire.Type, parentTokenType)
	}
	*t = ParentShardSyncToken{ShardID: id, LocalGenCount: n}
	return nil
}

type wireToken struct {
	Type     string           `json:"type"`
	ShardID  string           `json:"shardId"`
	Gen      *json.RawMessage `json:"localGenCount"`
	Disposed bool             `json:"disposed"`
}

func (w *wireToken) read(data []byte) (uuid.UUID, int64, error) {
	if err := json.Unmarshal(data, w); err != nil {
		return uuid.UUID{}, 0, fmt.Errorf("idcompressor: token: %w: %w", ErrShard, err)
	}
	id, err := numericuuid.Parse(w.ShardID)
	if err != nil {
		return uuid.UUID{}, 0, fmt.Errorf("idcompressor: token: shardId: %w", err)
	}
	n, err := safeInteger(w.Gen)
	if err == nil && n < 0 {
		err = fmt.Errorf("is negative: %d", n)
	}
	if err != nil {
		return uuid.UUID{}, 0, fmt.Errorf("idcompressor: token: %w: localGenCount %w", ErrShard, err)
	}
	return id.UUID(), n, nil
}
