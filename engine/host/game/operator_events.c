// Reads the fields of an event from JSON. Records and vectors are objects, lists are lists.
#include "game/operator_events.h"

#include "base/json_value.h"
#include "base/nearest_name.h"
#include "ecs/event.h"
#include "game/game.h"
#include "game/players.h"
#include "platform/player_name.h"
#include "time/external_input.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_PATH_BYTES (2u * FIELD_NAME_MAX)

// Reader of an event's values. While `ticket` is 0, values are only checked.
typedef struct reader_t {
  world_o *world;
  const event_o *event;
  uint32_t ticket;
  error_info_t *error;
} reader_t;

static bool read_value(reader_t *r, const char *path, const json_t *value);

// --- messages

static bool fail_type(const reader_t *r, const char *path, const char *expected, const json_t *value) {
  char text[JSON_VALUE_BYTES];
  return error_set(r->error, "%s.%s must be %s, got %s", r->event->schema.name, path, expected,
                   json_value_describe(value, text));
}

static bool fail_unknown_field(const reader_t *r, const char *path) {
  const schema_t *schema = &r->event->schema;
  char hint[NEAREST_NAME_MAX_BYTES + 32], label[FIELD_NAME_MAX], names[256] = "";
  size_t length = 0;
  nearest_name_t nearest;
  nearest_name_init(&nearest, path);
  for (uint32_t i = 0; i < schema->field_count; ++i) {
    if (!field_is_settable(&schema->fields[i]))
      continue;
    const char *name = field_label(&schema->fields[i], label);
    nearest_name_offer(&nearest, name);
    if (length < sizeof names)
      length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length > 0 ? ", " : "", name);
  }
  return error_set(r->error, "event %s: unknown field %.60s%s%s", schema->name, path,
                   nearest.best[0] ? nearest_name_hint(&nearest, hint, sizeof hint)
                   : length > 0    ? "; fields: "
                                   : ": it has no fields",
                   nearest.best[0] ? "" : names);
}

// --- values

static bool read_number(const reader_t *r, const char *path, const field_t *field, const json_t *value, double *out) {
  char range[RANGE_TEXT_BYTES];
  if (!json_is_number(value))
    return fail_type(r, path, "a number", value);
  *out = json_number_value(value);
  bool is_float = field->type == FIELD_F32 || field->type == FIELD_F64;
  field_limits_t limits = field_limits(field->type);
  double low = fmax(is_float ? -(double)(field->type == FIELD_F32 ? FLT_MAX : DBL_MAX) : limits.low, field->low);
  double high = fmin(is_float ? (field->type == FIELD_F32 ? FLT_MAX : DBL_MAX) : limits.high, field->high);
  if (!is_float && *out != floor(*out))
    return fail_type(r, path, "a whole number", value);
  if (*out < low || *out > high)
    return error_set(r->error, "%s.%s must be %s, got %g", r->event->schema.name, path,
                     schema_format_range(low, high, range, sizeof range), *out);
  return true;
}

static bool read_entity(const reader_t *r, const char *path, const json_t *value, double *out) {
  if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > UINT32_MAX)
    return fail_type(r, path, "the number of an entity, or 0", value);
  *out = (double)json_integer_value(value);
  if (r->ticket == 0 && *out != 0 && !world_is_alive(r->world, (shoal_entity)*out))
    return error_set(r->error, "%s.%s: the room has no entity %.0f", r->event->schema.name, path, *out);
  return true;
}

static bool read_choice(const reader_t *r, const char *path, const field_t *field, const json_t *value, double *out) {
  char choices[256];
  bool is_text = json_is_string(value);
  *out = is_text ? field_find_choice(field, json_string_value(value), json_string_length(value)) : -1;
  if (*out >= 0)
    return true;
  (void)snprintf(choices, sizeof choices, "one of ");
  field_list_choices(field, choices + strlen(choices), sizeof choices - strlen(choices));
  return fail_type(r, path, choices, value);
}

// Converts a JSON value to the value of a column. Does not add strings to the world while it only checks.
static bool convert(const reader_t *r, const char *path, const field_t *field, const json_t *value, double *out) {
  *out = 0;
  if (field_is_text(field)) {
    if (!json_is_string(value))
      return fail_type(r, path, "a string", value);
    if (r->ticket != 0)
      *out = strings_intern(world_strings(r->world), json_string_value(value));
    return true;
  }
  switch (field->type) {
  case FIELD_BOOL: *out = json_is_true(value); return json_is_boolean(value) || fail_type(r, path, "a boolean", value);
  case FIELD_ENTITY: return read_entity(r, path, value, out);
  case FIELD_ENUM: return read_choice(r, path, field, value, out);
  default: return read_number(r, path, field, value, out);
  }
}

static bool read_column(reader_t *r, const char *path, const json_t *value) {
  const schema_t *schema = &r->event->schema;
  int32_t column = schema_find_field(schema, path);
  double number = 0;
  if (column < 0 || !field_is_settable(&schema->fields[column]) || (schema->fields[column].flags & FIELD_IS_COUNT))
    return fail_unknown_field(r, path);
  if (!convert(r, path, &schema->fields[column], value, &number))
    return false;
  if (r->ticket != 0)
    world_set_event_field(r->world, r->ticket, (uint32_t)column, number);
  return true;
}

static bool read_object(reader_t *r, const char *path, const json_t *object) {
  char member_path[MAX_PATH_BYTES];
  const char *name;
  json_t *value;
  json_object_foreach((json_t *)object, name, value) {
    int length = snprintf(member_path, sizeof member_path, "%s%s%s", path, path[0] ? "." : "", name);
    if (length >= (int)sizeof member_path)
      return fail_unknown_field(r, name);
    if (!read_value(r, member_path, value))
      return false;
  }
  return true;
}

static bool read_list(reader_t *r, const char *path, const json_t *list) {
  const schema_t *schema = &r->event->schema;
  char column_path[MAX_PATH_BYTES + 24];
  (void)snprintf(column_path, sizeof column_path, "%s.count", path);
  int32_t column = schema_find_field(schema, column_path);
  uint32_t capacity = column < 0 ? 0 : schema_list_capacity(schema, (uint32_t)column);
  if (capacity == 0)
    return schema_find_field(schema, path) < 0 ? fail_unknown_field(r, path) : read_column(r, path, list);
  if (json_array_size(list) > capacity)
    return error_set(r->error, "%s.%s has at most %u values, got %zu", schema->name, path, capacity,
                     json_array_size(list));
  if (r->ticket != 0)
    world_set_event_field(r->world, r->ticket, (uint32_t)column, (double)json_array_size(list));
  for (size_t i = 0; i < json_array_size(list); ++i) {
    (void)snprintf(column_path, sizeof column_path, "%s.%zu", path, i + 1);
    if (!read_column(r, column_path, json_array_get(list, i)))
      return false;
  }
  return true;
}

// Each level of nesting makes the path longer, so its maximum size limits the recursion.
static bool read_value(reader_t *r, const char *path, const json_t *value) {
  if (json_is_array(value))
    return read_list(r, path, value);
  if (json_is_object(value) && schema_find_field(&r->event->schema, path) < 0 &&
      schema_find_field_of_any_type(&r->event->schema, path) >= 0)
    return read_object(r, path, value);
  return read_column(r, path, value);
}

// --- syntax

static json_t *parse(const char *json, error_info_t *error) {
  json_error_t problem;
  json_t *object = json_loads(json, JSON_REJECT_DUPLICATES, &problem);
  char text[JSON_VALUE_BYTES];
  if (json_is_object(object))
    return object;
  if (object)
    error_set(error, "the values of an event must be a JSON object, such as {\"amount\": 3}, got %s",
              json_value_describe(object, text));
  else
    error_set(error, "JSON, line %d, column %d: %s", problem.line, problem.column, problem.text);
  json_decref(object);
  return NULL;
}

bool operator_event_check_syntax(const char *name, const char *json, error_info_t *error) {
  if (strlen(name) + strlen(json) + 2 > OPERATOR_EVENT_MAX_BYTES)
    return error_set(error, "the event has %zu bytes: the maximum is %u", strlen(name) + strlen(json),
                     OPERATOR_EVENT_MAX_BYTES - 2);
  json_t *object = parse(json, error);
  json_decref(object);
  return object != NULL;
}

// --- events

// Returns true for events of the game and its plugins, but false for events of the engine, which relies on them.
static bool is_declared_by_game(const event_o *event) {
  return strcmp(event->schema.origin, "C") != 0 && strcmp(event->schema.origin, "[shoal]") != 0;
}

static event_o *find_event(world_o *w, const char *name, error_info_t *error) {
  event_o *event = world_find_event(w, name);
  char hint[NEAREST_NAME_MAX_BYTES + 32];
  nearest_name_t nearest;
  if (event && is_declared_by_game(event))
    return event;
  nearest_name_init(&nearest, name);
  for (uint32_t id = 1; id <= world_event_count(w); ++id)
    if (is_declared_by_game(world_event(w, id)))
      nearest_name_offer(&nearest, world_event(w, id)->schema.name);
  error_set(error,
            event ? "only the engine emits the event %.60s: emit an event of the game%s"
                  : "the game declares no event %.60s%s",
            name, nearest_name_hint(&nearest, hint, sizeof hint));
  return NULL;
}

// Checks the event, and emits it if `emits` is true.
static bool read_event(world_o *w, const char *name, const char *json, bool emits, error_info_t *error) {
  json_t *object = parse(json, error);
  event_o *event = object ? find_event(w, name, error) : NULL;
  reader_t r = {.world = w, .event = event, .error = error};
  bool ok = event && read_object(&r, "", object);
  if (ok && emits) {
    r.ticket = world_emit_event(w, event->id);
    ok = read_object(&r, "", object);
  }
  json_decref(object);
  return ok;
}

external_result_t *operator_event_create(world_o *w, const char *name, const char *json, error_info_t *error) {
  char bytes[OPERATOR_EVENT_MAX_BYTES];
  size_t name_bytes = strlen(name) + 1, json_bytes = strlen(json) + 1;
  if (!operator_event_check_syntax(name, json, error) || !read_event(w, name, json, false, error))
    return NULL;
  memcpy(bytes, name, name_bytes);
  memcpy(bytes + name_bytes, json, json_bytes);
  return external_result_create(EXTERNAL_EVENT, "", true, bytes, name_bytes + json_bytes - 1);
}

// --- names

external_result_t *operator_name_create(player_mask_t players, const char *name) {
  uint8_t bytes[sizeof players + PLAYER_NAME_BYTES];
  size_t length = strnlen(name, PLAYER_NAME_BYTES - 1);
  memcpy(bytes, &players, sizeof players);
  memcpy(bytes + sizeof players, name, length);
  return external_result_create(EXTERNAL_NAME, "", true, bytes, sizeof players + length);
}

bool operator_name_apply(game_o *g, const record_item_t *item) {
  external_kind_t kind;
  player_mask_t players;
  char first[PLAYER_NAME_BYTES], name[PLAYER_NAME_BYTES];
  external_result_t *result =
      external_result_read_kind(item, &kind) && kind == EXTERNAL_NAME ? external_result_read(item) : NULL;
  bool ok = result && result->size >= sizeof players;
  if (ok) {
    memcpy(&players, result->bytes, sizeof players);
    player_name_clean((const char *)result->bytes + sizeof players, result->size - sizeof players, first);
    for (uint32_t i = 0, k = 0; i < PLAYER_MAX; ++i)
      if (players >> i & 1)
        players_rename(g, i + 1, name, player_name_number(first, k++, name));
  }
  external_result_release(result);
  return ok;
}

// --- events in ticks

void operator_events_emit(game_o *g) {
  const external_result_t *result = g->desc.external ? external_find(g->desc.external, EXTERNAL_EVENT, "") : NULL;
  const char *name = result ? (const char *)result->bytes : NULL;
  const char *end = result ? memchr(result->bytes, '\0', result->size) : NULL;
  error_info_t error = {0};
  if (!result)
    return;
  // Fails if a later reload has removed the event's declaration. All machines then ignore the event.
  if (!end || !read_event(g->world, name, end + 1, true, &error))
    log_warn(g->desc.log, "the operator's event is ignored: %s", end ? error.text : "it is malformed");
}
