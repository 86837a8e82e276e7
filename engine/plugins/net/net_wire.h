// ENet sockets whose input is serialized (net_bytes.h). Independent of Shoal. Several instances of the plugin, the
// owners, may share a wire_o.
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include "net_bytes.h"

#define WIRE_MAX_BYTES 65536 // maximum number of bytes per tick; excess items are delivered in later ticks
#define WIRE_ALL_PEERS UINT32_MAX

typedef struct wire_o wire_o;

wire_o *wire_create(void);       // creates a wire_o with one owner; returns NULL if out of memory
void wire_release(wire_o *wire); // removes an owner; with the last owner, disconnects the peers and closes the sockets
// Writes the data that the next instance in this process passes to wire_take_over, if it fits into `capacity` bytes.
// Returns the size of the data.
size_t wire_hand_over(wire_o *wire, void *bytes, size_t capacity);
wire_o *wire_take_over(const void *bytes, size_t size); // adds an owner; returns NULL if the data is incompatible

typedef struct wire_settings_t {
  bool listen;
  uint32_t port;     // port to listen on; 0: any free port
  char address[256]; // address to connect to; "": do not connect
  bool connected;    // true if the client is connected according to the world's state
} wire_settings_t;

// Opens and closes sockets according to `settings`, and writes the items received since the last call, at most
// `capacity` bytes. Returns the number of bytes written.
size_t wire_poll(wire_o *wire, const wire_settings_t *settings, void *bytes, size_t capacity);

// Sends a message to a peer. Peer 0 is the server that the client is connected to. WIRE_ALL_PEERS selects this server
// and all clients. Does nothing if the peer is not connected.
void wire_send(wire_o *wire, uint32_t peer, const char *text);
void wire_flush(wire_o *wire);

#endif
