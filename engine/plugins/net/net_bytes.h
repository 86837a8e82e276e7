// Received items as bytes. Recordings contain these bytes. Writing and reading them needs no sockets.
#ifndef NET_BYTES_H
#define NET_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_MAX_TEXT 4000 // maximum length of a message in bytes

typedef enum wire_kind_t { WIRE_NONE, WIRE_JOINED, WIRE_LEFT, WIRE_MESSAGE, WIRE_BOUND, WIRE_TROUBLE } wire_kind_t;

typedef struct wire_item_t {
  wire_kind_t kind;
  uint32_t peer; // id of the peer; in WIRE_BOUND: the port
  char text[WIRE_MAX_TEXT + 1];
} wire_item_t;

// A buffer of items. Each item consists of the kind, the peer, the size of the text (4 bytes each), and the text.
typedef struct wire_log_t {
  uint8_t *bytes;
  size_t used, capacity;
} wire_log_t;

// Appends an item. Returns true on success, or false if the text exceeds WIRE_MAX_TEXT or the buffer is full.
bool wire_append(wire_log_t *log, wire_kind_t kind, uint32_t peer, const void *text, size_t length);
// Reads the next item. Returns true on success, or false after the last item or if the bytes, which may come from a
// file, are invalid. The text is always valid UTF-8.
bool wire_read(const void *bytes, size_t size, size_t *offset, wire_item_t *out);

#endif
