// Sockets of ENet, and what they hear as bytes (net_bytes.h). Nothing of the world is known here. A wire may have
// several owners, one for each instance of the plugin that has it.
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include "net_bytes.h"

#define WIRE_MAX_BYTES 65536 // of a tick; what comes faster waits for the next one
#define WIRE_EVERYBODY UINT32_MAX

typedef struct wire_o wire_o;

wire_o *wire_create(void);    // NULL: there is no memory
void wire_release(wire_o *w); // with its last owner its sockets go, and who is connected is told
// What the next instance takes it over with, in the same process: written where there is room; returns how many bytes.
size_t wire_hand_over(wire_o *w, void *bytes, size_t room);
wire_o *wire_take_over(const void *bytes, size_t size); // one owner more; NULL when it is another version's

typedef struct wire_wish_t {
  bool listen;
  uint32_t port;     // 0: any
  char address[256]; // "": nowhere
  bool connected;    // as far as the world knows
} wire_wish_t;

// Opens and closes what the wish says, and writes what has come since the last time. → how many bytes.
size_t wire_poll(wire_o *w, const wire_wish_t *wish, void *bytes, size_t room);

void wire_send(wire_o *w, uint32_t peer, const char *text); // to nobody of that number: dropped
void wire_flush(wire_o *w);

#endif
