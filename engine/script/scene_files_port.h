// How world.export and world.import reach the files of scenes: the host, which scripts may not know, knows where they
// are. What stands in them: store/scene.h.
#ifndef SHOAL_SCRIPT_SCENE_FILES_PORT_H
#define SHOAL_SCRIPT_SCENE_FILES_PORT_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct scene_files_port_t {
  void *context;
  // In the game's folder of saves. What is kept is written when the tick ends; the text is copied.
  bool (*keep)(void *context, const char *name, const char *text, size_t bytes, error_t *error);
  // With a '\0' behind it, borrowed until the next frame or the next that is fetched; NULL with a message.
  const char *(*fetch)(void *context, const char *name, size_t *bytes, error_t *error);
} scene_files_port_t;

#endif
