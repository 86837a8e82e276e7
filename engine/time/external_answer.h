// What a question to the outside was answered: one block of memory, shared and counted by whoever keeps it (the frame
// that asked, the input log, the recording). Main thread.
#ifndef SHOAL_TIME_EXTERNAL_ANSWER_H
#define SHOAL_TIME_EXTERNAL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OUTSIDE_MAX_BYTES (256u << 20) // of one answer; more is refused
#define OUTSIDE_KEY_BYTES 256u         // with the '\0'

// The numbers are part of the format of recordings.
typedef enum external_kind_t {
  OUTSIDE_NONE,
  OUTSIDE_EXEC,    // a chunk of --exec, by its number; not found: it was stopped, and what it did is undone
  OUTSIDE_LOAD,    // the save of --load
  OUTSIDE_SAVE,    // a save, by its name
  OUTSIDE_SCENE,   // a scene as text, by its name
  OUTSIDE_ASSET,   // is there an asset of that name? No bytes
  OUTSIDE_PLUGIN,  // PLUGIN/CHANNEL#NUMBER of the call
  OUTSIDE_LOADED,  // how far assets are that were asked for ahead: two uint32_t, how many are there, of how many
  OUTSIDE_CONSOLE, // a chunk that somebody ran between two ticks, by its number after the tick; not found: as of --exec
  OUTSIDE_KIND_COUNT
} external_kind_t;

// One answer, shared and counted: see external_retain.
typedef struct external_answer_t {
  external_kind_t kind;
  bool found;
  uint32_t references;
  const char *key;
  const uint8_t *bytes; // 16-byte aligned, '\0' behind them; the sentence that says why, when it was not found
  size_t size;
} external_answer_t;

external_answer_t *external_answer_make(external_kind_t kind, const char *key, bool found, const void *bytes,
                                        size_t size);
external_answer_t *external_retain(external_answer_t *a);
void external_release(external_answer_t *a); // NULL is fine

#endif
