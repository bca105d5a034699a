package trace

import (
	"encoding/json"
	"fmt"
	"strconv"

	"example.com/idlab/impls"
)

// arg is an argument of an operation: where a line has it, and its kind.
type arg struct {
	key  string
	kind argKind
}

// argKind reads an argument into a call and writes it as members of a line.
type argKind struct {
	read  func(b *builder, f *fields, key string, c *call) error
	write func(p *Program, names []string, dst []byte, key string, c *call) []byte
}

var (
	argOn = argKind{
		func(b *builder, f *fields, key string, c *call) (err error) {
			c.on, err = readName(f, key, b.slot)
			return err
		},
		func(_ *Program, names []string, dst []byte, key string, c *call) []byte {
			return appendString(dst, key, names[c.on])
		},
	}
	// argNew names a compressor that the call makes, unless it fails.
	argNew = argKind{
		func(b *builder, f *fields, key string, c *call) (err error) {
			if f.has("error") {
				_, err = get[string](f, key)
				return err
			}
			c.on, err = readName(f, key, b.define)
			return err
		},
		argOn.write,
	}
	argWith = argKind{
		func(b *builder, f *fields, key string, c *call) (err error) {
			c.arg, err = readName(f, key, b.slot)
			return err
		},
		func(_ *Program, names []string, dst []byte, key string, c *call) []byte {
			return appendString(dst, key, names[c.arg])
		},
	}
	argInt = argKind{
		func(_ *builder, f *fields, key string, c *call) (err error) {
			c.id, err = get[int64](f, key)
			return err
		},
		func(_ *Program, _ []string, dst []byte, key string, c *call) []byte {
			return strconv.AppendInt(appendKey(dst, key), c.id, 10)
		},
	}
	argFlag = argKind{
		func(_ *builder, f *fields, key string, c *call) (err error) {
			c.flag, err = get[bool](f, key)
			return err
		},
		func(_ *Program, _ []string, dst []byte, key string, c *call) []byte {
			return strconv.AppendBool(appendKey(dst, key), c.flag)
		},
	}
	argUUID = argKind{
		func(b *builder, f *fields, key string, c *call) error {
			id, err := f.uuid(key)
			c.arg = push(&b.uuids, id)
			return err
		},
		func(p *Program, _ []string, dst []byte, key string, c *call) []byte {
			return appendString(dst, key, p.uuids[c.arg].String())
		},
	}
	argRange = argKind{
		func(b *builder, f *fields, key string, c *call) error {
			var a rangeArg
			err := f.judge(key, &a.r, &a.err)
			c.arg = push(&b.ranges, a)
			return err
		},
		func(p *Program, _ []string, dst []byte, key string, c *call) []byte {
			dst, _ = p.ranges[c.arg].r.AppendText(appendKey(dst, key)) // it has no error
			return dst
		},
	}
	argToken = argKind{
		func(b *builder, f *fields, key string, c *call) error {
			var a tokenArg
			err := f.judge(key, &a.child, &a.err)
			c.arg = push(&b.tokens, a)
			return err
		},
		func(p *Program, _ []string, dst []byte, key string, c *call) []byte {
			return appendJSON(dst, key, p.tokens[c.arg].child)
		},
	}
	argParentToken = argKind{
		func(b *builder, f *fields, key string, c *call) error {
			var a tokenArg
			err := f.judge(key, &a.parent, &a.err)
			c.arg = push(&b.tokens, a)
			return err
		},
		func(p *Program, _ []string, dst []byte, key string, c *call) []byte {
			return appendJSON(dst, key, p.tokens[c.arg].parent)
		},
	}
	argOpen = argKind{
		func(b *builder, f *fields, _ string, c *call) error {
			a, err := readOpen(f, c.op == opDeserialize)
			c.arg = push(&b.opens, a)
			return err
		},
		func(p *Program, _ []string, dst []byte, _ string, c *call) []byte {
			return p.opens[c.arg].append(dst)
		},
	}
	argShard = argKind{
		func(b *builder, f *fields, _ string, c *call) error {
			a, err := b.readShard(f, c.id)
			c.arg = push(&b.shards, a)
			return err
		},
		func(p *Program, names []string, dst []byte, _ string, c *call) []byte {
			a := &p.shards[c.arg]
			into := make([]string, len(a.into))
			for i, slot := range a.into {
				into[i] = names[slot]
			}
			return appendJSON(appendJSON(dst, "into", into), "shardIds", a.ids)
		},
	}
)

func push[T any](s *[]T, v T) int32 {
	*s = append(*s, v)
	return int32(len(*s) - 1)
}

func readName(f *fields, key string, slot func(string) (int32, error)) (int32, error) {
	name, err := get[string](f, key)
	if err != nil {
		return 0, err
	}
	return slot(name)
}

func readOpen(f *fields, load bool) (a openArg, err error) {
	text, given, err := optional[string](f, "session")
	if err != nil {
		return a, err
	}
	if given {
		id := parseUUID(text)
		a.session = &id
	}
	if load {
		text, err := get[string](f, "data")
		if err != nil {
			return a, err
		}
		a.text = []byte(text)
	} else if !given {
		return a, fmt.Errorf("field %q is missing", "session")
	}
	if a.version, err = get[int](f, "writeVersion"); err != nil {
		return a, err
	}
	size, given, err := optional[int64](f, "clusterSize")
	if given {
		a.clusterSize = &size
	}
	return a, err
}

func (a *openArg) append(dst []byte) []byte {
	if a.text != nil {
		dst = appendString(dst, "data", string(a.text))
	}
	if a.session != nil {
		dst = appendString(dst, "session", a.session.String())
	}
	dst = strconv.AppendInt(appendKey(dst, "writeVersion"), int64(a.version), 10)
	if a.clusterSize != nil {
		dst = strconv.AppendInt(appendKey(dst, "clusterSize"), *a.clusterSize, 10)
	}
	return dst
}

func (b *builder) readShard(f *fields, n int64) (a shardArg, err error) {
	if f.has("error") {
		return a, nil // without shard IDs it cannot succeed
	}
	ids, err := get[[]string](f, "shardIds")
	if err != nil {
		return a, err
	}
	names, err := get[[]string](f, "into")
	if err != nil {
		return a, err
	}
	if int64(len(names)) != n || int64(len(ids)) != n {
		return a, fmt.Errorf("%d shards have %d names and %d shardIds", n, len(names), len(ids))
	}
	for i, name := range names {
		slot, err := b.define(name)
		if err != nil {
			return a, err
		}
		a.into = append(a.into, slot)
		a.ids = append(a.ids, parseUUID(ids[i]))
	}
	return a, nil
}

// maxUnlisted is the most IDs that a line may ask for without listing that many.
const maxUnlisted = 1 << 20

// checkCount keeps a short line from asking for much memory. No compressor has
// more IDs than MaxID, so that asking for them takes none.
func (f *fields) checkCount(c *call) error {
	if c.id <= maxUnlisted || c.id <= int64(len(f.raw("ids"))) || c.id > impls.MaxID && c.op != opGhost {
		return nil
	}
	return fmt.Errorf("field \"n\" is %d: a line may ask for %d IDs, or as many as it lists", c.id, maxUnlisted)
}

// parse reads the call of a line.
func (b *builder) parse(f *fields) (call, error) {
	name, err := get[string](f, "op")
	if err != nil {
		return call{}, err
	}
	code, ok := codes[name]
	if !ok {
		return call{}, fmt.Errorf("unknown op %s", quote(name))
	}
	c := call{op: code, on: -1, n: 1}
	for _, a := range ops[code].args {
		if err := a.kind.read(b, f, a.key, &c); err != nil {
			return c, fmt.Errorf("%s: %w", name, err)
		}
	}
	if code == opGenerate || code == opGhost {
		err = f.checkCount(&c)
	}
	return c, err
}

// appendCall writes the call as the members of a line, without its answer.
func (p *Program) appendCall(dst []byte, names []string, c *call) []byte {
	dst = appendString(dst, "op", ops[c.op].name)
	for _, a := range ops[c.op].args {
		dst = a.kind.write(p, names, dst, a.key, c)
	}
	return dst
}

// appendKey begins a member.
func appendKey(dst []byte, key string) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' {
		dst = append(dst, ',')
	}
	return append(append(append(dst, '"'), key...), `":`...)
}

func appendString(dst []byte, key, value string) []byte {
	for i := range len(value) {
		if c := value[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendJSON(dst, key, value)
		}
	}
	return append(append(append(appendKey(dst, key), '"'), value...), '"')
}

func appendJSON(dst []byte, key string, value any) []byte {
	return appendValue(appendKey(dst, key), value)
}

// appendValue appends the JSON of what cannot fail to have one.
func appendValue(dst []byte, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		panic("trace: " + err.Error())
	}
	return append(dst, text...)
}
