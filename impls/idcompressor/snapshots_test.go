package idcompressor_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"example.com/idlab/impls/idcompressor"
)

// The sessions of the reference's snapshot tests, and of its shards here.
var (
	client1 = uuid.MustParse("403f1e16-5265-4074-8507-417d99a05ee9")
	client2 = uuid.MustParse("4b02675a-5a81-428d-b7b7-d8c33a16bfde")
	nines   = uuid.MustParse("99999999-9999-4999-9999-999999999999")
)

// golden is a serialized form that the original wrote: its file under the
// folder of snapshots, its SHA-256, and how to come to it.
type golden struct {
	file        string
	withSession bool
	v2, v3      string // the sums; empty if there is no such file
	scenario    func(e env, version int) *compressor
}

func goldens() []golden {
	pair := func(e env, version int) (a, b *compressor) {
		v := idcompressor.WithVersion(version)
		return e.new(session(client1), size(512), v), e.new(session(client2), size(512), v)
	}
	one := func(e env, version int) (a, b *compressor) {
		a, b = pair(e, version)
		e.gen(a, 10)
		e.sync(a)
		return a, b
	}
	two := func(e env, version int) (a, b *compressor) {
		a, b = pair(e, version)
		e.gen(a, 10)
		e.gen(b, 10)
		e.sync(a, b)
		e.sync(b, a)
		return a, b
	}
	expanded := func(e env, version int) (a, b *compressor) {
		a, b = pair(e, version)
		e.must(a.SetClusterSize(2))
		e.gen1(a)
		e.sync(a, b)
		e.gen(a, 3)
		e.sync(a, b)
		return a, b
	}
	first := func(f func(env, int) (a, b *compressor)) func(env, int) *compressor {
		return func(e env, v int) *compressor { a, _ := f(e, v); return a }
	}
	second := func(f func(env, int) (a, b *compressor)) func(env, int) *compressor {
		return func(e env, v int) *compressor { _, b := f(e, v); return b }
	}
	fresh := func(e env, version int) *compressor {
		return e.new(idcompressor.WithVersion(version))
	}
	mixed := func(e env, version int) *compressor {
		c := fresh(e, version)
		e.gen1(c)
		e.sync(c)
		e.next(c, 1, 2, 3, 4, 5, -7)
		return c
	}
	// The shards of client 1: IDs of its children, in the order of making.
	root := func(e env, version int) (*compressor, []idcompressor.Shard) {
		c := e.new(idcompressor.WithVersion(version), shardIDs(s2, s3))
		e.next(c, -1, -2, -3)
		shards, err := c.Shard(2)
		e.must(err)
		e.next(c, -6)
		return c, shards
	}
	child := func(e env, version int) *compressor {
		// This one was made before the session had IDs.
		c := e.new(idcompressor.WithVersion(version), shardIDs(s2, s3))
		shards, err := c.Shard(2)
		e.must(err)
		d := e.load(shards[0].Data, shardIDs(s3, nines))
		e.next(d, -4)
		return d
	}
	return []golden{
		{
			"empty-compressor-summary", false, // R129
			"584234bc6cea2460f9880ba6780e4844fbfef09050223cbbdb3060070e554874",
			"3416a623fbed4888b40dcd6b4511c7beb444197748906c4fae77f070e876eea5",
			first(pair),
		},
		{
			"compressor-with-finalized-range-from-one-client", false, // R130
			"c5b4448cb28cd3ccf0e9e3a0d4e00f284a92340d60f9e390e5d6b7123b645b02",
			"04259dc5eda8c0aad40796ca1fdabf80f58b51c9be48e40d2f70efca6281693b",
			first(one),
		},
		{
			"compressor-with-finalized-range-from-one-client-client2", false, // R131
			"584234bc6cea2460f9880ba6780e4844fbfef09050223cbbdb3060070e554874",
			"3416a623fbed4888b40dcd6b4511c7beb444197748906c4fae77f070e876eea5",
			second(one),
		},
		{
			"compressors-with-finalized-ranges-from-two-clients", false, // R132
			"dcda56b5efc1444b33fc5822e975b8169888fdbde44bfe5ef02f98df916dc3a8",
			"73730e6fb06613b33762441e8addcb8e0f2e5df18f55dfca1d2a4630b0bf055c",
			first(two),
		},
		{
			"compressors-with-finalized-ranges-from-two-clients-client2", false, // R133
			"e6e251d2958aa8f7703895f56169910dbf302141042edcb350b03b25343cfe08",
			"b51d5fe89269e2dcc95145194def4e3b159f7b6fe4be40d0fa5325aaf9718346",
			second(two),
		},
		{
			"expansion-semantics", false, // R134
			"4f4f465733dae34457eda59c49b71d9041518e148f905d37938cbda8885a0279",
			"7b9295bdd896048619a6e7235205e5514d50b58b7bb5facb7a6d3113f28dfe08",
			first(expanded),
		},
		{
			"expansion-semantics-client2", false, // R135
			"4f4f465733dae34457eda59c49b71d9041518e148f905d37938cbda8885a0279",
			"7b9295bdd896048619a6e7235205e5514d50b58b7bb5facb7a6d3113f28dfe08",
			second(expanded),
		},
		{
			"new", true,
			"f4a8c5af42c7acaa54d88d8056ef9e8964aeeb72bda04d0ca131b81acbf049f2",
			"1af4bb18e1502850c9d6c7f748f78e3c33c32db13b4c887e76dd4ad4bc74368a",
			fresh,
		},
		{
			"1local-5eager-1local", true,
			"6834b28858e5c56bd8f4384eb59fdbe763e8963c15629d6a1599a7979ebffaba",
			"553b858c96f1a2399812d874976f0ab39c9a9aa342721c090f33b9cc54c9fb0a",
			mixed,
		},
		{"after-take", true,
			"a8786b03114e82dddba1740e22f41fcf303a2b8cfb2f6dbdec2dcce9e274ad41",
			"a3073dae9c4ea4ffa84f6cd9f6694151a45ae6c19797331e6601ac45a6ea406f",
			func(e env, version int) *compressor {
				c := mixed(e, version)
				e.take(c)
				return c
			}},
		{"sharded-root-2children", true,
			"",
			"74f8ac1a775894dcb2121b5a3ea5dcd34ab809d5ced0395d2f5aaabd1f85e004",
			func(e env, version int) *compressor {
				c, _ := root(e, version)
				return c
			}},
		{
			"child", true,
			"",
			"51a7de46541e501c35135bdc1ce5a4b370c17129aa5f38d4b3747fdc2471c444",
			child,
		},
		{"intermediate", true, "", "8277305b4edb5b6d4652f011cee48cace19549cc530afc5b0f43b55ad98ee4bc",
			func(e env, version int) *compressor {
				d := child(e, version)
				_, err := d.Shard(2)
				e.must(err)
				return d
			}},
	}
}

// shardIDs gives children these IDs.
func shardIDs(ids ...uuid.UUID) idcompressor.Option {
	return idcompressor.WithShardIDs(func() uuid.UUID {
		next := ids[0]
		ids = ids[1:]
		return next
	})
}

const sharedSnapshots = "../../../shared/fluid-snapshots"

// R129-R135, and the vectors with session: what the original wrote, to the byte.
func TestGoldenSnapshots(t *testing.T) {
	for _, g := range goldens() {
		run(t, g.file, func(e env) {
			for version, sum := range map[int]string{idcompressor.V2: g.v2, idcompressor.V3: g.v3} {
				if sum == "" {
					continue
				}
				c := g.scenario(e, version)
				text, err := c.AppendSerializedText(nil, g.withSession)
				e.must(err)
				got := sha256.Sum256(text)
				if hex.EncodeToString(got[:]) != sum {
					e.Errorf("version %d: another sum; it wrote %s", version, text)
				}
				name := filepath.Join(map[int]string{2: "v2", 3: "v3"}[version], g.file)
				if g.withSession {
					name = filepath.Join("with-session", map[int]string{2: "v2", 3: "v3"}[version]+"-with-session-"+g.file)
				}
				want, err := os.ReadFile(filepath.Join(sharedSnapshots, name))
				if errors.Is(err, fs.ErrNotExist) {
					continue // the sum has to do
				}
				e.must(err)
				if !bytes.Equal(text, want) {
					e.Errorf("%s: wrote\n%s, want\n%s", name, text, want)
				}
				e.roundTrips(c)
			}
		})
	}
}
