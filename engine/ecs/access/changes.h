// Records a program's changes as text, one per line, in order. A host stores the text as external input; a replay
// applies the changes with the functions that the program called.
#ifndef SHOAL_ACCESS_CHANGES_H
#define SHOAL_ACCESS_CHANGES_H

#include "access/access.h"

typedef enum change_t {
  CHANGE_BEGIN, // a query was opened, so the following changes are queued
  CHANGE_END,
  CHANGE_TEXT,
  CHANGE_TERM,  // term of the next query
  CHANGE_QUERY, // a new query, which is part of the world's state
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
  CHANGE_CELL, // value of one field of an emitted row
  CHANGE_SEND,
  CHANGE_OBSERVE, // observes a query, whose CHANGE_TERM lines precede this line
  CHANGE_ADD_PAIR,
  CHANGE_REMOVE_PAIR,
  CHANGE_COUNT
} change_t;

extern const char *const changes_keywords[CHANGE_COUNT];

// Appends a change. `types` has one letter per value: t for a string (may be NULL), n for a number (double).
void changes_append(access_o *access, change_t kind, const char *types, ...);
// Appends a change if the world is being recorded. Does not evaluate the values otherwise.
#define changes_record(access_, ...) ((access_)->records ? changes_append(access_, __VA_ARGS__) : (void)0)
// Appends the settings of a spawn or of added components. Call after appending the change to which they belong.
void changes_record_settings(access_o *access, const shoal_field_value *settings, uint32_t count);
// Returns true if the recorded changes contain more than the begin and end of a single query.
bool changes_has_content(const access_o *access);
void changes_clear(access_o *access);

// Applies recorded changes to a world. Returns true if all succeed; otherwise returns false after calling access_fail.
bool changes_apply(world_o *w, const char *text);

#endif
