// Undo steps, oldest first. Files that a step keeps count toward a limit, above which the oldest steps are dropped.
#include "cockpit/undo_stack.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit.h"
#include "cockpit/game_files.h"

#include <stdlib.h>

#define MAX_UNDOS 200u
#define MAX_FILE_BYTES ((size_t)128 << 20) // maximum size of all contents that undo steps keep

static size_t count_file_bytes(const file_changes_t *changes) {
  size_t bytes = 0;
  for (uint32_t i = 0; changes && i < changes->files.count; ++i)
    bytes += changes->files.items[i].old_bytes + changes->files.items[i].new_bytes;
  return bytes;
}

static void free_step(cockpit_o *cockpit, undo_t *step) {
  if (step->text)
    alloc_resize(&cockpit->memory, step->text, step->bytes + 1, 0);
  if (step->files) {
    file_changes_fini(step->files);
    alloc_resize(&cockpit->memory, step->files, sizeof *step->files, 0);
  }
}

static undo_t take_step(cockpit_o *cockpit, uint32_t i) {
  shoal_assert(i < cockpit->undo_stack->steps.count, "undo step %u is out of range (count %u)", i,
               cockpit->undo_stack->steps.count);
  undo_t step = cockpit->undo_stack->steps.items[i];
  memmove(cockpit->undo_stack->steps.items + i, cockpit->undo_stack->steps.items + i + 1,
          (--cockpit->undo_stack->steps.count - i) * sizeof step);
  return step;
}

static uint32_t push_step(cockpit_o *cockpit, undo_t step) {
  size_t bytes = count_file_bytes(step.files);
  for (uint32_t i = 0; i < cockpit->undo_stack->steps.count; ++i)
    bytes += count_file_bytes(cockpit->undo_stack->steps.items[i].files);
  while (cockpit->undo_stack->steps.count > 0 &&
         (cockpit->undo_stack->steps.count == MAX_UNDOS || bytes > MAX_FILE_BYTES)) {
    undo_t oldest = take_step(cockpit, 0);
    bytes -= count_file_bytes(oldest.files);
    free_step(cockpit, &oldest);
  }
  step.number = ++cockpit->undo_stack->last_number;
  array_push(&cockpit->memory, &cockpit->undo_stack->steps, step);
  return step.number;
}

void undo_stack_init(cockpit_o *cockpit) {
  cockpit->undo_stack = alloc_object(sizeof *cockpit->undo_stack);
}

void undo_stack_fini(cockpit_o *cockpit) {
  for (uint32_t i = 0; i < cockpit->undo_stack->steps.count; ++i)
    free_step(cockpit, &cockpit->undo_stack->steps.items[i]);
  array_free(&cockpit->memory, &cockpit->undo_stack->steps);
  free(cockpit->undo_stack);
}

void undo_push_chunk(cockpit_o *cockpit, const json_writer_t *chunk) {
  shoal_assert(chunk->text.count > 0, "the undo chunk must not be empty");
  undo_t step = {.bytes = chunk->text.count, .text = alloc_resize(&cockpit->memory, NULL, 0, chunk->text.count + 1)};
  memcpy(step.text, chunk->text.items, chunk->text.count);
  step.text[step.bytes] = '\0';
  push_step(cockpit, step);
}

uint32_t undo_push_files(cockpit_o *cockpit, file_changes_t *files) {
  shoal_assert(files->memory == &cockpit->memory, "the change must use the cockpit's allocator");
  undo_t step = {.files = alloc_resize(&cockpit->memory, NULL, 0, sizeof *files)};
  *step.files = *files;
  files->files.items = NULL;
  files->files.count = files->files.capacity = 0;
  return push_step(cockpit, step);
}

static bool undo_files(cockpit_o *cockpit, file_changes_t *changes, json_writer_t *out, error_info_t *error) {
  if (!file_changes_undo(changes, error))
    return false;
  json_write_key(out, "files");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < changes->files.count; ++i)
    if (file_changes_is_changed(&changes->files.items[i])) {
      json_write_string(out, changes->files.items[i].name);
      log_info(host_log(cockpit->host), "%s: undid the change", changes->files.items[i].name);
    }
  json_write_end(out, ']');
  game_files_notify_change(cockpit, changes);
  return true;
}

bool undo_run(cockpit_o *cockpit, uint32_t number, json_writer_t *out, error_info_t *error) {
  uint32_t index = cockpit->undo_stack->steps.count;
  while (index > 0 && number && cockpit->undo_stack->steps.items[index - 1].number != number)
    --index;
  if (index == 0)
    return error_set(error, number ? "cannot undo: the change was already undone, or is too old" : "nothing to undo");
  if (number && !cockpit->undo_stack->steps.items[index - 1].files)
    return error_set(error, "step %u did not change files", number);
  if (cockpit->undo_stack->steps.items[index - 1].files &&
      !undo_files(cockpit, cockpit->undo_stack->steps.items[index - 1].files, out, error))
    return false;
  undo_t step = take_step(cockpit, index - 1);
  for (uint32_t i = 0; step.files && i < cockpit->undo_stack->steps.count; ++i)
    if (cockpit->undo_stack->steps.items[i].files)
      file_changes_adopt_folders(cockpit->undo_stack->steps.items[i].files, step.files);
  bool ok = step.files || edit_undo(cockpit, step.text, out, error);
  free_step(cockpit, &step);
  return ok;
}
