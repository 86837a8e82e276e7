// Small values by name, for one entity: a block of memory without pointers that can be copied, moved and saved as it
// is.
//
//   head | keys[room] | names[room] | types[room] | values[room] | free … | texts and lists
//
// The columns grow up, what does not fit into a value grows down from the end; a search goes along the keys alone. When
// the two would meet, the block is written anew, larger, which also takes out what is no longer pointed to. Names are
// paths such as "inventory.gold": a dot says what belongs together, and is nothing else. Knows nothing of Shoal.
#ifndef SHOAL_DATA_BLOCK_H
#define SHOAL_DATA_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum data_type_t {
  DATA_NONE,
  DATA_NUMBER,
  DATA_BOOL,
  DATA_ENTITY,
  DATA_TEXT,
  DATA_NUMBERS,
  DATA_TYPE_COUNT
} data_type_t;

typedef struct data_value_t {
  data_type_t type;
  double number;   // NUMBER; BOOL: 0 or 1
  uint32_t entity; // ENTITY
  // TEXT (bytes, with a '\0' behind them that does not count) and NUMBERS (doubles, that lie at any address: memcpy
  // them). Of a value that was read: inside the block, until it is next changed.
  const void *bytes;
  uint32_t size; // bytes of it
} data_value_t;

#define DATA_MAX_PATH 200u
#define DATA_MAX_BYTES (1u << 20) // of one block

typedef struct data_block_t data_block_t; // NULL is an empty one

// False when there is none. `path` is not longer than DATA_MAX_PATH.
bool data_get(const data_block_t *b, const char *path, data_value_t *out);
// Writes; the block may move. DATA_NONE removes. False, and nothing changed, when the path is empty or too long or the
// block would become larger than DATA_MAX_BYTES.
bool data_set(data_block_t **b, const char *path, const data_value_t *value);
// Removes the path and everything below it ("inventory" takes along "inventory.gold"). Returns how many values.
uint32_t data_remove(data_block_t **b, const char *path);

uint32_t data_count(const data_block_t *b);
// The i-th path, in the order in which they came, holes filled by the last one.
const char *data_path(const data_block_t *b, uint32_t i, data_value_t *out);

// What it holds, without free room: the same values in the same order give the same bytes.
uint32_t data_save_bytes(const data_block_t *b);
void data_save(const data_block_t *b, void *bytes);
// False, and *b stays, when the bytes are no block. `size` is data_save_bytes of it.
bool data_load(data_block_t **b, const void *bytes, uint32_t size);
void data_free(data_block_t *b);

#endif
