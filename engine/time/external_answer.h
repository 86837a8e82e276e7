// The answer to a request for external input, in one block of memory. Reference-counted: the frame that made the
// request, the input log and the recording share it. Main thread.
#ifndef SHOAL_TIME_EXTERNAL_ANSWER_H
#define SHOAL_TIME_EXTERNAL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTSIDE_MAX_BYTES (256u << 20) // of one answer; larger ones are rejected
#define OUTSIDE_KEY_BYTES 256u         // including the '\0'

// Values are part of the recording format. The comments say what the key of an answer contains.
typedef enum external_kind_t {
  OUTSIDE_NONE,
  OUTSIDE_EXEC,    // number of the --exec chunk; not found: the chunk was stopped and its effects undone
  OUTSIDE_LOAD,    // the save given by --load
  OUTSIDE_SAVE,    // name of a save
  OUTSIDE_SCENE,   // name of a scene in text form
  OUTSIDE_ASSET,   // name of an asset; `found` says whether it exists; no bytes
  OUTSIDE_PLUGIN,  // the call: PLUGIN/CHANNEL#NUMBER
  OUTSIDE_LOADED,  // progress of preloaded assets; two uint32_t: number loaded, total
  OUTSIDE_CONSOLE, // number of the console chunk run after the tick; not found as for EXEC
  OUTSIDE_KIND_COUNT
} external_kind_t;

// Reference-counted with external_retain and external_release.
typedef struct external_answer_t {
  external_kind_t kind;
  bool found;
  uint32_t references;
  const char *key;
  const uint8_t *bytes; // 16-byte aligned, followed by '\0'; the error message if not found
  size_t size;
} external_answer_t;

external_answer_t *external_answer_make(external_kind_t kind, const char *key, bool found, const void *bytes,
                                        size_t size);
external_answer_t *external_retain(external_answer_t *a);
void external_release(external_answer_t *a); // accepts NULL

#endif
