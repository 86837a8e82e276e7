// Undo steps, oldest first. Files that a step keeps count toward a limit, above which the oldest steps are dropped.
#include "cockpit/undo_stack.h"

#include "base/assert.h"
#include "cockpit/cockpit_state.h"
#include "cockpit/edit.h"
#include "cockpit/game_files.h"

#include <stdlib.h>

#define MAX_UNDOS 200u
#define MAX_FILE_BYTES ((size_t)128 << 20) // maximum size of all contents that undo steps keep

static size_t count_file_bytes(const file_changes_t *x) {
  size_t bytes = 0;
  for (uint32_t i = 0; x && i < x->files.count; ++i)
    bytes += x->files.items[i].before_bytes + x->files.items[i].after_bytes;
  return bytes;
}

static void free_step(cockpit_o *c, undo_t *x) {
  if (x->text)
    alloc_resize(&c->memory, x->text, x->bytes + 1, 0);
  if (x->files) {
    file_changes_fini(x->files);
    alloc_resize(&c->memory, x->files, sizeof *x->files, 0);
  }
}

static undo_t take_step(cockpit_o *c, uint32_t i) {
  shoal_assert(i < c->undo_stack->steps.count, "undo step %u is out of range (count %u)", i,
               c->undo_stack->steps.count);
  undo_t x = c->undo_stack->steps.items[i];
  memmove(c->undo_stack->steps.items + i, c->undo_stack->steps.items + i + 1,
          (--c->undo_stack->steps.count - i) * sizeof x);
  return x;
}

static uint32_t push_step(cockpit_o *c, undo_t x) {
  size_t bytes = count_file_bytes(x.files);
  for (uint32_t i = 0; i < c->undo_stack->steps.count; ++i)
    bytes += count_file_bytes(c->undo_stack->steps.items[i].files);
  while (c->undo_stack->steps.count > 0 && (c->undo_stack->steps.count == MAX_UNDOS || bytes > MAX_FILE_BYTES)) {
    undo_t oldest = take_step(c, 0);
    bytes -= count_file_bytes(oldest.files);
    free_step(c, &oldest);
  }
  x.number = ++c->undo_stack->last_number;
  array_push(&c->memory, &c->undo_stack->steps, x);
  return x.number;
}

void undo_stack_init(cockpit_o *c) {
  c->undo_stack = alloc_object(sizeof *c->undo_stack);
}

void undo_stack_fini(cockpit_o *c) {
  for (uint32_t i = 0; i < c->undo_stack->steps.count; ++i)
    free_step(c, &c->undo_stack->steps.items[i]);
  array_free(&c->memory, &c->undo_stack->steps);
  free(c->undo_stack);
}

void undo_push_chunk(cockpit_o *c, const json_writer_t *chunk) {
  shoal_assert(chunk->text.count > 0, "the undo chunk must not be empty");
  undo_t x = {.bytes = chunk->text.count, .text = alloc_resize(&c->memory, NULL, 0, chunk->text.count + 1)};
  memcpy(x.text, chunk->text.items, chunk->text.count);
  x.text[x.bytes] = '\0';
  push_step(c, x);
}

uint32_t undo_push_files(cockpit_o *c, file_changes_t *files) {
  shoal_assert(files->memory == &c->memory, "the change must use the cockpit's allocator");
  undo_t x = {.files = alloc_resize(&c->memory, NULL, 0, sizeof *files)};
  *x.files = *files;
  files->files.items = NULL;
  files->files.count = files->files.capacity = 0;
  return push_step(c, x);
}

static bool undo_files(cockpit_o *c, file_changes_t *x, json_writer_t *out, error_info_t *error) {
  if (!file_changes_undo(x, error))
    return false;
  json_write_key(out, "files");
  json_write_begin(out, '[');
  for (uint32_t i = 0; i < x->files.count; ++i)
    if (file_changes_is_changed(&x->files.items[i])) {
      json_write_string(out, x->files.items[i].name);
      log_info(host_log(c->host), "%s: undid the change", x->files.items[i].name);
    }
  json_write_end(out, ']');
  game_files_notify_change(c, x);
  return true;
}

bool undo_run(cockpit_o *c, uint32_t number, json_writer_t *out, error_info_t *error) {
  uint32_t at = c->undo_stack->steps.count;
  while (at > 0 && number && c->undo_stack->steps.items[at - 1].number != number)
    --at;
  if (at == 0)
    return error_set(error, number ? "cannot undo: the change was already undone, or is too old" : "nothing to undo");
  if (number && !c->undo_stack->steps.items[at - 1].files)
    return error_set(error, "step %u did not change files", number);
  if (c->undo_stack->steps.items[at - 1].files && !undo_files(c, c->undo_stack->steps.items[at - 1].files, out, error))
    return false;
  undo_t x = take_step(c, at - 1);
  bool ok = x.files || edit_undo(c, x.text, out, error);
  free_step(c, &x);
  return ok;
}
