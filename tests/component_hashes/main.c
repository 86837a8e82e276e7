// Prints a hash of every component after every tick of a headless run:
//   component_hashes ARGUMENTS…                   arguments of shoal: `run scripts/games/pong --ticks 600`
//   component_hashes --rows COMPONENT ARGUMENTS…  prints the component's rows after the last tick
// Prints a line `fields NAME FIELD…` for each component, then a line `hash NAME TICK HASH` for each tick that changed
// its hash. tests/component_hashes/compare compares the output of two builds.
//
// The hash is world_component_hash. Strings are hashed by content, because their ids depend on all other strings in the
// world.
#include "base/array.h"
#include "base/hash.h"
#include "ecs/world.h"
#include "ecs/world_hash.h"
#include "host/host.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_texts(const manager_o *m) {
  bool found = m->schema.kind == SCHEMA_MANY; // a `many` component's row has an instance name
  for (uint32_t c = 0; c < m->schema.field_count; ++c)
    found |= field_is_text(&m->schema.fields[c]) && !(m->schema.fields[c].flags & FIELD_HIDDEN);
  return found;
}

static uint64_t hash_string(world_o *w, uint32_t id, uint64_t seed) {
  const char *text = strings_text(world_strings(w), id);
  return hash_bytes(text, strlen(text) + 1, seed);
}

static uint64_t hash_value(world_o *w, const manager_o *m, uint32_t row, uint32_t column, uint64_t seed) {
  const field_t *f = &m->schema.fields[column];
  if (f->type == FIELD_MAT4)
    return hash_bytes((const float *)m->data[column] + row * 16, 16 * sizeof(float), seed);
  double value = columns_get(&m->columns, row, column);
  return field_is_text(f) ? hash_string(w, (uint32_t)value, seed) : hash_bytes(&value, sizeof value, seed);
}

static uint64_t hash_with_texts(world_o *w, const manager_o *m) {
  uint64_t hash = hash_bytes(&m->count, sizeof m->count, 0);
  for (uint32_t row = 0; row < m->count; ++row) {
    hash = hash_bytes(&m->owner[row], sizeof m->owner[row], hash);
    if (m->schema.kind == SCHEMA_MANY)
      hash = hash_string(w, m->instance[row], hash);
    for (uint32_t c = 0; c < m->schema.field_count; ++c)
      if (!(m->schema.fields[c].flags & FIELD_HIDDEN))
        hash = hash_value(w, m, row, c, hash);
  }
  return hash;
}

static void print_fields(const manager_o *m) {
  printf("fields %s", m->schema.name);
  for (uint32_t c = 0; c < m->schema.field_count; ++c)
    if (!(m->schema.fields[c].flags & FIELD_HIDDEN))
      printf(" %s:%s", m->schema.fields[c].name, field_type_name(m->schema.fields[c].type));
  printf("\n");
}

typedef struct known_t {
  uint64_t *hashes; // indexed by component id - 1; 0 if not printed yet
  uint32_t count;
} known_t;

static void print_changed(world_o *w, known_t *known) {
  uint32_t count = world_manager_count(w);
  if (count > known->count) {
    known->hashes = realloc(known->hashes, count * sizeof *known->hashes);
    memset(known->hashes + known->count, 0, (count - known->count) * sizeof *known->hashes);
    for (; known->count < count; ++known->count)
      print_fields(world_manager(w, known->count + 1));
  }
  for (uint32_t i = 0; i < count; ++i) {
    const manager_o *m = world_manager(w, i + 1);
    uint64_t hash = m->count && has_texts(m) ? hash_with_texts(w, m) : world_component_hash(w, i + 1);
    hash += hash == 0;
    if (known->hashes[i] != hash)
      printf("hash %s %" PRIu64 " %016" PRIx64 "\n", m->schema.name, world_tick(w), hash);
    known->hashes[i] = hash;
  }
}

static void print_value(world_o *w, const manager_o *m, uint32_t row, uint32_t c) {
  const field_t *f = &m->schema.fields[c];
  printf(" %s=", f->name);
  if (f->type == FIELD_MAT4)
    printf("(matrix)");
  else if (field_is_text(f))
    printf("\"%s\"", strings_text(world_strings(w), (uint32_t)columns_get(&m->columns, row, c)));
  else
    printf("%.17g", columns_get(&m->columns, row, c));
}

static void print_rows(world_o *w, const char *component) {
  const manager_o *m = world_find_manager(w, component);
  for (uint32_t row = 0; m && row < m->count; ++row) {
    printf("entity %" PRIu64, (uint64_t)m->owner[row]);
    if (m->schema.kind == SCHEMA_MANY)
      printf(" %s", strings_text(world_strings(w), m->instance[row]));
    for (uint32_t c = 0; c < m->schema.field_count; ++c)
      if (!(m->schema.fields[c].flags & FIELD_HIDDEN))
        print_value(w, m, row, c);
    printf("\n");
  }
}

static int run(const options_t *options, const char *component) {
  error_info_t error = {0};
  known_t known = {0};
  host_o *host = host_create(options, &error);
  if (!host) {
    fprintf(stderr, "component_hashes: %s\n", error.text);
    return 2;
  }
  for (bool more = true; more;) {
    more = host_frame(host);
    if (!component && host_world(host))
      print_changed(host_world(host), &known);
  }
  if (component && host_world(host))
    print_rows(host_world(host), component);
  int code = host_exit_code(host);
  free(known.hashes);
  host_destroy(host);
  return code;
}

int main(int argc, char **argv) {
  static const char *words[64];
  static options_t options;
  error_info_t error = {0};
  int from = argc > 2 && strcmp(argv[1], "--rows") == 0 ? 3 : 1, count = 1;
  words[0] = argv[0];
  for (int i = from; i < argc && count < 62; ++i)
    words[count++] = argv[i];
  words[count++] = "--headless";
  if (!options_parse(count, words, &options, &error)) {
    fprintf(stderr, "component_hashes: %s\n", error.text);
    return 2;
  }
  return run(&options, from == 3 ? argv[2] : NULL);
}
