// Systems and functions that no longer run after a tick, as items of its record:
//
//   PARK: length of the name (bits 0 to 6) and `stopped` (bit 7) (1), name, hash of the
//     code (8), position and message of the failure
#ifndef SHOAL_JOURNAL_PARKED_ITEM_H
#define SHOAL_JOURNAL_PARKED_ITEM_H

#include "base/parked.h"
#include "journal/record.h"

#define PARKED_ITEM_NAME_BYTES sizeof((parked_t *)0)->name
#define PARKED_ITEM_HEAD_BYTES (1u + PARKED_ITEM_NAME_BYTES + sizeof(uint64_t))

typedef struct parked_item_t {
  char name[PARKED_ITEM_NAME_BYTES];
  bool stopped;        // true if the watchdog stopped the system or function
  uint64_t code;       // content hash of the sources that contained the system or function (sources_hash)
  const char *message; // message of the failure, without a '\0'; borrowed from the item
  uint32_t message_bytes;
} parked_item_t;

// Writes the part of the item that precedes the message to `out` (PARKED_ITEM_HEAD_BYTES). Returns the number of bytes
// written.
size_t parked_item_write_head(const parked_t *parked, uint64_t code, uint8_t *out);
// Reads a PARK item into `out`. Returns true on success, or false if the item is malformed.
bool parked_item_read(const record_item_t *item, parked_item_t *out);

#endif
