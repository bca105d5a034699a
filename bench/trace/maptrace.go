package trace

import (
	"encoding/json"
	"fmt"

	"example.com/idlab/impls/closemap"
)

// mapPlayer plays maptrace/1 on one closemap.
type mapPlayer struct {
	m       *closemap.Map[int64, int64]
	cursors map[string]*closemap.Cursor[int64, int64]
}

func newMapPlayer() *mapPlayer {
	return &mapPlayer{closemap.New[int64, int64](), map[string]*closemap.Cursor[int64, int64]{}}
}

// mapOp is an operation on a map: it reads its arguments, makes the call, and
// returns the answers by the names of their members.
type mapOp func(p *mapPlayer, f *fields) (map[string]any, error)

// mapOps is the table of maptrace/1.
var mapOps = map[string]mapOp{
	"set": func(p *mapPlayer, f *fields) (map[string]any, error) {
		k, err := get[int64](f, "k")
		if err != nil {
			return nil, err
		}
		v, err := get[int64](f, "v")
		if err != nil {
			return nil, err
		}
		return nil, p.m.TrySet(k, v)
	},
	"get": func(p *mapPlayer, f *fields) (map[string]any, error) {
		k, err := get[int64](f, "k")
		if err != nil {
			return nil, err
		}
		if v, ok := p.m.Get(k); ok {
			return result(v)
		}
		return result(nil)
	},
	"delete": func(p *mapPlayer, f *fields) (map[string]any, error) {
		k, err := get[int64](f, "k")
		if err != nil {
			return nil, err
		}
		return result(p.m.Delete(k))
	},
	"clear": func(p *mapPlayer, _ *fields) (map[string]any, error) {
		p.m.Clear()
		return nil, nil
	},
	"iter": func(p *mapPlayer, f *fields) (map[string]any, error) {
		name, err := get[string](f, "name")
		if err == nil && p.cursors[name] != nil {
			err = fmt.Errorf("iterator %s is open already", quote(name))
		}
		if err != nil {
			return nil, err
		}
		p.cursors[name] = p.m.Cursor()
		return nil, nil
	},
	"next": func(p *mapPlayer, f *fields) (map[string]any, error) {
		name, err := get[string](f, "name")
		if err != nil {
			return nil, err
		}
		cursor := p.cursors[name]
		if cursor == nil {
			return nil, fmt.Errorf("there is no iterator %s", quote(name))
		}
		k, v, ok := cursor.Next()
		if !ok {
			delete(p.cursors, name)
			return result(nil)
		}
		return result([2]int64{k, v})
	},
	"entries": func(p *mapPlayer, f *fields) (map[string]any, error) {
		listed, err := get[[]json.RawMessage](f, "result")
		if err != nil {
			return nil, err
		}
		entries := make([][2]int64, 0, min(len(listed), p.m.Len()))
		for k, v := range p.m.All() {
			if len(entries) == len(listed) {
				break
			}
			entries = append(entries, [2]int64{k, v})
		}
		return map[string]any{"result": entries, "size": p.m.Len()}, nil
	},
}

func result(v any) (map[string]any, error) { return map[string]any{"result": v}, nil }

func (p *mapPlayer) play(f *fields) (*Difference, error) {
	name, err := get[string](f, "op")
	if err != nil {
		return nil, err
	}
	op, ok := mapOps[name]
	if !ok {
		return nil, fmt.Errorf("unknown op %s", quote(name))
	}
	answers, err := op(p, f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, key := range []string{"result", "size"} {
		answer, ok := answers[key]
		if !ok {
			continue
		}
		got, err := json.Marshal(answer)
		if err != nil {
			return nil, err
		}
		d, err := compare(f, name, key, got)
		if d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}
