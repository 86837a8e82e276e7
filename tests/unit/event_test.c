// Event rows and their readers: ecs/event.h.
#include "ecs_fixture.h"

enum { DEPTH, CANCELLED };

static uint32_t bang;

static int event_setup(void **state) {
  static const field_type_t types[] = {FIELD_F32, FIELD_BOOL};
  world_setup(state);
  bang = DECLARE((world_o *)*state, "bang", SCHEMA_EVENT, types, "depth", "cancelled");
  return 0;
}
FIXTURE(world_o, event_setup, world_teardown)

static uint32_t emit_bang(world_o *w, double depth) {
  uint32_t ticket = world_emit_event(w, bang);
  world_set_event_field(w, ticket, DEPTH, depth);
  return ticket;
}

// Returns the reader's unread events as one string.
static const char *read_unread_events(world_o *w, const char *name) {
  static char text[1024];
  uint64_t next;
  event_o *ev = world_event(w, bang);
  uint32_t reader = id_of(w, name), count = event_open(ev, world_reader_position(w, reader, bang), &next);
  const column_view_t *v = &ev->views[DEPTH];
  assert_int_equal(v->count, count);
  text[0] = '\0';
  for (uint32_t i = 0; i < count; ++i) {
    char one[16];
    snprintf(one, sizeof one, "%g ", (double)((const float *)v->data)[v->rows ? v->rows[i] : i]);
    strcat(text, one);
  }
  event_close(ev);
  assert_int_equal(v->count, 0);
  world_set_reader_position(w, reader, bang, next);
  return text;
}

TEST_IN(each_reader_reads_each_event_once, world_o, w) {
  emit_bang(w, 1);
  assert_string_equal(read_unread_events(w, "early"), "1 ");
  emit_bang(w, 2);
  assert_string_equal(read_unread_events(w, "late"), "1 2 ");
  world_end_tick(w);
  assert_string_equal(read_unread_events(w, "early"), "2 ");
  emit_bang(w, 3);
  assert_string_equal(read_unread_events(w, "late"), "3 ");
  assert_string_equal(read_unread_events(w, "late"), "");
  assert_string_equal(read_unread_events(w, "new"), "1 2 3 ");
}

TEST_IN(event_is_readable_until_the_end_of_the_next_tick, world_o, w) {
  emit_bang(w, 1);
  world_end_tick(w);
  emit_bang(w, 2);
  assert_string_equal(read_unread_events(w, "a"), "1 2 ");
  world_end_tick(w);
  assert_string_equal(read_unread_events(w, "b"), "2 ");
  world_end_tick(w);
  assert_string_equal(read_unread_events(w, "c"), "");
  assert_int_equal(world_event(w, bang)->first, 2);
  emit_bang(w, 3);
  assert_string_equal(read_unread_events(w, "a"), "3 ");
}

TEST_IN(cancelled_event_is_skipped_by_later_readers, world_o, w) {
  emit_bang(w, 1);
  emit_bang(w, 2);
  emit_bang(w, 3);
  assert_string_equal(read_unread_events(w, "first"), "1 2 3 ");
  columns_set(&world_event(w, bang)->columns, 1, CANCELLED, 1);
  assert_string_equal(read_unread_events(w, "second"), "1 3 ");
  emit_bang(w, 4);
  assert_string_equal(read_unread_events(w, "second"), "4 ");
  columns_set(&world_event(w, bang)->columns, 0, CANCELLED, 1);
  columns_set(&world_event(w, bang)->columns, 2, CANCELLED, 1);
  columns_set(&world_event(w, bang)->columns, 3, CANCELLED, 1);
  assert_string_equal(read_unread_events(w, "third"), "");
}

TEST_IN(deferred_events_are_applied_or_dropped_with_the_commands, world_o, w) {
  emit_bang(w, 1);
  world_defer_begin(w, 0);
  uint32_t a = emit_bang(w, 2);
  emit_bang(w, 3);
  world_set_event_field(w, a, DEPTH, 22);
  assert_string_equal(read_unread_events(w, "r"), "1 ");
  world_defer_end(w, false);
  assert_string_equal(read_unread_events(w, "r"), "22 3 ");
  world_defer_begin(w, 0);
  emit_bang(w, 4);
  world_defer_begin(w, 0);
  uint32_t dropped = emit_bang(w, 5);
  world_defer_end(w, true);
  world_set_event_field(w, dropped, DEPTH, 55); // has no effect: the event was dropped
  emit_bang(w, 6);
  world_defer_end(w, false);
  assert_string_equal(read_unread_events(w, "r"), "4 6 ");
}

static void emit_bulk_events(world_o *w, uint32_t count, float first, bool keep) {
  columns_t *c = event_fill_begin(w, bang, count);
  assert_int_equal(c->count, count);
  for (uint32_t i = 0; i < count; ++i)
    ((float *)c->data[DEPTH])[i] = first + (float)i;
  event_fill_end(w, bang, keep);
}

TEST_IN(bulk_events_keep_their_order_among_single_events, world_o, w) {
  emit_bulk_events(w, 2, 10, true);
  assert_string_equal(read_unread_events(w, "r"), "10 11 ");
  world_defer_begin(w, 0);
  emit_bulk_events(w, 2, 20, true); // no columns are staged yet
  emit_bang(w, 1);
  emit_bulk_events(w, 3, 30, true); // columns are staged now
  emit_bulk_events(w, 3, 40, false);
  assert_int_equal(world_command_count(w), 1); // all events share one command
  assert_string_equal(read_unread_events(w, "r"), "");
  world_defer_end(w, false);
  assert_string_equal(read_unread_events(w, "r"), "20 21 1 30 31 32 ");
  world_defer_begin(w, 0);
  emit_bang(w, 2);
  world_defer_begin(w, 0);
  emit_bulk_events(w, 2, 50, true);
  world_defer_end(w, true);
  world_defer_end(w, false);
  assert_string_equal(read_unread_events(w, "r"), "2 ");
}

TEST_IN(stale_event_ticket_is_ignored, world_o, w) {
  uint32_t ticket = emit_bang(w, 1);
  world_end_tick(w);
  world_end_tick(w);
  emit_bang(w, 2);
  world_set_event_field(w, ticket, DEPTH, 99);
  world_set_event_field(w, 0, DEPTH, 99);
  assert_string_equal(read_unread_events(w, "r"), "2 ");
}

TEST_IN(emitting_an_event_invalidates_an_open_view, world_o, w) {
  uint64_t next;
  emit_bang(w, 1);
  event_o *ev = world_event(w, bang);
  assert_int_equal(event_open(ev, 0, &next), 1);
  for (int i = 0; i < 100; ++i)
    emit_bang(w, i);
  assert_int_equal(ev->views[DEPTH].count, 0);
  world_defer_begin(w, 0);
  emit_bang(w, 5);
  assert_int_equal(event_open(ev, 0, &next), 101);
  world_defer_end(w, false);
  assert_int_equal(ev->views[DEPTH].count, 0);
}

TEST_IN(events_allocate_nothing_in_steady_state, world_o, w) {
  uint64_t calls = 0;
  for (int tick = 0; tick < 50; ++tick) {
    if (tick == 25)
      calls = world_allocator(w)->calls;
    world_defer_begin(w, 0);
    for (int i = 0; i < 100; ++i)
      emit_bang(w, i);
    world_defer_end(w, false);
    columns_set(&world_event(w, bang)->columns, 3, CANCELLED, 1);
    read_unread_events(w, "r");
    world_end_tick(w);
  }
  assert_int_equal(world_allocator(w)->calls, calls);
}

TEST_IN(redeclared_event_keeps_its_rows_and_gets_new_defaults, world_o, w) {
  schema_buffer_t s;
  schema_init(&s, "bang", SCHEMA_EVENT, "events.lua:1");
  schema_add_field(&s.schema, "depth", FIELD_F32, 7);
  schema_add_field(&s.schema, "cancelled", FIELD_BOOL, 0);
  emit_bang(w, 1);
  assert_int_equal(world_declare_schema(w, &s.schema, NULL), bang);
  world_emit_event(w, bang);
  world_defer_begin(w, 0);
  world_emit_event(w, bang);
  world_defer_end(w, false);
  assert_string_equal(read_unread_events(w, "r"), "1 7 7 ");
}

TEST_IN(event_fields_cannot_change_while_the_event_has_rows, world_o, w) {
  schema_buffer_t s;
  error_info_t error;
  schema_init(&s, "bang", SCHEMA_EVENT, "events.lua:1");
  schema_add_field(&s.schema, "loudness", FIELD_F32, 0);
  emit_bang(w, 1);
  assert_false(world_check_schema(w, &s.schema, NULL));
  assert_int_equal(world_declare_schema(w, &s.schema, &error), 0);
  assert_non_null(strstr(error.text, "bang"));
  assert_string_equal(read_unread_events(w, "r"), "1 ");
  world_end_tick(w);
  world_end_tick(w);
  assert_int_equal(world_declare_schema(w, &s.schema, &error), bang);
  emit_bang(w, 7);
  assert_string_equal(read_unread_events(w, "r"), "7 ");
}
