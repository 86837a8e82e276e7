// ENet sockets, whose input is stored as bytes (net_bytes.h). Independent of Shoal. A wire may have several owners: the
// instances of the plugin that hold it.
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include "net_bytes.h"

#define WIRE_MAX_BYTES 65536 // maximum number of bytes per tick; further items wait for the next tick
#define WIRE_ALL_PEERS UINT32_MAX

typedef struct wire_o wire_o;

wire_o *wire_create(void);    // returns NULL if out of memory
void wire_release(wire_o *w); // the last owner closes the sockets and disconnects the peers
// Writes what the next instance in this process needs for wire_take_over, at most `room` bytes. Returns the size.
size_t wire_hand_over(wire_o *w, void *bytes, size_t room);
wire_o *wire_take_over(const void *bytes, size_t size); // adds an owner; returns NULL if the layout differs

typedef struct wire_settings_t {
  bool listen;
  uint32_t port;     // port to listen on; 0: any
  char address[256]; // address to connect to; "": none
  bool connected;    // whether the world's state says that the client is connected
} wire_settings_t;

// Opens and closes sockets as requested, and writes the items that have arrived since the last call. Returns the number
// of bytes.
size_t wire_poll(wire_o *w, const wire_settings_t *settings, void *bytes, size_t room);

// Sends a message. Does nothing if there is no such peer.
void wire_send(wire_o *w, uint32_t peer, const char *text);
void wire_flush(wire_o *w);

#endif
