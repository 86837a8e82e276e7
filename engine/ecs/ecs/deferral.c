// Deferral of changes: changes are queued between begin and end, and applied or dropped when the outermost level ends.
#include "base/assert.h"
#include "ecs/command_apply.h"
#include "ecs/ranges.h"
#include "ecs/spawn_batch.h"
#include "ecs/world_internal.h"

void world_defer_begin(world_o *w, uint32_t system_id) {
  close_command_lane(w);
  w->moment += w->frames.count == 0;
  world_report_replaced_nan(w);              // the report names the running code, so it must precede the new frame
  if (system_id != 0 && w->frames.count > 0) // a nested system must not read values that are not yet clamped
    world_clamp_written_columns(w);
  defer_frame_t frame = {.system_id = system_id, .first_command = w->commands.count};
  array_push(&w->allocator, &w->frames, frame);
}

void world_defer_end(world_o *w, bool drop) {
  shoal_assert(w->frames.count > 0, "world_defer_end was called without world_defer_begin");
  if (w->frames.count == 0)
    return;
  close_command_lane(w);
  world_clamp_written_columns(w);
  defer_frame_t frame = w->frames.items[w->frames.count - 1];
  if (drop) {
    command_drop_queued(w, frame.first_command, frame.system_id);
    spawn_batch_drop_deeper(w, w->frames.count, frame.system_id);
    if (w->content)
      w->content->drop_deeper(w, w->frames.count);
  }
  w->frames.count--;
  spawn_batch_move_to_outer(w, w->frames.count);
  if (w->content)
    w->content->move_to_outer(w, w->frames.count);
  if (world_is_deferring(w))
    return; // the outer frame, or the loop that called this hook, applies the commands
  uint32_t outer_system_id = w->applying_system_id;
  w->applying_system_id = frame.system_id ? frame.system_id : outer_system_id;
  command_apply(w);
  world_report_replaced_nan(w);
  world_check_written(w);
  w->applying_system_id = outer_system_id;
  if (w->content)
    w->content->commands_applied(w);
}

uint64_t world_moment(world_o *w) {
  w->moment += w->frames.count == 0;
  return w->moment;
}

void world_set_actor(world_o *w, uint32_t system_id) {
  w->applying_system_id = system_id;
}
