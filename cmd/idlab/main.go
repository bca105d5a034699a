// Command idlab measures the backends of the ID compressor and says which to
// run in production. See idlab --help.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
