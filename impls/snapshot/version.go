package snapshot

import (
	"errors"
	"fmt"
)

// ErrSharded is the error of sharding state that version 2 has no place for.
var ErrSharded = errors.New("sharded, which only version 3 can hold")

// InVersion returns the state in another version, nothing lost; it shares its
// slices with s. Errors: [ErrUnsupportedVersion], [ErrSharded].
func (s *State) InVersion(version int) (*State, error) {
	if version != V2 && version != V3 {
		return nil, fmt.Errorf("snapshot: %w: %d", ErrUnsupportedVersion, version)
	}
	if version == V2 && s.Local != nil && s.Local.Sharding != nil {
		return nil, fmt.Errorf("snapshot: to version 2: %w", ErrSharded)
	}
	c := *s
	c.Version = version
	return &c, nil
}
