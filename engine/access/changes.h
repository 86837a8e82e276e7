// Changes that a program makes, as text for a recording: one a line, in the order in which they were made. A host keeps
// them as external input; a replay applies them with the same functions.
#ifndef SHOAL_ACCESS_CHANGES_H
#define SHOAL_ACCESS_CHANGES_H

#include "access/access.h"

typedef enum change_t {
  CHANGE_BEGIN, // of a loop: what follows is queued
  CHANGE_END,
  CHANGE_TEXT,
  CHANGE_TERM,  // of the next query
  CHANGE_QUERY, // is kept up to date from now on: part of the world's state
  CHANGE_SPAWN,
  CHANGE_SPAWN_WITH,
  CHANGE_SETTING,
  CHANGE_ADD_WITH,
  CHANGE_KILL,
  CHANGE_ADD,
  CHANGE_REMOVE,
  CHANGE_SET,
  CHANGE_ENTER,
  CHANGE_EMIT,
  CHANGE_CELL, // a value of an emitted row
  CHANGE_SEND,
  CHANGE_OBSERVE, // the terms of its query precede it
  CHANGE_COUNT
} change_t;

extern const char *const changes_words[CHANGE_COUNT];

// Appends a change; nothing if the world is not recorded. `types` has a letter for each of the values: t a text, which
// may be NULL, n a number (double).
void changes_note(access_o *a, change_t kind, const char *types, ...);
void changes_note_settings(access_o *a, const shoal_setting *settings,
                           uint32_t count); // after the change that has them
// Is there a change besides the begin and end of loops?
bool changes_any(const access_o *a);
void changes_clear(access_o *a);

// Applies changes to a world; `text` ends with '\0'. False after access_fail: one of them cannot be applied or read.
bool changes_apply(world_o *w, const char *text);

#endif
