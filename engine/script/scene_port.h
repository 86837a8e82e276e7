// How a script's world.export and world.import reach whoever writes and reads scenes as text: the tools room, which scripts may not
// know (tools/scene.h), and the host, which knows where the files are.
#ifndef SHOAL_SCRIPT_SCENE_PORT_H
#define SHOAL_SCRIPT_SCENE_PORT_H

#include "base/error.h"
#include "shoal/entity.h"

#include <stddef.h>

typedef struct scene_ask_t {
  const char *text;
  size_t text_bytes;
  const char *ignored; // components that are passed over, each with a '\n' behind it (those of metadata); NULL for none
} scene_ask_t;

// What was spawned: the entities of the list, in its order. Zero-initialised is empty.
typedef struct scene_made_t {
  shoal_entity *items;
  uint32_t count, capacity;
} scene_made_t;

typedef struct scene_fault_t {
  uint32_t line; // of the text, 0 when it concerns all of it
  error_t error;
} scene_fault_t;

typedef struct scene_port_t {
  void *context;
  // NULL with a message. Freed with `release`.
  char *(*write)(void *context, const shoal_entity *entities, uint32_t count, size_t *bytes, error_t *error);
  // `out` NULL: only checks. False with the fault, and then nothing has changed. Freed with `release_made`.
  bool (*read)(void *context, const scene_ask_t *ask, scene_made_t *out, scene_fault_t *fault);
  // In the game's folder of saves. What is kept is written when the tick ends; the text is copied.
  bool (*keep)(void *context, const char *name, const char *text, size_t bytes, error_t *error);
  char *(*fetch)(void *context, const char *name, size_t *bytes, error_t *error);
  void (*release)(void *context, char *text, size_t bytes); // what write and fetch returned
  void (*release_made)(void *context, scene_made_t *made);
} scene_port_t;

#endif
