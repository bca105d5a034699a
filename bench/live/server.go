package live

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// ServerCommand is the hidden subcommand that runs an embedded server.
const ServerCommand = "server"

// ServerConfig is what an embedded server gets on its standard input, as JSON
// in a line. It serves until its standard input ends, and with it whoever
// started it.
type ServerConfig struct {
	Name   string   // different for each of a cluster
	Dir    string   // where JetStream keeps streams
	Port   int      // 0 for any free one
	Route  int      // the port of the cluster's routes; 0 if it is alone
	Routes []string // the URLs of all routes of the cluster
}

// serverReady is what it answers when it can be connected to.
type serverReady struct {
	URL   string
	Error string `json:",omitempty"`
}

// startup is how long a server may take to begin serving.
const startup = 30 * time.Second

// Serve runs an embedded server.
func Serve(stdin io.Reader, stdout io.Writer) error {
	in := json.NewDecoder(stdin)
	var c ServerConfig
	if err := in.Decode(&c); err != nil {
		return fmt.Errorf("server: its configuration: %w", err)
	}
	s, err := c.start()
	if err != nil {
		json.NewEncoder(stdout).Encode(serverReady{Error: err.Error()})
		return err
	}
	if err := json.NewEncoder(stdout).Encode(serverReady{URL: s.ClientURL()}); err != nil {
		return err
	}
	io.Copy(io.Discard, stdin)
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

func (c ServerConfig) start() (*server.Server, error) {
	o := &server.Options{
		ServerName: c.Name, Host: loopback, Port: c.Port, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: c.Dir, MaxPayload: 1 << 20,
		// Quick to notice who is gone.
		PingInterval: 2 * time.Second, MaxPingsOut: 2,
	}
	if c.Port == 0 {
		o.Port = server.RANDOM_PORT
	}
	if c.Route != 0 {
		o.Cluster = server.ClusterOpts{Name: "idlive", Host: loopback, Port: c.Route}
		for _, r := range c.Routes {
			u, err := url.Parse(r)
			if err != nil {
				return nil, err
			}
			o.Routes = append(o.Routes, u)
		}
	}
	s, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(startup) {
		s.Shutdown()
		return nil, errors.New("the embedded server does not begin to serve: is its port taken?")
	}
	return s, nil
}

const loopback = "127.0.0.1"

// freePorts returns ports that nobody listens on at the moment.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return nil, err
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}
