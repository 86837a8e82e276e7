// Small values by name, for one entity: a relocatable block of memory without pointers.
//
//   head | keys[capacity] | names[capacity] | values[capacity] | types[capacity] | free … | strings and lists
//
// The columns grow upwards. Strings and lists are stored from the end downwards. When the columns and the strings meet,
// the block is rebuilt with a larger capacity and without unreferenced bytes. Lookups read only the keys. Names are
// paths such as "inventory.gold". Dots only group values. Independent of Shoal.
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
  double number;   // DATA_NUMBER; DATA_BOOL: 0 or 1
  uint32_t entity; // DATA_ENTITY
  // DATA_TEXT: bytes, followed by a '\0' that `size` does not include. DATA_NUMBERS: doubles, possibly unaligned (use
  // memcpy). In a value returned by data_get, this points into the block and is valid until the block changes.
  const void *bytes;
  uint32_t size; // size of `bytes`
} data_value_t;

#define DATA_MAX_PATH 200u        // maximum length of a path in bytes
#define DATA_MAX_BYTES (1u << 20) // maximum size of a block in bytes

typedef struct data_block_t data_block_t; // NULL represents an empty block

// Reads the value at `path`. Returns true on success, or false if there is no value.
bool data_get(const data_block_t *block, const char *path, data_value_t *out);
// Sets a value. Type DATA_NONE removes it. The block may move. Returns true on success. Returns false and changes
// nothing if the path is empty or longer than DATA_MAX_PATH, the type is unknown, or the block would exceed
// DATA_MAX_BYTES.
bool data_set(data_block_t **block, const char *path, const data_value_t *value);
// Removes a path and all paths below it ("inventory" also removes "inventory.gold"). Returns the number of removed
// values.
uint32_t data_remove(data_block_t **block, const char *path);

uint32_t data_count(const data_block_t *block);
// Returns the path at index i (from 0) and stores its value in `out`. Paths are in insertion order, except that the
// last path takes the place of a removed path.
const char *data_path(const data_block_t *block, uint32_t i, data_value_t *out);

// data_save writes the values without free space, in data_save_bytes bytes. Equal values in the same order produce
// equal bytes.
uint32_t data_save_bytes(const data_block_t *block);
void data_save(const data_block_t *block, void *bytes);
// Loads a saved block. `size` is the result of data_save_bytes when the block was saved. Returns true on success. If
// the bytes are invalid, returns false and leaves `*block` unchanged.
bool data_load(data_block_t **block, const void *bytes, uint32_t size);
void data_free(data_block_t *block);

#endif
