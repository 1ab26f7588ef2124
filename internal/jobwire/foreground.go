package jobwire

// Foreground is what "understudy-job exec" reports, one message each on its control socket: first
// Ready or NotStarted, in the end one about the program's end, of which exactly one of NotStarted,
// Signal and (both empty) Code counts. With Ready come the descriptors of Sockets, in their order.
type Foreground struct {
	Ready      bool     `json:"ready,omitempty"`
	Sockets    []string `json:"sockets,omitempty"`
	Code       int      `json:"code"`
	Signal     int      `json:"signal,omitempty"`
	NotStarted string   `json:"not_started,omitempty"`
}

// The sockets of a network of its own. Of the last one there may be none.
const (
	SocketHTTPS   = "https"   // listens at port 443 of the address
	SocketHTTP    = "http"    // listens at port 80 of the address
	SocketNames   = "names"   // datagrams to port 53 of any address
	SocketPackets = "packets" // a copy of every packet
)
