// Sockets of ENet, and what they hear as bytes. Nothing of the world is known here.
#ifndef NET_WIRE_H
#define NET_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MOST_TEXT 4000   // bytes of a message
#define WIRE_MOST_BYTES 65536 // of a tick; what comes faster waits for the next one
#define WIRE_EVERYBODY UINT32_MAX

typedef struct wire_o wire_o;

size_t wire_bytes(void);
wire_o *wire_create(void *memory); // of wire_bytes
void wire_destroy(wire_o *w);

typedef struct wire_wish_t {
  bool listen;
  uint32_t port;     // 0: any
  char address[256]; // "": nowhere
  bool connected;    // as far as the world knows
} wire_wish_t;

typedef enum wire_kind_t { WIRE_NONE, WIRE_JOINED, WIRE_LEFT, WIRE_MESSAGE, WIRE_BOUND, WIRE_TROUBLE } wire_kind_t;

typedef struct wire_item_t {
  wire_kind_t kind;
  uint32_t peer; // WIRE_BOUND: the port
  char text[WIRE_MOST_TEXT + 1];
} wire_item_t;

// Opens and closes what the wish says, and writes what has come since the last time. → how many bytes.
size_t wire_poll(wire_o *w, const wire_wish_t *wish, void *bytes, size_t room);
// The next item; false behind the last one, and where the bytes make no sense: they may come from a file. Texts are
// UTF-8 whatever came.
bool wire_read(const void *bytes, size_t size, size_t *at, wire_item_t *out);

void wire_send(wire_o *w, uint32_t peer, const char *text); // to nobody of that number: dropped
void wire_flush(wire_o *w);

#endif
