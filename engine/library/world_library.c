// <shoal/host.h>: what lies in a host's world, by SQL, by column and by entity; and Lua.
#include "library/library.h"

#include "base/assert.h"
#include "base/similar.h"
#include "host/console.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

// ----------------------------------------------------------------------------------------------------------------- Lua

bool library_run(shoal_host *h, const char *function, const char *lua, char *out, size_t out_bytes) {
  script_report_t *report = calloc(1, sizeof *report);
  char nowhere[16];
  if (!report)
    return error_set(library_error(), "%s: there is no memory", function);
  bool fine = console_run(h->host, lua, out && out_bytes ? out : nowhere, out && out_bytes ? out_bytes : sizeof nowhere,
                          report);
  if (!fine && report->file[0] && strcmp(report->file, "console") != 0)
    error_set(library_error(), "%s: %s:%d: %.700s", function, report->file, report->line, report->message);
  else if (!fine)
    error_set(library_error(), "%s: %.900s", function, report->message);
  free(report);
  return fine;
}

bool shoal_host_exec(shoal_host *h, const char *lua, char *out, size_t out_bytes) {
  static const char function[] = "shoal_host_exec";
  if (out && out_bytes)
    out[0] = '\0';
  if (!library_enter_alive(h, function))
    return false;
  if (!lua)
    return library_leave(error_set(library_error(), "%s: there is no text", function));
  return library_leave(library_run(h, function, lua, out, out_bytes));
}

bool library_may_write(shoal_host *h, const char *function) {
  host_look_t look;
  host_look(h->host, &look);
  if (!look.replays && !host_records(h->host))
    return true;
  return error_set(library_error(),
                   "%s: a recording is %s, which would not know of it: the functions of "
                   "<shoal/world.h> and shoal_host_exec are recorded",
                   function, look.replays ? "played" : "made");
}

// ----------------------------------------------------------------------------------------------------------------- SQL

struct shoal_host_rows {
  uint32_t column_count, row_count;
  uint64_t changed;
  const char **names;
  shoal_host_value *values;
};

static const char *copy_text(char **room, const char *text, size_t bytes) {
  char *to = *room;
  shoal_assert(to && (text || bytes == 0), "%zu bytes of text are nowhere", bytes);
  memcpy(to, text, bytes);
  to[bytes] = '\0';
  *room += bytes + 1;
  return to;
}

static bool has_bytes(const sql_value_t *v) {
  return v->kind == SQL_TEXT || v->kind == SQL_BLOB || v->kind == SQL_MATRIX;
}

static shoal_host_value take_value(const sql_value_t *v, char **room) {
  shoal_host_value out = {.kind = SHOAL_HOST_NULL};
  if (has_bytes(v)) {
    out.kind = v->kind == SQL_TEXT ? SHOAL_HOST_TEXT : SHOAL_HOST_BLOB;
    out.size = v->bytes;
    out.text = copy_text(room, v->text, v->bytes);
  } else if (v->kind == SQL_REAL) {
    out.kind = SHOAL_HOST_REAL;
    out.real = v->real;
  } else if (v->kind != SQL_NULL) {
    out.kind = SHOAL_HOST_INTEGER;
    out.integer = v->integer;
    out.real = (double)v->integer;
  }
  return out;
}

// One block, so that rows outlive everything.
static shoal_host_rows *copy_rows(const sql_result_t *r) {
  size_t count = (size_t)r->column_count * r->row_count, texts = 0;
  for (uint32_t c = 0; c < r->column_count; ++c)
    texts += strlen(r->names[c]) + 1u;
  for (size_t i = 0; i < count; ++i)
    texts += has_bytes(&r->values[i]) ? r->values[i].bytes + 1u : 0;
  size_t head = sizeof(shoal_host_rows), names = r->column_count * sizeof(char *),
         values = count * sizeof(shoal_host_value);
  shoal_host_rows *rows = malloc(head + values + names + texts);
  if (!rows)
    return NULL;
  char *room = (char *)rows + head + values + names;
  *rows = (shoal_host_rows){.column_count = r->column_count, .row_count = r->row_count, .changed = r->changed};
  rows->values = (shoal_host_value *)((char *)rows + head);
  rows->names = (const char **)((char *)rows + head + values);
  for (uint32_t c = 0; c < r->column_count; ++c)
    rows->names[c] = copy_text(&room, r->names[c], strlen(r->names[c]));
  for (size_t i = 0; i < count; ++i)
    rows->values[i] = take_value(&r->values[i], &room);
  shoal_assert(room == (char *)rows + head + values + names + texts, "texts of rows that were not counted");
  return rows;
}

static bool read_parameters(const shoal_host_value *given, uint32_t count, sql_value_t *out, error_t *error) {
  if (count > SQL_MOST_PARAMETERS)
    return error_set(error, "%u values, and %u are the most", count, SQL_MOST_PARAMETERS);
  if (count > 0 && !given)
    return error_set(error, "%u values that are not there", count);
  for (uint32_t i = 0; i < count; ++i) {
    const shoal_host_value *v = &given[i];
    bool is_text = v->kind == SHOAL_HOST_TEXT || v->kind == SHOAL_HOST_BLOB;
    if (is_text && !v->text)
      return error_set(error, "value %u is a text that is not there", i + 1);
    size_t size = v->kind == SHOAL_HOST_TEXT && v->size == 0 && v->text ? strlen(v->text) : v->size;
    switch (v->kind) {
    case SHOAL_HOST_NULL: out[i] = (sql_value_t){.kind = SQL_NULL}; break;
    case SHOAL_HOST_INTEGER: out[i] = (sql_value_t){.kind = SQL_INTEGER, .integer = v->integer}; break;
    case SHOAL_HOST_REAL: out[i] = (sql_value_t){.kind = SQL_REAL, .real = v->real}; break;
    case SHOAL_HOST_TEXT: out[i] = (sql_value_t){.kind = SQL_TEXT, .bytes = (uint32_t)size, .text = v->text}; break;
    case SHOAL_HOST_BLOB: out[i] = (sql_value_t){.kind = SQL_BLOB, .bytes = (uint32_t)size, .text = v->text}; break;
    default: return error_set(error, "value %u is of kind %d, which is none", i + 1, (int)v->kind);
    }
  }
  return true;
}

shoal_host_rows *shoal_host_sql(shoal_host *h, const char *sql, const shoal_host_value *values, uint32_t value_count) {
  static const char function[] = "shoal_host_sql";
  sql_value_t parameters[SQL_MOST_PARAMETERS];
  error_t error = {0};
  sql_result_t result;
  if (!library_enter_alive(h, function))
    return NULL;
  if (!sql || !read_parameters(values, value_count, parameters, &error)) {
    library_leave(sql ? library_fails(function, &error) : error_set(library_error(), "%s: there is no text", function));
    return NULL;
  }
  sql_o *asked = host_game(h->host)->sql;
  sql_ask_t ask = {.text = sql,
                   .text_bytes = strlen(sql),
                   .parameters = parameters,
                   .parameter_count = value_count,
                   .measured = true};
  bool fine = sql_run(asked, &ask, &result, &error); // as a question first: most of them are
  if (!fine && strncasecmp(sql + strspn(sql, " \t\r\n("), "select", 6) != 0 && library_may_write(h, function)) {
    ask.write = true;
    host_edited(h->host, true);
    fine = sql_run(asked, &ask, &result, &error);
    host_edited(h->host, false);
  } else if (!fine && library_error()->text[0]) {
    library_leave(false);
    return NULL;
  }
  shoal_host_rows *rows = fine ? copy_rows(&result) : NULL;
  if (fine) {
    sql_result_fini(&result);
    if (!rows)
      error_set(&error, "there is no memory for the answer");
  }
  library_leave(rows || library_fails(function, &error));
  return rows;
}

void shoal_host_rows_free(shoal_host_rows *rows) {
  free(rows);
}

uint32_t shoal_host_row_count(const shoal_host_rows *rows) {
  return rows ? rows->row_count : 0;
}

uint32_t shoal_host_column_count(const shoal_host_rows *rows) {
  return rows ? rows->column_count : 0;
}

uint64_t shoal_host_rows_changed(const shoal_host_rows *rows) {
  return rows ? rows->changed : 0;
}

const char *shoal_host_column_name(const shoal_host_rows *rows, uint32_t column) {
  return rows && column < rows->column_count ? rows->names[column] : "";
}

shoal_host_value shoal_host_row(const shoal_host_rows *rows, uint32_t row, uint32_t column) {
  if (!rows || row >= rows->row_count || column >= rows->column_count)
    return (shoal_host_value){.kind = SHOAL_HOST_NULL};
  return rows->values[(size_t)row * rows->column_count + column];
}

// ------------------------------------------------------------------------------------------------------------- columns

typedef struct place_t {
  manager_o *manager;
  uint32_t column;
} place_t;

static void suggest_component(world_o *w, const char *name, char *out, uint32_t bytes) {
  similar_t meant;
  similar_begin(&meant, name);
  for (uint32_t i = 1; i <= world_manager_count(w); ++i)
    if (world_manager(w, i))
      similar_offer(&meant, world_manager(w, i)->schema.name);
  similar_hint(&meant, out, bytes);
}

static void suggest_field(const schema_t *s, const char *name, char *out, uint32_t bytes) {
  similar_t meant;
  similar_begin(&meant, name);
  for (uint32_t i = 0; i < s->field_count; ++i)
    if (!(s->fields[i].flags & FIELD_HIDDEN))
      similar_offer(&meant, s->fields[i].name);
  similar_hint(&meant, out, bytes);
}

static bool find_place(world_o *w, const char *component, const char *field, place_t *out, error_t *error) {
  char hint[SIMILAR_MOST + 32];
  if (!component || !field)
    return error_set(error, "it needs the names of a component and of a field");
  manager_o *m = world_find_manager(w, component);
  if (!m) {
    suggest_component(w, component, hint, sizeof hint);
    return error_set(error, "the game has no component “%.64s”%s", component, hint);
  }
  int32_t column = schema_find(&m->schema, field);
  if (column < 0 || (m->schema.fields[column].flags & FIELD_HIDDEN)) {
    suggest_field(&m->schema, field, hint, sizeof hint);
    return error_set(error, "%s has no column “%.64s”%s", component, field, hint);
  }
  *out = (place_t){m, (uint32_t)column};
  return true;
}

static const shoal_type types[FIELD_TYPE_COUNT] = {
    [FIELD_F32] = SHOAL_TYPE_f32,       [FIELD_F64] = SHOAL_TYPE_f64,       [FIELD_I8] = SHOAL_TYPE_i8,
    [FIELD_I16] = SHOAL_TYPE_i16,       [FIELD_I32] = SHOAL_TYPE_i32,       [FIELD_U8] = SHOAL_TYPE_u8,
    [FIELD_U16] = SHOAL_TYPE_u16,       [FIELD_U32] = SHOAL_TYPE_u32,       [FIELD_BOOL] = SHOAL_TYPE_bool,
    [FIELD_ENTITY] = SHOAL_TYPE_entity, [FIELD_STRING] = SHOAL_TYPE_string, [FIELD_ENUM] = SHOAL_TYPE_enum,
    [FIELD_ASSET] = SHOAL_TYPE_asset,   [FIELD_MAT4] = SHOAL_TYPE_mat4};

static bool check_type(const place_t *p, shoal_type wanted, error_t *error) {
  const field_t *f = &p->manager->schema.fields[p->column];
  if (wanted == SHOAL_TYPE_none || wanted == types[f->type])
    return true;
  const char *name = "of another type";
  for (int i = 1; i < FIELD_TYPE_COUNT; ++i)
    if (types[i] == wanted)
      name = field_type_name((field_type_t)i);
  return error_set(error, "%s.%s is %s, and was asked for as %s", p->manager->schema.name, f->name,
                   field_type_name(f->type), name);
}

bool shoal_host_read(shoal_host *h, const char *component, const char *field, shoal_type type, shoal_host_column *out) {
  static const char function[] = "shoal_host_read";
  error_t error = {0};
  place_t p = {0};
  if (out)
    *out = (shoal_host_column){.count = 0};
  if (!library_enter_alive(h, function))
    return false;
  bool fine = out ? find_place(host_world(h->host), component, field, &p, &error) && check_type(&p, type, &error)
                  : error_set(&error, "it needs a place for what it says");
  if (fine)
    *out = (shoal_host_column){.count = p.manager->count,
                               .type = types[p.manager->schema.fields[p.column].type],
                               .data = manager_column(p.manager, p.column),
                               .owners = p.manager->schema.kind == SCHEMA_SINGLE ? NULL : p.manager->owner};
  return library_leave(fine || library_fails(function, &error));
}

static bool is_plain(const field_t *f) {
  shoal_assert(f->type < FIELD_TYPE_COUNT, "%s is of type %d", f->name, (int)f->type);
  return (f->type <= FIELD_BOOL || f->type == FIELD_MAT4) && !(f->flags & (FIELD_READ_ONLY | FIELD_DERIVED));
}

void *shoal_host_write(shoal_host *h, const char *component, const char *field, shoal_type type, uint32_t *count) {
  static const char function[] = "shoal_host_write";
  error_t error = {0};
  place_t p = {0};
  if (count)
    *count = 0;
  if (!library_enter_alive(h, function))
    return NULL;
  if (!library_may_write(h, function))
    return library_leave(false), NULL;
  bool fine = count ? find_place(host_world(h->host), component, field, &p, &error) && check_type(&p, type, &error)
                    : error_set(&error, "it needs a place for the number of rows");
  if (fine && !is_plain(&p.manager->schema.fields[p.column]))
    fine = error_set(&error, "%s.%s cannot be written in place: use shoal_set", component, field);
  if (!fine)
    return library_leave(library_fails(function, &error)), NULL;
  host_edited(h->host, true);
  columns_touch(&p.manager->columns, p.column, 0, p.manager->count);
  *count = p.manager->count;
  library_leave(true);
  return manager_column(p.manager, p.column);
}

const char *shoal_host_word(shoal_host *h, const char *component, const char *field, uint32_t number) {
  static const char function[] = "shoal_host_word";
  error_t error = {0};
  place_t p = {0};
  const char *word = "";
  if (!library_enter_alive(h, function))
    return word;
  bool fine = find_place(host_world(h->host), component, field, &p, &error);
  const field_t *f = fine ? &p.manager->schema.fields[p.column] : NULL;
  if (fine && field_is_text(f))
    word = strings_text(world_strings(host_world(h->host)), number);
  else if (fine && f->type == FIELD_ENUM)
    word = field_choice(f, number);
  else if (fine)
    fine = error_set(&error, "%s.%s holds no words", component, field);
  library_leave(fine || library_fails(function, &error));
  return word;
}
