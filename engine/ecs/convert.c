// The sections of the snapshot are gone through in order and written to a new one: as they are, with other numbers, or converted.
#include "ecs/convert_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_USED = 1 }; // strings.c, ENTRY_USED

bool convert_damaged(conversion_t *c, const char *what) {
  return error_set(c->error, "the snapshot is damaged: %s", what);
}

void convert_say(conversion_t *c, const char *format, ...) {
  char line[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (c->say)
    c->say(c->context, line);
}

// ----------------------------------------------------------------------------------------------------------------- sections

static const snapshot_section_t *here(const conversion_t *c) {
  return c->at < c->section_count ? &c->table[c->at] : NULL;
}

static bool is_here(const conversion_t *c, snapshot_kind_t kind, uint32_t a) {
  const snapshot_section_t *s = here(c);
  return s && s->kind == (uint32_t)kind && s->a == a;
}

static const void *data_of(const conversion_t *c, const snapshot_section_t *s) {
  return c->bytes + s->offset;
}

static void put(conversion_t *c, uint32_t kind, uint32_t a, uint32_t b, const void *from, size_t bytes) {
  part_out_t p = {.section = {.kind = kind, .a = a, .b = b, .bytes = bytes}, .from = from};
  array_push(&c->a, &c->out, p);
}

void *convert_blob(conversion_t *c, size_t bytes) {
  void *blob = alloc_resize(&c->a, NULL, 0, bytes + 1);
  memset(blob, 0, bytes + 1);
  array_push(&c->a, &c->blobs, blob);
  array_push(&c->a, &c->blob_bytes, bytes + 1);
  return blob;
}

static void *put_new(conversion_t *c, uint32_t kind, uint32_t a, uint32_t b, size_t bytes) {
  void *blob = convert_blob(c, bytes);
  put(c, kind, a, b, blob, bytes);
  return blob;
}

// The section that comes next, under another number; GONE leaves it out.
static void pass(conversion_t *c, uint32_t a) {
  const snapshot_section_t *s = &c->table[c->at++];
  if (a != GONE)
    put(c, s->kind, a, s->b, data_of(c, s), s->bytes);
}

// ------------------------------------------------------------------------------------------------------------------ schemas

static bool parse_field(conversion_t *c, const snapshot_field_t *f, const char **texts, const char *end, field_t *out) {
  if (!memchr(f->name, '\0', sizeof f->name) || field_size((field_type_t)f->type) == 0 || f->choice_count > 256 ||
      f->choices_bytes > (size_t)(end - *texts))
    return convert_damaged(c, "a field of a schema");
  uint32_t ends = 0;
  for (uint32_t i = 0; i < f->choices_bytes; i++)
    ends += (*texts)[i] == '\0';
  if (ends != f->choice_count || (f->choices_bytes > 0 && (*texts)[f->choices_bytes - 1] != '\0'))
    return convert_damaged(c, "the choices of a field");
  memcpy(out->name, f->name, sizeof out->name);
  out->type = (field_type_t)f->type;
  out->choices = f->choices_bytes > 0 ? (char *)(uintptr_t)*texts : NULL; // borrowed
  out->choice_count = f->choice_count;
  *texts += f->choices_bytes;
  return true;
}

// `out` borrows from the snapshot.
static bool parse_schema(conversion_t *c, const snapshot_section_t *s, schema_t *out) {
  const snapshot_schema_t *head = data_of(c, s);
  memset(out, 0, sizeof *out);
  if (s->bytes < sizeof *head || !memchr(head->name, '\0', sizeof head->name) || head->kind > SCHEMA_EVENT ||
      head->field_count > SCHEMA_MAX_FIELDS || s->bytes < sizeof *head + head->field_count * sizeof(snapshot_field_t))
    return convert_damaged(c, "a schema");
  memcpy(out->name, head->name, sizeof out->name);
  out->kind = (schema_kind_t)head->kind;
  out->field_count = head->field_count;
  const snapshot_field_t *fields = (const snapshot_field_t *)(head + 1);
  const char *texts = (const char *)(fields + head->field_count), *end = (const char *)head + s->bytes;
  for (uint32_t i = 0; i < head->field_count; i++)
    if (!parse_field(c, &fields[i], &texts, end, &out->fields[i]))
      return false;
  return true;
}

static void put_schema(conversion_t *c, uint32_t kind, uint32_t a, const schema_t *schema) {
  snapshot_write_schema(put_new(c, kind, a, 0, snapshot_schema_bytes(schema)), schema);
}

// ------------------------------------------------------------------------------------------------------------------- texts

const char *convert_text(const conversion_t *c, uint32_t id, size_t *length) {
  *length = 0;
  if (id >= c->texts.count || !(c->texts.items[id].flags & TEXT_USED))
    return "";
  const strings_entry_t *e = &c->texts.items[id];
  if (e->offset > c->text_bytes.count || e->length >= c->text_bytes.count - e->offset)
    return "";
  *length = e->length;
  return c->text_bytes.items + e->offset;
}

uint32_t convert_intern(conversion_t *c, const char *text, size_t length) {
  if (length == 0)
    return 0;
  for (uint32_t id = 1; id < c->texts.count; id++) {
    size_t n = 0;
    const char *have = convert_text(c, id, &n);
    if (n == length && memcmp(have, text, n) == 0)
      return id;
  }
  strings_entry_t e = {.offset = c->text_bytes.count, .length = (uint32_t)length, .flags = TEXT_USED};
  for (size_t i = 0; i < length; i++)
    array_push(&c->a, &c->text_bytes, text[i]);
  array_push(&c->a, &c->text_bytes, '\0');
  array_push(&c->a, &c->texts, e);
  return c->texts.count - 1;
}

// -------------------------------------------------------------------------------------------------------------- components

static bool is_of_component(const conversion_t *c, uint32_t a) {
  const snapshot_section_t *s = here(c);
  return s && s->a == a &&
         (s->kind == SNAPSHOT_SCHEMA || s->kind == SNAPSHOT_OWNERS || s->kind == SNAPSHOT_INSTANCES ||
          s->kind == SNAPSHOT_NEXT || s->kind == SNAPSHOT_COLUMN || s->kind == SNAPSHOT_TOUCHED);
}

static const void *take_ids(conversion_t *c, snapshot_kind_t kind, uint32_t a, uint32_t count) {
  const snapshot_section_t *s = here(c);
  if (!is_here(c, kind, a) || s->bytes != (uint64_t)count * 4)
    return NULL;
  c->at++;
  return data_of(c, s);
}

static bool read_columns(conversion_t *c, uint32_t a, old_rows_t *r) {
  const schema_t *schema = &r->schema;
  r->columns = (columns_t){.count = r->count, .capacity = r->count, .schema = schema, .data = r->data};
  r->columns.column_count = r->columns.stored_count = schema->field_count;
  r->columns.element_bytes = r->element_bytes;
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const snapshot_section_t *s = here(c);
    r->element_bytes[i] = field_size(schema->fields[i].type);
    r->element_bytes[schema->field_count + i] = 1;
    if (!is_here(c, SNAPSHOT_COLUMN, a) || s->b != i || s->bytes != (uint64_t)r->count * r->element_bytes[i])
      return convert_damaged(c, "a column");
    r->data[i] = (void *)(uintptr_t)data_of(c, s);
    c->at++;
  }
  for (; is_here(c, SNAPSHOT_TOUCHED, a); c->at++) {
    const snapshot_section_t *s = here(c);
    if (s->b >= schema->field_count || s->bytes != r->count)
      return convert_damaged(c, "the marks of a column");
    r->columns.stored_count = schema->field_count * 2;
    r->data[schema->field_count + s->b] = (void *)(uintptr_t)data_of(c, s);
  }
  return true;
}

// Chains end, and owners are ids that there can be.
static bool check_rows(conversion_t *c, const old_rows_t *r) {
  for (uint32_t i = 0; i < r->count; i++)
    if (r->owner[i] >> 30 != 0 || shoal_entity_index(r->owner[i]) >= c->facts.entities_used + 1 ||
        (r->next && r->next[i] != ROW_NONE && r->next[i] >= r->count))
      return convert_damaged(c, "the rows of a component");
  return true;
}

static bool read_component(conversion_t *c, uint32_t a) {
  old_rows_t *r = convert_blob(c, sizeof *r); // large
  array_push(&c->a, &c->components, r);
  r->number = a;
  r->first_section = c->at;
  if (!is_here(c, SNAPSHOT_SCHEMA, a) || !parse_schema(c, here(c), &r->schema))
    return convert_damaged(c, "a component is missing");
  c->at++;
  const snapshot_section_t *owners = here(c);
  if (!is_here(c, SNAPSHOT_OWNERS, a) || owners->bytes % 4 != 0 || owners->bytes / 4 > UINT32_MAX / 64)
    return convert_damaged(c, "the rows of a component");
  r->count = (uint32_t)(owners->bytes / 4);
  r->owner = take_ids(c, SNAPSHOT_OWNERS, a, r->count);
  if (r->schema.kind == SCHEMA_MANY) {
    r->instance = take_ids(c, SNAPSHOT_INSTANCES, a, r->count);
    r->next = take_ids(c, SNAPSHOT_NEXT, a, r->count);
    if (!r->instance || !r->next)
      return convert_damaged(c, "the rows of a component");
  }
  bool fine = read_columns(c, a, r) && check_rows(c, r);
  r->end_section = c->at;
  return fine && (!is_of_component(c, a) || convert_damaged(c, "a component comes twice"));
}

static manager_o *target_of(const conversion_t *c, const old_rows_t *r) {
  return world_find_manager(c->w, r->schema.name);
}

// Do rows of an alias that the snapshot has go to m?
static uint32_t list_aliased(const conversion_t *c, const manager_o *m, const old_rows_t **out, uint32_t max) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < c->components.count && count < max; i++) {
    const old_rows_t *r = c->components.items[i];
    if (r->count > 0 && !target_of(c, r) && world_alias_names(c->w, r->schema.name, m->id))
      out[count++] = r;
  }
  return count;
}

static uint32_t next_number(conversion_t *c, bool rebuilt) {
  array_push(&c->a, &c->rebuilt, rebuilt);
  return c->new_facts.manager_count++;
}

static void put_rows(conversion_t *c, uint32_t number, const new_rows_t *r) {
  size_t ids = (size_t)r->count * 4;
  put_schema(c, SNAPSHOT_SCHEMA, number, &r->m->schema);
  put(c, SNAPSHOT_OWNERS, number, 0, r->owner.items, ids);
  if (r->m->schema.kind == SCHEMA_MANY) {
    put(c, SNAPSHOT_INSTANCES, number, 0, r->instance.items, ids);
    put(c, SNAPSHOT_NEXT, number, 0, r->next.items, ids);
  }
  for (uint32_t k = 0; k < r->columns.column_count; k++)
    put(c, SNAPSHOT_COLUMN, number, k, r->columns.data[k], (size_t)r->count * r->columns.element_bytes[k]);
  for (uint32_t k = 0; k < r->columns.column_count && r->count > 0; k++)
    if (columns_marks(&r->columns, k) && !(r->m->schema.fields[k].flags & (FIELD_HIDDEN | FIELD_READ_ONLY)))
      put(c, SNAPSHOT_TOUCHED, number, k, columns_marks(&r->columns, k), r->count);
}

#define MAX_ALIASED 16

static bool put_component(conversion_t *c, const old_rows_t *own, manager_o *m) {
  const old_rows_t *aliased[MAX_ALIASED];
  uint32_t count = list_aliased(c, m, aliased, MAX_ALIASED);
  bool same = own && count == 0 && schema_same_layout(&own->schema, &m->schema, NULL);
  uint32_t number = next_number(c, !own || count > 0 || own->schema.kind != m->schema.kind);
  if (own)
    c->managers.items[own->number] = number;
  if (same) {
    for (c->at = own->first_section; c->at < own->end_section;)
      pass(c, number);
    return true;
  }
  new_rows_t *made = convert_blob(c, sizeof *made);
  array_push(&c->a, &c->rows, made);
  made->m = m;
  if (!convert_rows(c, own, aliased, count, made))
    return false;
  put_rows(c, number, made);
  c->counts.components_changed++;
  c->counts.rows += made->count;
  return true;
}

static bool convert_components(conversion_t *c) {
  for (uint32_t i = 0; i < c->facts.manager_count; i++) {
    uint32_t gone = GONE;
    array_push(&c->a, &c->managers, gone);
    if (!read_component(c, i))
      return false;
  }
  uint32_t end = c->at;
  for (uint32_t i = 0; i < c->components.count; i++) {
    const old_rows_t *r = c->components.items[i];
    manager_o *m = target_of(c, r);
    for (uint32_t k = 0; m && k < i; k++)
      if (target_of(c, c->components.items[k]) == m)
        return convert_damaged(c, "a component comes twice");
    if (m && !put_component(c, r, m))
      return false;
    if (!m && r->count > 0 && !world_alias_names(c->w, r->schema.name, 0)) {
      convert_say(c, "there is no component %s any more: %u rows", r->schema.name, r->count);
      c->counts.components_dropped++;
    }
  }
  for (uint32_t id = 1; id <= c->w->managers.count; id++) { // those that only aliases fill
    manager_o *m = world_manager(c->w, id);
    const old_rows_t *any;
    bool had = false;
    for (uint32_t i = 0; i < c->components.count; i++)
      had |= target_of(c, c->components.items[i]) == m;
    if (!had && list_aliased(c, m, &any, 1) > 0 && !put_component(c, NULL, m))
      return false;
  }
  c->at = end;
  return true;
}

// ------------------------------------------------------------------------------------------ events, queries, who reads them

// One set of an event's columns, in flight or staged, that comes next.
static bool convert_event_columns(conversion_t *c, snapshot_kind_t kind, uint32_t a, uint32_t number,
                                  const schema_t *old, const event_o *ev, uint32_t count, bool quiet) {
  void *data[SCHEMA_MAX_FIELDS];
  uint32_t element_bytes[SCHEMA_MAX_FIELDS];
  columns_t rows = {.count = count, .capacity = count, .column_count = old->field_count, .schema = old, .data = data};
  rows.element_bytes = element_bytes;
  rows.stored_count = rows.column_count;
  for (uint32_t i = 0; i < old->field_count; i++, c->at++) {
    element_bytes[i] = field_size(old->fields[i].type);
    if (!is_here(c, kind, a) || here(c)->bytes != (uint64_t)count * element_bytes[i])
      return convert_damaged(c, "a column of an event");
    data[i] = (void *)(uintptr_t)data_of(c, here(c));
  }
  columns_t *now = convert_blob(c, sizeof *now);
  columns_init(now, &ev->schema, ev->columns.initial, &c->a);
  array_push(&c->a, &c->columns, now);
  if (!convert_columns(c, old, &rows, now, quiet))
    return false;
  for (uint32_t k = 0; k < now->column_count; k++)
    put(c, kind, number, k, now->data[k], (size_t)count * now->element_bytes[k]);
  return true;
}

static bool is_of_event(const conversion_t *c, uint32_t a) {
  return is_here(c, SNAPSHOT_EVENT, a) || is_here(c, SNAPSHOT_EVENT_SCHEMA, a) ||
         is_here(c, SNAPSHOT_EVENT_COLUMN, a) || is_here(c, SNAPSHOT_STAGED_COLUMN, a);
}

// Events live for two ticks: those that cannot be converted are dropped and nothing is refused for their sake.
static bool convert_changed_event(conversion_t *c, uint32_t a, const schema_t *old, const event_o *ev) {
  const snapshot_event_t *facts = data_of(c, here(c));
  uint32_t out = c->out.count, at = c->at, number = c->new_facts.event_count;
  if (here(c)->bytes != sizeof *facts || facts->count > UINT32_MAX / 64 || facts->staged_count > UINT32_MAX / 64)
    return convert_damaged(c, "the numbers of an event");
  pass(c, number);
  c->at++;
  put_schema(c, SNAPSHOT_EVENT_SCHEMA, number, &ev->schema);
  bool fine = convert_event_columns(c, SNAPSHOT_EVENT_COLUMN, a, number, old, ev, facts->count, false) &&
              convert_event_columns(c, SNAPSHOT_STAGED_COLUMN, a, number, old, ev, facts->staged_count, true);
  if (!fine) {
    convert_say(c, "the event %s is another one now: those in flight are dropped", old->name);
    c->out.count = out;
    c->at = at;
    while (is_of_event(c, a))
      c->at++;
  }
  c->counts.components_changed++;
  array_push(&c->a, &c->events, fine ? c->new_facts.event_count++ : GONE);
  return true;
}

static bool convert_event(conversion_t *c, uint32_t a) {
  schema_t *old = convert_blob(c, sizeof *old);
  if (!is_here(c, SNAPSHOT_EVENT, a) || c->events.count != a || c->at + 1 >= c->section_count ||
      c->table[c->at + 1].kind != SNAPSHOT_EVENT_SCHEMA || !parse_schema(c, &c->table[c->at + 1], old))
    return convert_damaged(c, "an event is missing");
  const event_o *ev = world_find_event(c->w, old->name);
  if (ev && !schema_same_layout(old, &ev->schema, NULL))
    return convert_changed_event(c, a, old, ev);
  if (!ev)
    convert_say(c, "the event %s is gone: those in flight are dropped", old->name);
  array_push(&c->a, &c->events, ev ? c->new_facts.event_count++ : GONE);
  while (is_of_event(c, a))
    pass(c, c->events.items[a]);
  return true;
}

static bool convert_query(conversion_t *c, uint32_t a) {
  const snapshot_section_t *s = here(c);
  snapshot_query_t q;
  if (!is_here(c, SNAPSHOT_QUERY, a) || c->queries.count != a || s->bytes != sizeof q)
    return convert_damaged(c, "a query is missing");
  memcpy(&q, data_of(c, s), sizeof q);
  bool keep = q.term_count <= QUERY_MAX_TERMS;
  for (uint32_t i = 0; keep && i < q.term_count; i++) {
    uint32_t old = q.terms[i].manager;
    keep = old < c->managers.count && c->managers.items[old] != GONE && !c->rebuilt.items[c->managers.items[old]];
    q.terms[i].manager = keep ? c->managers.items[old] : 0;
  }
  uint32_t number = keep ? c->new_facts.query_count++ : GONE;
  array_push(&c->a, &c->queries, number);
  c->at++;
  if (keep)
    memcpy(put_new(c, SNAPSHOT_QUERY, number, 0, sizeof q), &q, sizeof q);
  while (is_here(c, SNAPSHOT_QUERY_ROWS, a) || is_here(c, SNAPSHOT_QUERY_DRIVER, a))
    pass(c, number);
  return true;
}

static bool convert_watcher(conversion_t *c, uint32_t a) {
  const snapshot_section_t *s = here(c);
  snapshot_watcher_t x;
  if (!is_here(c, SNAPSHOT_WATCHER, a) || s->bytes != sizeof x)
    return convert_damaged(c, "a watcher is missing");
  memcpy(&x, data_of(c, s), sizeof x);
  bool keep = x.query < c->queries.count && c->queries.items[x.query] != GONE;
  uint32_t number = keep ? c->new_facts.watcher_count++ : GONE;
  c->at++;
  if (keep) {
    x.query = c->queries.items[x.query];
    memcpy(put_new(c, SNAPSHOT_WATCHER, number, 0, sizeof x), &x, sizeof x);
  }
  while (is_here(c, SNAPSHOT_WATCHED, a))
    pass(c, number);
  return true;
}

static bool convert_readers(conversion_t *c) {
  const snapshot_section_t *s = here(c);
  if (!is_here(c, SNAPSHOT_READERS, 0) || s->bytes % sizeof(snapshot_reader_t) != 0)
    return convert_damaged(c, "who reads events is missing");
  const snapshot_reader_t *old = data_of(c, s);
  uint32_t kept = 0, count = (uint32_t)(s->bytes / sizeof *old);
  snapshot_reader_t *now = put_new(c, SNAPSHOT_READERS, 0, 0, s->bytes);
  for (uint32_t i = 0; i < count; i++) {
    if (old[i].event >= c->events.count || c->events.items[old[i].event] == GONE)
      continue;
    now[kept] = old[i];
    now[kept++].event = c->events.items[old[i].event];
  }
  c->out.items[c->out.count - 1].section.bytes = kept * sizeof *now;
  c->at++;
  return true;
}

// ---------------------------------------------------------------------------------------------------------------------- all

static bool read_texts(conversion_t *c) {
  const snapshot_section_t *entries = &c->table[1], *texts = &c->table[2];
  if (c->section_count < 3 || entries->kind != SNAPSHOT_STRINGS || texts->kind != SNAPSHOT_TEXTS ||
      entries->bytes % sizeof(strings_entry_t) != 0 || entries->bytes > UINT32_MAX / 8 || texts->bytes > UINT32_MAX / 8)
    return convert_damaged(c, "its texts");
  c->texts.count = (uint32_t)(entries->bytes / sizeof(strings_entry_t));
  c->text_bytes.count = (uint32_t)texts->bytes;
  array_reserve(&c->a, &c->texts, c->texts.count);
  array_reserve(&c->a, &c->text_bytes, c->text_bytes.count);
  if (entries->bytes > 0)
    memcpy(c->texts.items, data_of(c, entries), entries->bytes);
  if (texts->bytes > 0)
    memcpy(c->text_bytes.items, data_of(c, texts), texts->bytes);
  return true;
}

static bool convert_all(conversion_t *c) {
  const snapshot_facts_t *f = &c->facts;
  for (c->at = 3; here(c) && here(c)->kind < SNAPSHOT_SCHEMA;)
    pass(c, here(c)->a);
  bool fine = convert_components(c);
  for (uint32_t i = 0; fine && i < f->event_count; i++)
    fine = convert_event(c, i);
  for (uint32_t i = 0; fine && i < f->query_count; i++)
    fine = convert_query(c, i);
  for (uint32_t i = 0; fine && i < f->watcher_count; i++)
    fine = convert_watcher(c, i);
  fine = fine && convert_readers(c);
  while (fine && here(c)) {
    if (here(c)->kind == SNAPSHOT_OWN_STORAGE) { // whose it is knows what to make of another version
      if (here(c)->a >= c->managers.count)
        return convert_damaged(c, "storage of no component");
      pass(c, c->managers.items[here(c)->a]);
      continue;
    }
    // Between two ticks nothing is queued.
    if (here(c)->bytes > 0)
      return error_set(c->error, "it was saved in the middle of a tick, by another version");
    pass(c, here(c)->a);
  }
  return fine;
}

// Does every component and event fit as it is?
static bool fits(conversion_t *c, schema_t *scratch) {
  for (uint32_t i = 0; i < c->section_count; i++) {
    const snapshot_section_t *s = &c->table[i];
    const schema_t *now = NULL;
    if (s->kind != SNAPSHOT_SCHEMA && s->kind != SNAPSHOT_EVENT_SCHEMA)
      continue;
    if (!parse_schema(c, s, scratch))
      return false;
    const manager_o *m = s->kind == SNAPSHOT_SCHEMA ? world_find_manager(c->w, scratch->name) : NULL;
    const event_o *ev = s->kind == SNAPSHOT_EVENT_SCHEMA ? world_find_event(c->w, scratch->name) : NULL;
    now = m ? &m->schema : ev ? &ev->schema : NULL;
    if (!now || !schema_same_layout(scratch, now, NULL))
      return false;
  }
  return true;
}

static size_t aligned(size_t bytes) {
  return (bytes + SNAPSHOT_ALIGNMENT - 1) / SNAPSHOT_ALIGNMENT * SNAPSHOT_ALIGNMENT;
}

static void write_out(conversion_t *c, snapshot_o *s) {
  memcpy(c->blobs.items[0], &c->new_facts, sizeof c->new_facts);
  c->out.items[1].from = c->texts.items;
  c->out.items[1].section.bytes = c->texts.count * sizeof *c->texts.items;
  c->out.items[2].from = c->text_bytes.items;
  c->out.items[2].section.bytes = c->text_bytes.count;
  size_t size = aligned(sizeof(snapshot_header_t) + c->out.count * sizeof(snapshot_section_t)), first = size;
  for (uint32_t i = 0; i < c->out.count; i++) {
    c->out.items[i].section.offset = size;
    size += aligned(c->out.items[i].section.bytes);
  }
  uint8_t *bytes = alloc_resize(&c->a, NULL, 0, size); // the old bytes are still read from
  memset(bytes, 0, first);
  snapshot_header_t header = {.format = SNAPSHOT_FORMAT, .section_count = c->out.count, .size = size};
  memcpy(header.magic, SNAPSHOT_MAGIC, sizeof header.magic);
  memcpy(bytes, &header, sizeof header);
  for (uint32_t i = 0; i < c->out.count; i++) {
    const part_out_t *p = &c->out.items[i];
    size_t used = p->section.bytes;
    memcpy(bytes + sizeof header + i * sizeof p->section, &p->section, sizeof p->section);
    if (used > 0)
      memcpy(bytes + p->section.offset, p->from, used);
    memset(bytes + p->section.offset + used, 0, aligned(used) - used);
  }
  snapshot_set_bytes(s, bytes, size);
  alloc_resize(&c->a, bytes, size, 0);
}

static void free_all(conversion_t *c) {
  allocator_t *a = &c->a;
  for (uint32_t i = 0; i < c->columns.count; i++)
    columns_fini(c->columns.items[i]);
  for (uint32_t i = 0; i < c->rows.count; i++) {
    new_rows_t *r = c->rows.items[i];
    if (r->columns.allocator)
      columns_fini(&r->columns);
    array_free(a, &r->owner);
    array_free(a, &r->instance);
    array_free(a, &r->next);
  }
  for (uint32_t i = 0; i < c->blobs.count; i++)
    alloc_resize(a, c->blobs.items[i], c->blob_bytes.items[i], 0);
  array_free(a, &c->components);
  array_free(a, &c->rebuilt);
  array_free(a, &c->rows);
  array_free(a, &c->managers);
  array_free(a, &c->events);
  array_free(a, &c->queries);
  array_free(a, &c->texts);
  array_free(a, &c->text_bytes);
  array_free(a, &c->out);
  array_free(a, &c->columns);
  array_free(a, &c->blobs);
  array_free(a, &c->blob_bytes);
}

static bool begin(conversion_t *c) {
  const snapshot_section_t *s = c->table;
  if (!s || c->section_count < 3 || s->kind != SNAPSHOT_FACTS || s->bytes != sizeof c->facts)
    return convert_damaged(c, "its facts");
  memcpy(&c->facts, data_of(c, s), sizeof c->facts);
  uint32_t most = c->section_count;
  if (c->facts.manager_count > most || c->facts.event_count > most || c->facts.query_count > most ||
      c->facts.watcher_count > most)
    return convert_damaged(c, "its facts");
  c->new_facts = c->facts;
  c->new_facts.manager_count = c->new_facts.event_count = c->new_facts.query_count = c->new_facts.watcher_count = 0;
  put_new(c, SNAPSHOT_FACTS, 0, 0, sizeof c->facts);
  put(c, SNAPSHOT_STRINGS, 0, 0, NULL, 0);
  put(c, SNAPSHOT_TEXTS, 0, 0, NULL, 0);
  return read_texts(c);
}

bool snapshot_convert(snapshot_o *s, world_o *w, convert_say_t report_line, void *context, convert_report_t *report,
                      error_t *error) {
  error_t unheard;
  size_t size = 0;
  conversion_t c = {
      .w = w, .error = error ? error : &unheard, .say = report_line, .context = context, .report = report};
  c.bytes = snapshot_bytes(s, &size);
  c.table = snapshot_sections(c.bytes, size, &c.section_count);
  schema_t *scratch = alloc_resize(&c.a, NULL, 0, sizeof *scratch);
  bool fine = begin(&c) && (fits(&c, scratch) || (convert_all(&c) && (write_out(&c, s), true)));
  alloc_resize(&c.a, scratch, sizeof *scratch, 0);
  free_all(&c);
  if (report && fine)
    report->counts = c.counts;
  return fine;
}

// ------------------------------------------------------------------------------------------- what declarations do themselves

bool convert_migrate(convert_report_t *report, world_o *w, convert_migrate_t migrate, void *context, error_t *error) {
  for (uint32_t i = 0; i < report->migration_count; i++) {
    const migration_t *m = report->migrations[i];
    if (!migrate)
      return error_set(error, "%s has another declaration now, and nobody is here to run its `migrate`",
                       m->old_schema.name);
    if (!migrate(context, w, m, error))
      return false;
    report->counts.components_migrated++;
  }
  return true;
}

void convert_report_free(convert_report_t *report) {
  allocator_t *a = &report->memory;
  for (uint32_t i = 0; i < report->migration_count; i++) {
    migration_t *m = report->migrations[i];
    alloc_resize(a, m->row, m->old.count * sizeof *m->row, 0);
    columns_fini(&m->old);
    schema_fini(&m->old_schema, a);
    alloc_resize(a, m, sizeof *m, 0);
  }
  alloc_resize(a, report->migrations, report->migration_capacity * sizeof *report->migrations, 0);
  *report = (convert_report_t){.memory = *a};
}
