// The cockpit's undo steps: Lua chunks that undo a change of the world, and changes of the game's files.
#ifndef SHOAL_COCKPIT_UNDO_STACK_H
#define SHOAL_COCKPIT_UNDO_STACK_H

#include "base/array.h"
#include "base/error.h"
#include "base/json_writer.h"
#include "cockpit/file_changes.h"

typedef struct cockpit_o cockpit_o;

// A step. `files` is NULL for a chunk, and `text` for a change of files.
typedef struct undo_t {
  uint32_t number; // number that identifies the step, starting at 1
  size_t bytes;    // length of `text`
  char *text;
  file_changes_t *files;
} undo_t;

typedef struct undo_stack_t {
  ARRAY(undo_t) steps;  // steps, oldest first
  uint32_t last_number; // number of the most recent step
} undo_stack_t;

void undo_stack_init(cockpit_o *cockpit);
void undo_stack_fini(cockpit_o *cockpit); // drops all steps

// Adds a chunk. If there are too many steps, drops the oldest steps.
void undo_push_chunk(cockpit_o *cockpit, const json_writer_t *chunk);
// Adds a change of files that was applied, and moves it out of `files`, which is empty afterwards. Returns the step's
// number.
uint32_t undo_push_files(cockpit_o *cockpit, file_changes_t *files);
// Undoes the most recent step or, if `number` is not 0, the step with this number, which must be a change of files.
// Removes the step, unless undoing a change of files fails, for example because a file has changed since. The undo can
// then be repeated. Writes the names of restored files to `out`. Returns true on success, or false with an error.
bool undo_run(cockpit_o *cockpit, uint32_t number, json_writer_t *out, error_info_t *error);

#endif
