// The sections of the snapshot are gone through in order and written to a new one: as they are, with other numbers, or converted.
#include "ecs/convert.h"

#include "base/array.h"
#include "ecs/snapshot_internal.h"
#include "ecs/world_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GONE UINT32_MAX
enum { TEXT_USED = 1 }; // strings.c, ENTRY_USED

typedef struct part_out_t {
  snapshot_section_t section;
  const void *from;
} part_out_t;

typedef struct conversion_t {
  world_o *w;
  allocator_t a; // of everything below; all of it is freed at the end
  error_t *error;
  convert_say_t say;
  void *context;
  const uint8_t *bytes;
  const snapshot_section_t *table;
  uint32_t section_count, at;
  snapshot_facts_t facts, new_facts;
  ARRAY(uint32_t) managers, events, queries; // old number → new number or GONE
  ARRAY(strings_entry_t) texts;
  ARRAY(char) text_bytes;
  ARRAY(part_out_t) out;
  ARRAY(columns_t *) columns; // converted
  ARRAY(void *) blobs;        // written anew, with their sizes
  ARRAY(size_t) blob_bytes;
} conversion_t;

static bool damaged(conversion_t *c, const char *what) {
  return error_set(c->error, "the snapshot is damaged: %s", what);
}

__attribute__((format(printf, 2, 3))) static void say(conversion_t *c, const char *format, ...) {
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

static void *put_new(conversion_t *c, uint32_t kind, uint32_t a, uint32_t b, size_t bytes) {
  void *blob = alloc_resize(&c->a, NULL, 0, bytes + 1);
  memset(blob, 0, bytes + 1);
  array_push(&c->a, &c->blobs, blob);
  array_push(&c->a, &c->blob_bytes, bytes + 1);
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
    return damaged(c, "a field of a schema");
  uint32_t ends = 0;
  for (uint32_t i = 0; i < f->choices_bytes; i++)
    ends += (*texts)[i] == '\0';
  if (ends != f->choice_count || (f->choices_bytes > 0 && (*texts)[f->choices_bytes - 1] != '\0'))
    return damaged(c, "the choices of a field");
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
    return damaged(c, "a schema");
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

static void put_schema(conversion_t *c, uint32_t a, const schema_t *schema) {
  snapshot_write_schema(put_new(c, SNAPSHOT_SCHEMA, a, 0, snapshot_schema_bytes(schema)), schema);
}

// ------------------------------------------------------------------------------------------------------------------- texts

static bool is_text_type(field_type_t type) {
  return type == FIELD_STRING || type == FIELD_ASSET;
}

static const char *text_of(const conversion_t *c, uint32_t id, size_t *length) {
  *length = 0;
  if (id >= c->texts.count || !(c->texts.items[id].flags & TEXT_USED))
    return "";
  const strings_entry_t *e = &c->texts.items[id];
  if (e->offset > c->text_bytes.count || e->length >= c->text_bytes.count - e->offset)
    return "";
  *length = e->length;
  return c->text_bytes.items + e->offset;
}

static uint32_t intern(conversion_t *c, const char *text, size_t length) {
  if (length == 0)
    return 0;
  for (uint32_t id = 1; id < c->texts.count; id++) {
    size_t n = 0;
    const char *have = text_of(c, id, &n);
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

static const char *choice(const field_t *f, uint32_t number) {
  const char *at = f->choices;
  for (uint32_t i = 0; i < number && i < f->choice_count; i++)
    at += strlen(at) + 1;
  return number < f->choice_count ? at : "";
}

static int32_t find_choice(const field_t *f, const char *text, size_t length) {
  for (uint32_t i = 0; i < f->choice_count; i++)
    if (strlen(choice(f, i)) == length && memcmp(choice(f, i), text, length) == 0)
      return (int32_t)i;
  return -1;
}

// ----------------------------------------------------------------------------------------------------------------- columns

// One column of the old rows and the one that it becomes.
typedef struct pair_t {
  const char *component;
  const field_t *from, *to;
  const columns_t *old;
  uint32_t old_column;
  columns_t *now;
  uint32_t now_column;
} pair_t;

static bool lossy(conversion_t *c, const pair_t *p, const char *value) {
  return error_set(c->error, "%s.%s: %s was %s and does not fit %s", p->component, p->to->name, value,
                   field_type_name(p->from->type), field_type_name(p->to->type));
}

static bool is_number_type(field_type_t type) {
  return (type >= FIELD_F32 && type <= FIELD_U32) || type == FIELD_BOOL;
}

static bool convert_numbers(conversion_t *c, const pair_t *p) {
  for (uint32_t row = 0; row < p->old->count; row++) {
    double v = columns_get(p->old, row, p->old_column);
    columns_set(p->now, row, p->now_column, v);
    double kept = columns_get(p->now, row, p->now_column);
    char shown[40];
    snprintf(shown, sizeof shown, "%.17g", v);
    if (kept != v && !(kept != kept && v != v))
      return lossy(c, p, shown);
  }
  return true;
}

// Between choices and texts, and from choices to others: by their words.
static bool convert_words(conversion_t *c, const pair_t *p) {
  for (uint32_t row = 0; row < p->old->count; row++) {
    uint32_t number = (uint32_t)columns_get(p->old, row, p->old_column);
    size_t length = 0;
    const char *word = text_of(c, number, &length);
    if (p->from->type == FIELD_ENUM) {
      word = choice(p->from, number);
      length = strlen(word);
    }
    int32_t found = p->to->type == FIELD_ENUM ? find_choice(p->to, word, length) : (int32_t)intern(c, word, length);
    if (found < 0)
      return lossy(c, p, word);
    columns_set(p->now, row, p->now_column, found);
  }
  return true;
}

static bool same_field(const field_t *a, const field_t *b) {
  return a->type == b->type && field_same_choices(a, b);
}

static bool is_word_type(field_type_t type) {
  return type == FIELD_ENUM || is_text_type(type);
}

static bool convert_column(conversion_t *c, const pair_t *p) {
  size_t bytes = (size_t)p->old->count * p->old->element_bytes[p->old_column];
  if (same_field(p->from, p->to) || (is_text_type(p->from->type) && is_text_type(p->to->type))) {
    if (bytes > 0)
      memcpy(p->now->data[p->now_column], p->old->data[p->old_column], bytes);
    return true;
  }
  if (is_number_type(p->from->type) && is_number_type(p->to->type))
    return convert_numbers(c, p);
  if (is_word_type(p->from->type) && is_word_type(p->to->type))
    return convert_words(c, p);
  return p->old->count == 0 ||
         error_set(c->error, "%s.%s was %s and is %s: its values cannot be taken over", p->component, p->to->name,
                   field_type_name(p->from->type), field_type_name(p->to->type));
}

static int32_t find_source(const schema_t *old, const field_t *f) {
  int32_t j = schema_find(old, f->name);
  return j < 0 && f->renamed_from[0] ? schema_find(old, f->renamed_from) : j;
}

// A text's default is of the world's table of texts; here it needs the number that it has in the snapshot's.
static void use_default(conversion_t *c, columns_t *now, uint32_t k) {
  if (!is_text_type(now->schema->fields[k].type) || now->count == 0)
    return;
  uint32_t id = (uint32_t)now->initial[k];
  const char *text = strings_text(c->w->strings, id);
  columns_fill(now, k, 0, now->count, intern(c, text, strings_length(c->w->strings, id)));
}

static bool convert_rows(conversion_t *c, const schema_t *old_schema, const columns_t *old, columns_t *now) {
  const schema_t *schema = now->schema;
  bool used[SCHEMA_MAX_FIELDS] = {false};
  columns_append(now, old->count);
  for (uint32_t k = 0; k < schema->field_count; k++) {
    const field_t *f = &schema->fields[k];
    int32_t j = find_source(old_schema, f);
    if (j < 0) {
      say(c, "%s.%s is new: its default", schema->name, f->name);
      use_default(c, now, k);
      continue;
    }
    used[j] = true;
    pair_t p = {schema->name, &old_schema->fields[j], f, old, (uint32_t)j, now, k};
    if (!convert_column(c, &p))
      return false;
    if (strcmp(p.from->name, f->name) != 0)
      say(c, "%s.%s was %s", schema->name, f->name, p.from->name);
    if (p.from->type != f->type)
      say(c, "%s.%s was %s and is %s", schema->name, f->name, field_type_name(p.from->type), field_type_name(f->type));
  }
  for (uint32_t j = 0; j < old_schema->field_count; j++)
    if (!used[j])
      say(c, "%s.%s is gone: its values are dropped", schema->name, old_schema->fields[j].name);
  return true;
}

// -------------------------------------------------------------------------------------------------------------- components

// The old rows as columns, over the snapshot's own bytes. The sections of the manager begin at c->at.
static bool read_columns(conversion_t *c, uint32_t a, const schema_t *schema, uint32_t count, columns_t *out,
                         void **data, uint32_t *element_bytes) {
  *out = (columns_t){.count = count, .capacity = count, .column_count = schema->field_count, .schema = schema};
  out->data = data;
  out->element_bytes = element_bytes;
  for (uint32_t i = 0; i < schema->field_count; i++) {
    const snapshot_section_t *s = here(c);
    element_bytes[i] = field_size(schema->fields[i].type);
    if (!is_here(c, SNAPSHOT_COLUMN, a) || s->b != i || s->bytes != (uint64_t)count * element_bytes[i])
      return damaged(c, "a column");
    data[i] = (void *)(uintptr_t)data_of(c, s);
    c->at++;
  }
  return true;
}

static bool convert_changed(conversion_t *c, uint32_t a, const schema_t *old, manager_o *m, uint32_t count) {
  void *data[SCHEMA_MAX_FIELDS];
  uint32_t element_bytes[SCHEMA_MAX_FIELDS];
  columns_t rows;
  if (!read_columns(c, a, old, count, &rows, data, element_bytes))
    return false;
  columns_t *now = alloc_resize(&c->a, NULL, 0, sizeof *now);
  array_push(&c->a, &c->columns, now);
  columns_init(now, &m->schema, m->columns.initial, &c->a);
  if (!convert_rows(c, old, &rows, now))
    return false;
  for (uint32_t k = 0; k < now->column_count; k++)
    put(c, SNAPSHOT_COLUMN, c->managers.items[a], k, now->data[k], (size_t)count * now->element_bytes[k]);
  return true;
}

static void skip_manager(conversion_t *c, uint32_t a) {
  while (is_here(c, SNAPSHOT_SCHEMA, a) || is_here(c, SNAPSHOT_OWNERS, a) || is_here(c, SNAPSHOT_INSTANCES, a) ||
         is_here(c, SNAPSHOT_NEXT, a) || is_here(c, SNAPSHOT_COLUMN, a))
    c->at++;
}

static bool convert_manager(conversion_t *c, uint32_t a) {
  static const char *const kinds[] = {"an ordinary component", "many", "a single", "an event"};
  schema_t *old = alloc_resize(&c->a, NULL, 0, sizeof *old); // large; with the blobs it is freed at the end
  array_push(&c->a, &c->blobs, (void *)old);
  array_push(&c->a, &c->blob_bytes, sizeof *old);
  if (!is_here(c, SNAPSHOT_SCHEMA, a) || c->managers.count != a || !parse_schema(c, here(c), old))
    return damaged(c, "a component is missing");
  manager_o *m = world_find_manager(c->w, old->name);
  const snapshot_section_t *owners = c->at + 1 < c->section_count ? &c->table[c->at + 1] : NULL;
  if (!owners || owners->kind != SNAPSHOT_OWNERS || owners->bytes % 4 != 0 || owners->bytes / 4 > UINT32_MAX / 64)
    return damaged(c, "the rows of a component");
  uint32_t count = (uint32_t)(owners->bytes / 4);
  if (m && m->schema.kind != old->kind && count > 0)
    return error_set(c->error, "%s was %s and is %s: its rows cannot be taken over", old->name, kinds[old->kind],
                     kinds[m->schema.kind]);
  if (!m || m->schema.kind != old->kind) {
    if (count > 0)
      say(c, "there is no component %s any more: %u rows", old->name, count);
    array_push(&c->a, &c->managers, GONE);
    skip_manager(c, a);
    return true;
  }
  uint32_t number = c->new_facts.manager_count++;
  array_push(&c->a, &c->managers, number);
  put_schema(c, number, &m->schema);
  c->at++;
  while (is_here(c, SNAPSHOT_OWNERS, a) || is_here(c, SNAPSHOT_INSTANCES, a) || is_here(c, SNAPSHOT_NEXT, a))
    pass(c, number);
  if (!schema_same_layout(old, &m->schema, NULL))
    return convert_changed(c, a, old, m, count);
  while (is_here(c, SNAPSHOT_COLUMN, a))
    pass(c, number);
  return true;
}

// ------------------------------------------------------------------------------------------ events, queries, who reads them

static bool convert_event(conversion_t *c, uint32_t a) {
  schema_t *old = alloc_resize(&c->a, NULL, 0, sizeof *old);
  array_push(&c->a, &c->blobs, (void *)old);
  array_push(&c->a, &c->blob_bytes, sizeof *old);
  if (!is_here(c, SNAPSHOT_EVENT, a) || c->events.count != a || c->at + 1 >= c->section_count ||
      c->table[c->at + 1].kind != SNAPSHOT_EVENT_SCHEMA || !parse_schema(c, &c->table[c->at + 1], old))
    return damaged(c, "an event is missing");
  const event_o *ev = world_find_event(c->w, old->name);
  bool keep = ev && schema_same_layout(old, &ev->schema, NULL);
  if (!keep)
    say(c, "the event %s is %s: those in flight are dropped", old->name, ev ? "another one now" : "gone");
  array_push(&c->a, &c->events, keep ? c->new_facts.event_count++ : GONE);
  while (is_here(c, SNAPSHOT_EVENT, a) || is_here(c, SNAPSHOT_EVENT_SCHEMA, a) ||
         is_here(c, SNAPSHOT_EVENT_COLUMN, a) || is_here(c, SNAPSHOT_STAGED_COLUMN, a))
    pass(c, c->events.items[a]);
  return true;
}

static bool convert_query(conversion_t *c, uint32_t a) {
  const snapshot_section_t *s = here(c);
  snapshot_query_t q;
  if (!is_here(c, SNAPSHOT_QUERY, a) || c->queries.count != a || s->bytes != sizeof q)
    return damaged(c, "a query is missing");
  memcpy(&q, data_of(c, s), sizeof q);
  bool keep = q.term_count <= QUERY_MAX_TERMS;
  for (uint32_t i = 0; keep && i < q.term_count; i++) {
    uint32_t old = q.terms[i].manager;
    keep = old < c->managers.count && c->managers.items[old] != GONE;
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
    return damaged(c, "a watcher is missing");
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
    return damaged(c, "who reads events is missing");
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
    return damaged(c, "its texts");
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
  bool fine = true;
  for (uint32_t i = 0; fine && i < f->manager_count; i++)
    fine = convert_manager(c, i);
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
        return damaged(c, "storage of no component");
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
  for (uint32_t i = 0; i < c->columns.count; i++) {
    columns_fini(c->columns.items[i]);
    alloc_resize(a, c->columns.items[i], sizeof(columns_t), 0);
  }
  for (uint32_t i = 0; i < c->blobs.count; i++)
    alloc_resize(a, c->blobs.items[i], c->blob_bytes.items[i], 0);
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
    return damaged(c, "its facts");
  memcpy(&c->facts, data_of(c, s), sizeof c->facts);
  uint32_t most = c->section_count;
  if (c->facts.manager_count > most || c->facts.event_count > most || c->facts.query_count > most ||
      c->facts.watcher_count > most)
    return damaged(c, "its facts");
  c->new_facts = c->facts;
  c->new_facts.manager_count = c->new_facts.event_count = c->new_facts.query_count = c->new_facts.watcher_count = 0;
  put_new(c, SNAPSHOT_FACTS, 0, 0, sizeof c->facts);
  put(c, SNAPSHOT_STRINGS, 0, 0, NULL, 0);
  put(c, SNAPSHOT_TEXTS, 0, 0, NULL, 0);
  return read_texts(c);
}

bool snapshot_convert(snapshot_o *s, world_o *w, convert_say_t report, void *context, error_t *error) {
  error_t unheard;
  size_t size = 0;
  conversion_t c = {.w = w, .error = error ? error : &unheard, .say = report, .context = context};
  c.bytes = snapshot_bytes(s, &size);
  c.table = snapshot_sections(c.bytes, size, &c.section_count);
  schema_t *scratch = alloc_resize(&c.a, NULL, 0, sizeof *scratch);
  bool fine = begin(&c) && (fits(&c, scratch) || (convert_all(&c) && (write_out(&c, s), true)));
  alloc_resize(&c.a, scratch, sizeof *scratch, 0);
  free_all(&c);
  return fine;
}
