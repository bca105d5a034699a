package trace

// opCode is a call of an ID compressor.
type opCode uint8

const (
	opCreate opCode = iota
	opClusterSize
	opGenerate
	opDocumentUnique
	opTakeRange
	opTakeUnfinalized
	opResetUnfinalized
	opFinalize
	opToOp
	opToSession
	opToSessionNoOrigin
	opDecompress
	opRecompress
	opGhost
	opShard
	opShardToken
	opDisposeShard
	opSyncShard
	opParentToken
	opSyncParent
	opSerialize
	opDeserialize
	opEqual
	opCount
)

// op is everything there is to know of an operation.
type op struct {
	name    string
	bench   string   // what the lab calls it, if it measures it
	args    []arg    // in the order in which they are written
	answers []string // the members that hold the answer
	rows    bool     // calls with successive IDs are kept as a row
	run     func(m *machine, p *Program, c *call)
}

// ops is the table of idtrace/1.
var ops [opCount]op

var codes = map[string]opCode{}

func init() {
	on := arg{"on", argOn}
	ops = [opCount]op{
		opCreate:            {"create", "", []arg{{"on", argNew}, {"", argOpen}}, nil, false, (*machine).create},
		opClusterSize:       {"clusterSize", "", []arg{on, {"size", argInt}}, nil, false, (*machine).clusterSize},
		opGenerate:          {"generate", "Generate", []arg{on, {"n", argInt}}, []string{"ids"}, false, (*machine).generate},
		opDocumentUnique:    {"documentUnique", "Generate", []arg{on}, []string{"id"}, false, (*machine).documentUnique},
		opTakeRange:         {"takeRange", "TakeRange", []arg{on}, []string{"range"}, false, (*machine).takeRange},
		opTakeUnfinalized:   {"takeUnfinalized", "TakeRange", []arg{on}, []string{"range"}, false, (*machine).takeUnfinalized},
		opResetUnfinalized:  {"resetUnfinalized", "", []arg{on}, nil, false, (*machine).resetUnfinalized},
		opFinalize:          {"finalize", "FinalizeRange", []arg{on, {"range", argRange}}, nil, false, (*machine).finalize},
		opToOp:              {"toOp", "NormalizeToOpSpace", []arg{on, {"id", argInt}}, []string{"result"}, true, (*machine).toOp},
		opToSession:         {"toSession", "NormalizeToSessionSpace", []arg{on, {"id", argInt}, {"origin", argUUID}}, []string{"result"}, true, (*machine).toSession},
		opToSessionNoOrigin: {"toSessionNoOrigin", "NormalizeToSessionSpace", []arg{on, {"id", argInt}}, []string{"result"}, true, (*machine).toSessionNoOrigin},
		opDecompress:        {"decompress", "Decompress", []arg{on, {"id", argInt}}, []string{"stable"}, true, (*machine).decompress},
		opRecompress:        {"recompress", "Recompress", []arg{on, {"stable", argUUID}}, []string{"result"}, false, (*machine).recompress},
		opGhost:             {"ghost", "", []arg{on, {"session", argUUID}, {"n", argInt}}, []string{"ids"}, false, (*machine).ghost},
		opShard:             {"shard", "", []arg{on, {"n", argInt}, {"", argShard}}, []string{"tokens", "serialized"}, false, (*machine).shard},
		opShardToken:        {"shardToken", "", []arg{on}, []string{"token"}, false, (*machine).shardToken},
		opDisposeShard:      {"disposeShard", "", []arg{on}, []string{"token"}, false, (*machine).disposeShard},
		opSyncShard:         {"syncShard", "", []arg{on, {"token", argToken}}, nil, false, (*machine).syncShard},
		opParentToken:       {"parentToken", "", []arg{on, {"child", argToken}}, []string{"token"}, false, (*machine).parentToken},
		opSyncParent:        {"syncParent", "", []arg{on, {"token", argParentToken}}, nil, false, (*machine).syncParent},
		opSerialize:         {"serialize", "Serialize", []arg{on, {"withSession", argFlag}}, []string{"data"}, false, (*machine).serialize},
		opDeserialize:       {"deserialize", "Deserialize", []arg{{"into", argNew}, {"", argOpen}}, nil, false, (*machine).deserialize},
		opEqual:             {"equal", "", []arg{on, {"with", argWith}, {"includeLocal", argFlag}}, []string{"result"}, false, (*machine).equal},
	}
	for code := range ops {
		codes[ops[code].name] = opCode(code)
	}
}
