// Command idlive runs ID compressors on many processes over NATS JetStream,
// kills some, and checks that all have the same document. See idlive --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
