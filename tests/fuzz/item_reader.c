// Fuzzer for the rows of entities that players own, in JSON. The entities imported from accepted rows must be the same
// after an export and a second import.
static const char *const reader_words[] = {"\"parent\": 4294967297,",
                                           "\"item\": 4294967298,",
                                           "\"item\": -1,",
                                           "\"=\": true,",
                                           "\"=\": [\"a\"],",
                                           "\"=\": {\"owned\": true, \"slot\": \"turret\"},",
                                           "\"=\": {\"gone\": [\"turret\"], \"state\": \"dying\"},",
                                           "\"gun\": {\"left\": {\"a\": 1}},",
                                           "\"things\": {\"target\": 4294967297},",
                                           "\"owned\": {\"player\": 3},",
                                           "\"assemblage\": \"tank\",",
                                           "\"name\": \"a\",",
                                           "9007199254740991",
                                           "1e400",
                                           "\"\\u0000\"",
                                           "null",
                                           "\xff",
                                           0};
#include "reader.h"

#include "owned/owned.h"
#include "store/item_rows.h"

#define OWNER 2u

static reader_world_t *r;
static owned_o *owned;
static uint32_t reports;   // number of messages that the latest import has reported
static uint64_t row_count; // number of rows of all inputs

static void declare_owned(world_o *w) {
  static const char *const fields[] = {"player", "item"};
  static const field_type_t types[] = {FIELD_U8, FIELD_F64};
  schema_buffer_t s;
  error_info_t error = {0};
  schema_init(&s, "shoal.room", SCHEMA_SINGLE, "fuzz");
  schema_add_field(&s.schema, "items", FIELD_F64, 0);
  if (world_declare_schema(w, &s.schema, &error) == 0)
    reader_fail("%s", error.text);
  reader_declare(w, "owned", SCHEMA_COMPONENT, fields, types, 2);
}

static json_t *export_rows(uint32_t player) {
  error_info_t error = {0};
  json_t *rows = item_rows_export(r->world, player, NULL, &error);
  if (!rows)
    reader_fail("%s", error.text);
  return rows;
}

static void add_seed(const json_t *rows) {
  char *text = json_dumps(rows, JSON_COMPACT);
  reader_seed(text, strlen(text));
  free(text);
}

// Player 1 owns every second entity. A reference and a parent refer to a different entity of the group.
static void reader_setup(void) {
  error_info_t error = {0};
  r = reader_world_begin();
  declare_owned(r->world);
  reader_declare_components(r->world);
  reader_declare_assemblages(r->world);
  reader_world_schedule(r);
  owned_set_room(r->world, 1);
  owned = owned_create(r->world);
  reader_fill(r, 12);
  const entities_t *s = world_entities(r->world);
  for (uint32_t i = 1; i < s->used; i += 2)
    if (s->alive[i])
      reader_set(r->world, i | (shoal_entity)s->generation[i] << SHOAL_ENTITY_INDEX_BITS, "owned", "player", 1);
  reader_tick(r);
  json_t *rows = export_rows(1);
  add_seed(rows);
  while (json_array_size(rows) > 2)
    json_array_remove(rows, 2);
  add_seed(rows);
  json_decref(rows);
  r->base = snapshot_create(&r->memory);
  snapshot_take(r->base, r->world, &error);
  r->hash = world_hash(r->world);
}

static void count_report(void *context, const char *line) {
  (void)context, (void)line;
  ++reports;
}

static const item_rows_import_t import_desc = {.player = OWNER, .ignored = "author\nnote\n", .report = count_report};

static void restore(void) {
  error_info_t error = {0};
  if (!snapshot_restore(r->base, r->world, &error))
    reader_fail("the initial state cannot be restored: %s", error.text);
}

static void check_packing(const json_t *rows) {
  error_info_t error = {0};
  size_t size = 0;
  uint8_t *bytes = item_rows_pack(rows, &r->memory, &size, &error);
  json_t *unpacked = bytes ? item_rows_unpack(bytes, size, &error) : NULL;
  if (!unpacked || !json_equal(rows, unpacked))
    reader_fail("the rows cannot be packed: %s", error.text);
  json_decref(unpacked);
  alloc_resize(&r->memory, bytes, size, 0);
}

// Checks that rows edited by an operator are imported completely, or rejected with a reason and without a change.
static void check_edited(const json_t *rows) {
  json_t *copy = json_deep_copy(rows);
  reports = 0;
  bool is_imported = item_rows_import_edited(r->world, copy, &import_desc);
  json_decref(copy);
  if (!is_imported && reports == 0)
    reader_fail("edited rows are refused without a reason");
  if (!is_imported)
    reader_check_unchanged(r);
  restore();
}

static void check_moves(const json_t *rows) {
  json_t *copy = json_deep_copy(rows);
  uint32_t count = item_rows_import(r->world, copy, &import_desc);
  json_decref(copy);
  if (count > json_array_size(rows) || owned_exceeds_limit(r->world, OWNER))
    reader_fail("%zu rows have spawned %u entities", json_array_size(rows), count);
  json_t *left = export_rows(OWNER);
  owned_destroy_group(r->world, OWNER);
  reports = 0;
  copy = json_deep_copy(left);
  item_rows_import(r->world, copy, &import_desc);
  json_decref(copy);
  json_t *arrived = export_rows(OWNER);
  if (reports > 0 || !json_equal(left, arrived))
    reader_fail("rows that have left arrive differently (%u lines): %s, then %s", reports,
                json_dumps(left, JSON_COMPACT), json_dumps(arrived, JSON_COMPACT));
  json_decref(left);
  json_decref(arrived);
}

static bool reader_try(const uint8_t *data, size_t size) {
  json_error_t problem;
  error_info_t error = {0};
  json_t *rows = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
  bool is_accepted = rows && item_rows_check(rows, &error);
  row_count += json_array_size(rows);
  if (is_accepted) {
    check_packing(rows);
    check_edited(rows);
    check_moves(rows);
    reader_check_runs(r);
  } else {
    reader_check_unchanged(r);
  }
  json_decref(rows);
  return is_accepted;
}

// Replaces a number, a string or a word that follows a colon.
static size_t replace_value(uint8_t *data, size_t size) {
  static const char *const values[] = {"0",          "-1",
                                       "1e308",      "4294967297",
                                       "4294967300", "9007199254740991",
                                       "[]",         "{}",
                                       "true",       "null",
                                       "\"\"",       "\"a\"",
                                       "3",          "256",
                                       "\"rock\"",   "[\"a\", \"text\"]",
                                       "\"tank\"",   "\"tank/turret\""};
  const char *value = values[reader_random_below(sizeof values / sizeof *values)];
  size_t at = reader_random_below((uint32_t)size), end;
  while (at < size && data[at] != ':')
    ++at;
  if (++at >= size || data[at] == '{' || data[at] == '[')
    return size;
  for (end = at; end < size && !strchr(",}]", data[end]);)
    ++end;
  memmove(data + at, data + end, size - end);
  return reader_insert(data, size - (end - at), at, value, strlen(value));
}

// Most mutations are not valid JSON. Replaces such inputs with seeds in which some values differ.
static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  json_error_t problem;
  json_t *rows = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &problem);
  bool is_json = rows != NULL;
  (void)room;
  json_decref(rows);
  if (is_json)
    return size;
  uint32_t seed = reader_random_below(reader_seed_count);
  size = reader_seeds[seed].size;
  memcpy(data, reader_seeds[seed].bytes, size);
  for (uint32_t i = reader_random_below(4) + 1; i > 0; --i)
    size = replace_value(data, size);
  return size;
}

static void reader_teardown(void) {
  printf("%llu rows\n", (unsigned long long)row_count);
  owned_destroy(owned);
  reader_world_free(r);
}
