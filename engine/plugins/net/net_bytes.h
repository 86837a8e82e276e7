// What the wire said, as bytes: they are part of recordings, so they are written and read without sockets.
#ifndef NET_BYTES_H
#define NET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAX_TEXT 4000 // bytes of a message

typedef enum wire_kind_t { WIRE_NONE, WIRE_JOINED, WIRE_LEFT, WIRE_MESSAGE, WIRE_BOUND, WIRE_TROUBLE } wire_kind_t;

typedef struct wire_item_t {
  wire_kind_t kind;
  uint32_t peer; // WIRE_BOUND: the port
  char text[WIRE_MAX_TEXT + 1];
} wire_item_t;

// Where items are written: kind, peer and bytes of the text, 4 each, and the text.
typedef struct wire_log_t {
  uint8_t *bytes;
  size_t used, room;
} wire_log_t;

// False when there is no room for it.
bool wire_note(wire_log_t *log, wire_kind_t kind, uint32_t peer, const void *text, size_t length);
// The next item; false behind the last one, and where the bytes make no sense: they may come from a file. Texts are
// UTF-8 whatever came.
bool wire_read(const void *bytes, size_t size, size_t *at, wire_item_t *out);

#endif
