// What an entity was when it ceased to match a watched query: its assemblage, its state and all fields, as a text of
// the world in the form that messages have (scripts/shoal/base/packed.lua). Names stand in it and no numbers of
// columns, so that it outlives changes of schemas; and a text is saved, restored and hashed like any other.
#include "ecs/last_words.h"

#include "ecs/world_internal.h"

#include <stdio.h>
#include <string.h>

static void put(world_o *w, const char *bytes, size_t count) {
  array_reserve(&w->allocator, &w->words, w->words.count + (uint32_t)count);
  memcpy(w->words.items + w->words.count, bytes, count);
  w->words.count += (uint32_t)count;
}

static void put_text(world_o *w, const char *text, size_t length) {
  char head[32];
  put(w, head, (size_t)snprintf(head, sizeof head, "s%zu:", length));
  put(w, text, length);
}

static void put_name(world_o *w, const char *name) {
  put_text(w, name, strlen(name));
}

static void put_id(world_o *w, uint32_t text) {
  put_text(w, strings_text(w->strings, text), strings_length(w->strings, text));
}

static void put_number(world_o *w, char kind, double value) {
  char text[40];
  put(w, text, (size_t)snprintf(text, sizeof text, "%c%.17g;", kind, value));
}

static void put_value(world_o *w, const field_t *f, double value) {
  switch (f->type) {
  case FIELD_BOOL: put(w, value != 0 ? "t" : "f", 1); break;
  case FIELD_ENTITY: put_number(w, 'e', value); break;
  case FIELD_ENUM: put_name(w, field_choice(f, (uint32_t)value)); break;
  case FIELD_STRING:
  case FIELD_ASSET: put_id(w, (uint32_t)value); break;
  default: put_number(w, 'n', value); break;
  }
}

static void put_row(world_o *w, const manager_o *m, uint32_t row) {
  put(w, "{", 1);
  for (uint32_t c = 0; c < m->schema.field_count; ++c) {
    const field_t *f = &m->schema.fields[c];
    if (f->flags & FIELD_HIDDEN || f->type == FIELD_MAT4)
      continue;
    put_name(w, f->name);
    put_value(w, f, columns_get(&m->columns, row, c));
  }
  put(w, "}", 1);
}

static void put_instances(world_o *w, const manager_o *m, uint32_t row) {
  put(w, "{", 1);
  for (; row != ROW_NONE; row = m->next[row]) {
    put_id(w, m->instance[row]);
    put_row(w, m, row);
  }
  put(w, "}", 1);
}

uint32_t last_words(world_o *w, shoal_entity e) {
  uint32_t index = shoal_entity_index(e);
  w->words.count = 0;
  put(w, "{", 1);
  put_name(w, "assemblage");
  put_id(w, w->entities.assemblage[index]);
  put_name(w, "state");
  put_id(w, w->entities.state[index]);
  put_name(w, "parts");
  put(w, "{", 1);
  for (uint32_t i = 0; i < w->managers.count; ++i) {
    const manager_o *m = w->managers.items[i];
    uint32_t row = m->schema.kind == SCHEMA_SINGLE ? ROW_NONE : manager_row(m, e);
    if (row == ROW_NONE)
      continue;
    put_name(w, m->schema.name);
    if (m->schema.kind == SCHEMA_MANY)
      put_instances(w, m, row);
    else
      put_row(w, m, row);
  }
  put(w, "}}", 2);
  return strings_intern_n(w->strings, w->words.items, w->words.count);
}
