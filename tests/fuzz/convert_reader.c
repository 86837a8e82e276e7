// Fuzzer for snapshots that are restored into a world with changed declarations: added, removed and renamed fields,
// different types and choices, a component of a different kind, and a missing component.
static const char *const reader_words[] = {"things", "score", "calm", "SHOALSNP", 0};
#include "reader.h"

#include "ecs/world_hash.h"
#include "migrate/state_migrate.h"

static reader_world_t *r, *then;
static snapshot_o *input;

static void declare_changed(world_o *w) {
  static const char *const fields[] = {"small", "b", "words", "target", "mood", "fresh"};
  static const field_type_t types[] = {FIELD_I32, FIELD_F64, FIELD_STRING, FIELD_ENTITY, FIELD_ENUM, FIELD_BOOL};
  static const char *const choices[] = {"furious", "angry", "calm"};
  schema_buffer_t s;
  error_info_t error = {0};
  allocator_t memory = {0};
  schema_init(&s, "things", SCHEMA_COMPONENT, "fuzz");
  for (uint32_t i = 0; i < 6; ++i) {
    field_t *f = schema_add_field(&s.schema, fields[i], types[i], 0);
    if (f->type == FIELD_ENUM)
      field_set_choices(f, &memory, choices, 3);
    if (i == 1 || i == 2)
      field_add_former_name(f, &memory, i == 1 ? "a" : "text");
  }
  if (!world_declare_schema(w, &s.schema, &error))
    reader_fail("%s", error.text);
  schema_fini(&s.schema, &memory);
  reader_declare(w, "gun", SCHEMA_MANY, fields, types, 3);
  reader_declare(w, "frozen", SCHEMA_MANY, fields, types, 1);
  reader_declare(w, "bang", SCHEMA_EVENT, fields + 3, types + 3, 1);
}

static void reader_setup(void) {
  size_t size;
  error_info_t error = {0};
  then = reader_world(12);
  r = reader_world_begin();
  declare_changed(r->world);
  reader_world_schedule(r);
  r->base = snapshot_create(&r->memory);
  input = snapshot_create(&r->memory);
  snapshot_take(r->base, r->world, &error);
  r->hash = world_hash(r->world);
  const void *bytes = snapshot_bytes(then->base, &size);
  reader_seed(bytes, size);
}

static bool reader_try(const uint8_t *data, size_t size) {
  error_info_t error = {0};
  size_t left;
  snapshot_set_bytes(input, data, size);
  state_view_t *v = state_open(input, &r->memory, &error);
  bool taken = v && state_migrate(v, r->world, &(schema_migrate_desc_t){0}, &error);
  reader_check_unchanged(r);
  if (taken && state_install(v, r->world, &(state_install_desc_t){0}, &error))
    reader_check_runs(r);
  else
    reader_check_unchanged(r);
  state_close(v);
  const void *bytes = snapshot_bytes(input, &left);
  if (left != size || memcmp(bytes, data, size) != 0)
    reader_fail("the snapshot has changed");
  return taken;
}

static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room) {
  (void)room;
  uint64_t said = size;
  if (size >= SNAPSHOT_SIZE_OFFSET + sizeof said)
    memcpy(data + SNAPSHOT_SIZE_OFFSET, &said, sizeof said);
  return size;
}

static void reader_teardown(void) {
  snapshot_release(input);
  reader_world_free(r);
  reader_world_free(then);
}
