// The result of a request for external input: an immutable, reference-counted block, which the frame that makes the
// request keeps. Main thread only. In a journal, a result is an item of a record:
//
//   RESULT: kind (bits 0 to 6) and `found` (bit 7) (1), length of the key (1), key, bytes
#ifndef SHOAL_JOURNAL_EXTERNAL_RESULT_H
#define SHOAL_JOURNAL_EXTERNAL_RESULT_H

#include "journal/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXTERNAL_RESULT_MAX_BYTES (256u << 20) // maximum size of one result
#define EXTERNAL_KEY_BYTES 256u                // capacity of a key, including the '\0'

// Kinds of requests. The values are part of the format. Each comment describes the key, and the result if it is not
// obvious.
typedef enum external_kind_t {
  EXTERNAL_NONE,
  EXTERNAL_EXEC,    // number of the --exec chunk. `found` is false if the chunk was stopped
  EXTERNAL_LOAD,    // always "": the save given by --load
  EXTERNAL_SAVE,    // name of a save, or "/saves#NUMBER": a list of all saves
  EXTERNAL_SCENE,   // name of a scene file in the saves folder, or "game.settings.locale": the system's languages
  EXTERNAL_ASSET,   // name of an asset (`found`: it exists), or "=" and a file name (the result is the file's hash)
  EXTERNAL_PLUGIN,  // call by a plugin: PLUGIN/CHANNEL#NUMBER; "menu/matches#NUMBER": matches in the local network
  EXTERNAL_LOADED,  // call by a script: assets.ready#NUMBER. Result: loaded and requested assets, two uint32_t
  EXTERNAL_CONSOLE, // number of the console chunk, which runs after the tick. `found` is false if the chunk was stopped
  EXTERNAL_EVENT,   // always "": an operator's event. Result: the event's name, '\0', and its fields as JSON
  // Entity that asked a question (game/question_state.h). Result: one byte (1: rows were cut off, 0: complete), JSON
  EXTERNAL_ANSWER,
  EXTERNAL_NAME, // always "": an operator changes a name. Result: mask of the machine's players (4), name
  EXTERNAL_KIND_COUNT
} external_kind_t;

typedef struct external_result_t {
  external_kind_t kind;
  bool found;
  uint32_t references;
  const char *key;
  const uint8_t *bytes; // 16-byte aligned, followed by '\0'; if `found` is false, an error message or empty
  size_t size;
} external_result_t;

// Creates a result with one reference. Copies `key` and `bytes`. Never returns NULL.
external_result_t *external_result_create(external_kind_t kind, const char *key, bool found, const void *bytes,
                                          size_t size);
external_result_t *external_result_retain(external_result_t *result); // adds a reference; returns `result`
// Removes a reference, and frees the result after the last reference. Accepts NULL.
void external_result_release(external_result_t *result);

#define EXTERNAL_RESULT_HEAD_BYTES (2u + EXTERNAL_KEY_BYTES)
// Writes the part of the item that precedes the result's bytes to `out` (EXTERNAL_RESULT_HEAD_BYTES). Returns the
// number of bytes written.
size_t external_result_write_head(const external_result_t *result, uint8_t *out);
// Reads the kind of the result that an item contains. Returns true on success, or false if the item is malformed or
// contains no result.
bool external_result_read_kind(const record_item_t *item, external_kind_t *out);
// Returns a new result with the contents of an item, or NULL if the item is malformed or contains no result.
external_result_t *external_result_read(const record_item_t *item);

#endif
