// Events: rows that a plugin emits and reads.
#include "service/api.h"
#include "service/may.h"

#include "plugin/part.h"
#include "plugin/plugin.h"

static bool may_emit(context_t *x, const bound_t *b, uint32_t count) {
  if (!b || !service_may_change(x))
    return false;
  if (count > SHOAL_MAX_EMIT)
    service_warn(x, "shoal_emit_begin asks for more rows than an event can have at a time (SHOAL_MAX_EMIT)");
  if (x->where != WHERE_PART && b->filling > 0)
    service_warn(x, "shoal_emit_begin comes before the shoal_emit_end of the rows before: they are dropped");
  return count <= SHOAL_MAX_EMIT;
}

void *const *api_emit_begin(shoal_world *world, const shoal_component *event, uint32_t count) {
  context_t *x = context_of_world(world);
  bound_t *b = service_find_event(x, event);
  if (!may_emit(x, b, count))
    return NULL;
  if (x->where == WHERE_PART)
    return chunk_emit(x->chunk, b, count);
  columns_t *to = event_fill_begin(x->all->world, b->event->id, count);
  for (uint32_t i = 0; i < event->column_count; ++i)
    b->data[i] = to->data[b->columns[i]];
  b->filling = count;
  return b->data;
}

bool api_emit_end(shoal_world *world, const shoal_component *event) {
  context_t *x = context_of_world(world);
  bound_t *b = service_find_event(x, event);
  if (!b || x->where == WHERE_PART || b->filling == 0)
    return b && x->where == WHERE_PART;
  b->filling = 0;
  event_fill_end(x->all->world, b->event->id, true);
  return true;
}

static void lay_event(plugins_o *p, bound_t *b, uint32_t column, uint32_t count) {
  event_o *ev = b->event;
  const column_view_t *view = &ev->views[b->columns[column]];
  uint32_t bytes = ev->columns.element_bytes[b->columns[column]];
  b->data[column] = view->data;
  if (!view->rows || count == 0)
    return;
  b->data[column] = scratch_room(&p->memory, &b->scratch, column, b->component->column_count, (size_t)count * bytes);
  scratch_gather(b->data[column], view->data, view->rows, count, bytes, NULL);
}

shoal_table api_hear(shoal_world *world, const shoal_component *event) {
  context_t *x = context_of_world(world);
  bound_t *b = service_find_event(x, event);
  world_o *w = x->all->world;
  if (!service_runs_alone(x, "it reads events, which a system with .beside cannot") || !b || !x->run ||
      x->where == WHERE_PART)
    return (shoal_table){0};
  uint64_t next = 0;
  uint32_t reader = strings_find(world_strings(w), x->run->name);
  uint32_t count = event_open(b->event, world_reader(w, reader, b->event->id), &next);
  for (uint32_t i = 0; i < event->column_count; ++i)
    lay_event(x->all, b, i, count);
  b->read = true;
  return (shoal_table){.count = count, .columns = b->data};
}
