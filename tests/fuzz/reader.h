// Shared by the reader fuzzers. With SHOAL_LIBFUZZER, each fuzzer is a `LLVMFuzzerTestOneInput`; otherwise all fuzzers
// form one program (readers.c), which generates inputs by mutating seeds with a deterministic random stream:
//
//   build/sanitize/bin/readers NAME_reader [COUNT [SEED [FIRST]]]      runs the corpus, then COUNT generated inputs
//   build/sanitize/bin/readers NAME_reader FILE…                       runs these files and prints each result
//   build/sanitize/bin/readers NAME_reader --write FILE SEED NUMBER    writes a generated input to FILE
//
// Input FIRST + i depends only on SEED and its index, so a failing input can be generated again. If inputs share state
// (READER_RUN), the preceding inputs of its run are tried first. The program fails if an unchanged seed is rejected, if
// all inputs are rejected or all accepted, or if a rejected input has changed the world.
//
// The corpus consists of the files in tests/fuzz/corpus/NAME_reader (see its README): small inputs, each of which takes
// a different path through the reader, and inputs that exposed bugs. Files named `accepted…` must be accepted, files
// named `rejected…` must be rejected.
#ifndef SHOAL_TESTS_FUZZ_READER_H
#define SHOAL_TESTS_FUZZ_READER_H

#include "base/files.h"
#include "collision/body.h"
#include "collision/collision.h"
#include "components/name.h"
#include "countdown/lifetime.h"
#include "snapshot/state.h"
#include "ecs/world_hash.h"
#include "readers.h"
#include "transform/transform.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// --- implemented by each fuzzer

// Called once; adds the seeds with reader_seed.
static void reader_setup(void);
// Reads the input. Returns true if it was accepted.
static bool reader_try(const uint8_t *data, size_t size);
// Called for most generated inputs, after their mutations. Corrects checksums and sizes, so that the input passes the
// first checks; may also replace the input. Returns the new size, at most `room`.
static size_t reader_fix_checksums(uint8_t *data, size_t size, size_t room);
// Before a fuzzer includes this header, it must define `static const char *const reader_words[]`: a list of strings
// that mutations insert, terminated by NULL.

// Number of consecutive generated inputs that share state. A fuzzer may define it before it includes this header, and
// must then reset its state at each input whose index is a multiple of it.
#ifndef READER_RUN
#define READER_RUN 1u
#endif

// --- provided to each fuzzer

#define READER_MAX_SEEDS 16
#define READER_MAX_BYTES (1u << 20)

static struct {
  uint8_t *bytes;
  size_t size;
} reader_seeds[READER_MAX_SEEDS];
static uint32_t reader_seed_count;
static uint64_t reader_at, reader_state; // reader_at: index of the input; reader_state: state of the random stream
static bool reader_is_generated;         // the current input is neither a seed nor a file
static const char *reader_file;          // path of the current input; NULL for seeds and generated inputs

static inline void reader_print_input(void) {
  if (reader_file)
    fprintf(stderr, "%s: ", reader_file);
  else
    fprintf(stderr, "input %llu: ", (unsigned long long)reader_at);
}

__attribute__((format(printf, 1, 2))) static void reader_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  reader_print_input();
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  exit(1);
}

static inline void reader_seed(const void *bytes, size_t size) {
  if (reader_seed_count == READER_MAX_SEEDS || size > READER_MAX_BYTES / 2)
    reader_fail("too many seeds, or a seed is too large");
  uint8_t *copy = malloc(size + 1);
  memcpy(copy, bytes, size);
  reader_seeds[reader_seed_count].bytes = copy;
  reader_seeds[reader_seed_count++].size = size;
}

static inline uint32_t reader_random_below(uint32_t sides) {
  reader_state = reader_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  return sides ? (uint32_t)(reader_state >> 33) % sides : 0;
}

// --- a world that inputs are read into

typedef struct reader_world_t {
  world_o *world;
  collision_o *collision;
  schedule_o *schedule;
  snapshot_o *base; // the initial state
  uint64_t hash;
  allocator_t memory;
} reader_world_t;

static inline uint32_t reader_declare(world_o *w, const char *name, schema_kind_t kind, const char *const *fields,
                                      const field_type_t *types, uint32_t count) {
  schema_buffer_t s;
  error_info_t error = {0};
  allocator_t memory = {0};
  schema_init(&s, name, kind, "fuzz");
  for (uint32_t i = 0; i < count; ++i) {
    field_t *f = schema_add_field(&s.schema, fields[i], types[i], 0);
    if (f && f->type == FIELD_ENUM)
      field_set_choices(f, &memory, (const char *const[]){"calm", "angry"}, 2);
  }
  uint32_t id = world_declare_schema(w, &s.schema, &error);
  if (id == 0)
    reader_fail("%s", error.text);
  schema_fini(&s.schema, &memory);
  return id;
}

static inline void reader_declare_components(world_o *w) {
  static const char *const fields[] = {"a", "text", "target", "mood", "small"};
  static const field_type_t types[] = {FIELD_F32, FIELD_STRING, FIELD_ENTITY, FIELD_ENUM, FIELD_I8};
  reader_declare(w, "things", SCHEMA_COMPONENT, fields, types, 5);
  reader_declare(w, "gun", SCHEMA_MANY, fields, types, 2);
  reader_declare(w, "score", SCHEMA_SINGLE, fields, types, 2);
  reader_declare(w, "frozen", SCHEMA_COMPONENT, NULL, NULL, 0);
  reader_declare(w, "bang", SCHEMA_EVENT, fields, types, 3);
}

static inline uint32_t reader_intern(world_o *w, const char *text) {
  return strings_intern(world_strings(w), text);
}

static inline void reader_add_part(world_o *w, uint32_t number, uint32_t state, const char *name,
                                   const char *instance) {
  world_assemblage_add_component(w, number, state, world_find_manager(w, name)->id, reader_intern(w, instance));
}

static inline void reader_declare_assemblages(world_o *w) {
  uint32_t rock = world_assemblage_declare(w, reader_intern(w, "rock"));
  reader_add_part(w, rock, 0, "transform", "");
  reader_add_part(w, rock, 0, "things", "");
  uint32_t turret = world_assemblage_declare(w, reader_intern(w, "tank/turret"));
  reader_add_part(w, turret, 0, "transform", "");
  uint32_t tank = world_assemblage_declare(w, reader_intern(w, "tank"));
  reader_add_part(w, tank, 0, "transform", "");
  reader_add_part(w, tank, 0, "body", "");
  reader_add_part(w, tank, 0, "gun", "left");
  world_assemblage_add_child(w, tank, reader_intern(w, "turret"), turret);
  reader_add_part(w, tank, world_assemblage_add_state(w, tank, reader_intern(w, "alive")), "things", "");
  reader_add_part(w, tank, world_assemblage_add_state(w, tank, reader_intern(w, "dying")), "lifetime", "");
}

static inline void reader_tick(reader_world_t *r) {
  for (phase_t phase = PHASE_INPUT; phase <= PHASE_POST_UPDATE; ++phase)
    schedule_run(r->schedule, r->world, phase, 1.0f / 60);
  world_end_tick(r->world);
}

static inline void reader_set(world_o *w, shoal_entity e, const char *component, const char *field, double v) {
  manager_o *m = world_find_manager(w, component);
  world_add_component(w, e, m->id, 0, NULL);
  world_set_field(w, e, m->id, 0, (uint32_t)manager_find_column(m, field), v, NULL);
}

// Fills the world with trees, instances, strings, states, freed ids, a query, a watcher and an unread event.
static inline void reader_fill(reader_world_t *r, uint32_t count) {
  world_o *w = r->world;
  shoal_entity last = 0;
  for (uint32_t i = 0; i < count; ++i) {
    char text[32];
    snprintf(text, sizeof text, "text %u", i);
    shoal_entity e = world_spawn(w, world_find_assemblage(w, reader_intern(w, i % 3 ? "rock" : "tank")), NULL);
    reader_set(w, e, "things", "text", reader_intern(w, text));
    reader_set(w, e, "things", "target", last);
    reader_set(w, e, "transform", "x", i * 7);
    if (i % 4 == 1)
      reader_set(w, e, "transform", "parent", last);
    if (i % 5 == 0)
      reader_set(w, e, "name", "value", reader_intern(w, text));
    if (i % 6 == 0)
      world_enter_state(w, e, reader_intern(w, "dying"), NULL);
    if (i % 7 == 0)
      world_destroy_entity(w, last);
    last = e;
  }
  query_desc_t desc = {.term_count = 2};
  desc.terms[0] = (query_term_desc_t){world_find_manager(w, "things")->id, QUERY_WITH};
  desc.terms[1] = (query_term_desc_t){world_find_manager(w, "transform")->id, QUERY_WITH};
  world_watch_query(w, reader_intern(w, "system"), world_find_or_create_query(w, &desc, NULL));
  for (uint32_t i = 0; i < 3; ++i)
    reader_tick(r);
}

// Declares only the built-in components that the readers use, so that the corpus remains valid when components are
// added to Shoal.
static inline reader_world_t *reader_world_begin(void) {
  reader_world_t *r = calloc(1, sizeof *r);
  error_info_t error = {0};
  world_o *w = r->world = world_create(&(world_desc_t){.seed = 7, .tick_rate = 60});
  if (!builtin_declare(w, &name_component, &error) || !transform_declare(w, &error) ||
      !builtin_declare(w, &body_component, &error) || !builtin_declare(w, &lifetime_component, &error) ||
      !collision_declare(w, &error))
    reader_fail("%s", error.text);
  r->collision = collision_create(w);
  return r;
}

static inline void reader_world_schedule(reader_world_t *r) {
  error_info_t error = {0};
  r->schedule = schedule_create(&r->memory);
  if (!transform_schedule(NULL, r->schedule, &error) || !lifetime_schedule(r->world, r->schedule, &error) ||
      !collision_schedule(r->collision, r->schedule, &error) || !schedule_sort(r->schedule, &error))
    reader_fail("%s", error.text);
}

static inline reader_world_t *reader_world(uint32_t entities) {
  reader_world_t *r = reader_world_begin();
  error_info_t error = {0};
  reader_declare_components(r->world);
  reader_declare_assemblages(r->world);
  reader_world_schedule(r);
  reader_fill(r, entities);
  r->base = snapshot_create(&r->memory);
  snapshot_take(r->base, r->world, &error);
  r->hash = world_hash(r->world);
  return r;
}

static inline void reader_world_free(reader_world_t *r) {
  schedule_destroy(r->schedule);
  snapshot_release(r->base);
  collision_destroy(r->collision);
  world_destroy(r->world);
  if (r->memory.bytes != 0)
    reader_fail("%zu bytes were not freed", r->memory.bytes);
  free(r);
}

// Called by fuzzers after an input has been rejected. Asserts that the world is unchanged.
static inline void reader_check_unchanged(reader_world_t *r) {
  if (world_hash(r->world) != r->hash)
    reader_fail("a refused input changed the world");
}

// Called by fuzzers after an input has been accepted. Asserts that the world can be simulated, copied, and restored to
// its initial state.
static inline void reader_check_runs(reader_world_t *r) {
  error_info_t error = {0};
  for (uint32_t i = 0; i < 2; ++i)
    reader_tick(r);
  snapshot_o *copy = snapshot_create(&r->memory);
  uint64_t hash = world_hash(r->world);
  if (!snapshot_take(copy, r->world, &error) || !snapshot_restore(copy, r->world, &error))
    reader_fail("the accepted world cannot be copied: %s", error.text);
  if (world_hash(r->world) != hash)
    reader_fail("a copy of the accepted world differs");
  snapshot_release(copy);
  if (!snapshot_restore(r->base, r->world, &error))
    reader_fail("the initial state cannot be restored: %s", error.text);
  reader_check_unchanged(r);
}

// --- inputs

static inline size_t reader_insert(uint8_t *data, size_t size, size_t at, const void *bytes, size_t count) {
  if (size + count > READER_MAX_BYTES)
    return size;
  memmove(data + at + count, data + at, size - at);
  memcpy(data + at, bytes, count);
  return size + count;
}

static inline size_t reader_mutate_once(uint8_t *data, size_t size) {
  static const uint32_t numbers[] = {0,          1,          0xff,       0x7fff,   0xffff,
                                     0x7fffffff, 0x80000000, 0xffffffff, 0x400000, 0x3fffff};
  uint32_t at = reader_random_below((uint32_t)size), number = numbers[reader_random_below(10)], words = 0, length;
  uint8_t piece[64];
  if (size == 0)
    return size;
  while (reader_words[words])
    words++;
  switch (reader_random_below(9)) {
  case 0: data[at] ^= (uint8_t)(1u << reader_random_below(8)); return size;
  case 1: data[at] = (uint8_t)reader_random_below(256); return size;
  case 2:
    at = at / 4 * 4;
    memcpy(data + at, &number, size - at < 4 ? size - at : 4);
    return size;
  case 3: return reader_random_below(4) ? size : at; // truncates
  case 4:                                            // deletes a piece
    length = reader_random_below(size - at < 64 ? (uint32_t)(size - at) : 64);
    memmove(data + at, data + at + length, size - at - length);
    return size - length;
  case 5: // duplicates a piece
    length = reader_random_below(size - at < 64 ? (uint32_t)(size - at) : 64);
    memcpy(piece, data + at, length);
    return reader_insert(data, size, reader_random_below((uint32_t)size), piece, length);
  case 6: // inserts or writes a word
    if (words == 0)
      return size;
    number = reader_random_below(words);
    if (reader_random_below(2))
      return reader_insert(data, size, at, reader_words[number], strlen(reader_words[number]));
    length = (uint32_t)strlen(reader_words[number]);
    memcpy(data + at, reader_words[number], length < size - at ? length : size - at);
    return size;
  case 7: { // increments or decrements a number
    at = at / 4 * 4;
    if (size - at < 4)
      return size;
    memcpy(&number, data + at, 4);
    number += reader_random_below(2) ? 1u : UINT32_MAX;
    memcpy(data + at, &number, 4);
    return size;
  }
  default: { // copies bytes from elsewhere
    uint32_t from = reader_random_below((uint32_t)size);
    size_t max_bytes = size - (at > from ? at : from);
    memmove(data + at, data + from, max_bytes < 32 ? max_bytes : 32);
    return size;
  }
  }
}

#ifdef SHOAL_LIBFUZZER
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static bool ready;
  if (!ready)
    reader_setup();
  ready = true;
  reader_try(data, size);
  return 0;
}
#else
static void reader_teardown(void);

// Passes the input in an allocation of its exact size, so that AddressSanitizer catches reads past its end.
static bool reader_try_exactly(const uint8_t *data, size_t size) {
  uint8_t *exact = malloc(size ? size : 1);
  if (size > 0)
    memcpy(exact, data, size);
  bool taken = reader_try(exact, size);
  free(exact);
  return taken;
}

// Generates input `number` into `data` (READER_MAX_BYTES). Returns its size.
static size_t reader_generate(uint64_t seed, uint64_t number, uint8_t *data) {
  reader_at = number;
  reader_is_generated = true;
  reader_state = seed * 1000003 + number;
  uint32_t chosen = (reader_random_below(1), reader_random_below(reader_seed_count));
  size_t size = reader_seeds[chosen].size;
  memcpy(data, reader_seeds[chosen].bytes, size);
  for (uint32_t k = 1 + reader_random_below(reader_random_below(4) ? 4 : 20); k > 0; --k)
    size = reader_mutate_once(data, size);
  return reader_random_below(8) ? reader_fix_checksums(data, size, READER_MAX_BYTES) : size;
}

// --- files

static bool reader_ends_with(const char *text, const char *end) {
  size_t length = strlen(text), bytes = strlen(end);
  return length >= bytes && strcmp(text + length - bytes, end) == 0;
}

// Reads a file into `data` (READER_MAX_BYTES). A .zst file is decompressed with base.zst of its folder as dictionary.
static size_t reader_read(const char *path, uint8_t *data) {
  allocator_t memory = {0};
  error_info_t error = {0};
  size_t size = 0, base_size = 0;
  char base_path[512];
  const char *slash = strrchr(path, '/');
  char *bytes = file_read(&memory, path, &size, &error);
  if (!bytes || size > READER_MAX_BYTES)
    reader_fail("%s", bytes ? "it is too large" : error.text);
  size_t packed = size;
  uint8_t *base = NULL;
  snprintf(base_path, sizeof base_path, "%.*sbase.zst", slash ? (int)(slash + 1 - path) : 0, path);
  if (!reader_ends_with(path, ".zst")) {
    memcpy(data, bytes, size);
  } else {
    if (strcmp(path, base_path) != 0 && file_exists(base_path)) {
      base = malloc(READER_MAX_BYTES);
      base_size = reader_read(base_path, base);
    }
    ZSTD_DCtx *context = ZSTD_createDCtx();
    size = ZSTD_decompress_usingDict(context, data, READER_MAX_BYTES, bytes, packed, base, base_size);
    ZSTD_freeDCtx(context);
    free(base);
    if (ZSTD_isError(size))
      reader_fail("cannot decompress: %s", ZSTD_getErrorName(size));
  }
  file_free(&memory, bytes, packed);
  return size;
}

static bool reader_try_file(const char *path) {
  uint8_t *data = malloc(READER_MAX_BYTES);
  reader_file = path;
  bool taken = reader_try_exactly(data, reader_read(path, data));
  reader_file = NULL;
  free(data);
  return taken;
}

static void reader_try_corpus(const char *reader) {
  allocator_t memory = {0};
  error_info_t error = {0};
  file_list_t list = {0};
  char folder[256], path[512];
  uint32_t taken = 0;
  snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", reader);
  if (!file_list(&memory, folder, "", &list, &error))
    reader_fail("%s (run it in the root of the tree)", error.text);
  for (uint32_t i = 0; i < list.count; ++i) {
    const char *name = list.paths[i];
    bool good = reader_try_file(path_join(path, sizeof path, folder, name));
    if ((strncmp(name, "accepted", 8) == 0 && !good) || (strncmp(name, "rejected", 8) == 0 && good))
      reader_fail("%s is %s now", path, good ? "accepted" : "rejected");
    taken += good;
  }
  if (taken == 0 || taken == list.count)
    reader_fail("%u of %u files in %s were accepted: the corpus needs both kinds", taken, list.count, folder);
  printf("corpus: %u files, %u accepted\n", list.count, taken);
  file_list_free(&memory, &list);
}

static int reader_write(const char *path, uint64_t seed, uint64_t number) {
  error_info_t error = {0};
  uint8_t *data = malloc(READER_MAX_BYTES);
  for (uint64_t i = number - number % READER_RUN; i < number; ++i)
    reader_try_exactly(data, reader_generate(seed, i, data));
  size_t size = reader_generate(seed, number, data);
  bool ok = file_write(path, data, size, &error);
  free(data);
  if (!ok)
    reader_fail("%s", error.text);
  return 0;
}

// --- the program

static int reader_try_generated(uint64_t count, uint64_t seed, uint64_t first) {
  uint64_t taken = 0;
  uint8_t *data = malloc(READER_MAX_BYTES);
  for (uint64_t i = first - first % READER_RUN; i < first + count; ++i) {
    size_t size = reader_generate(seed, i, data);
    bool is_taken = reader_try_exactly(data, size);
    taken += is_taken && i >= first;
  }
  free(data);
  printf("%llu inputs, %llu accepted, %llu rejected\n", (unsigned long long)count, (unsigned long long)taken,
         (unsigned long long)(count - taken));
  return count > 100 && (taken == 0 || taken == count);
}

static uint64_t reader_number(int argc, char **argv, int at, uint64_t otherwise) {
  return argc > at ? strtoull(argv[at], NULL, 10) : otherwise;
}

static int reader_main(int argc, char **argv) {
  int status = 0;
  reader_setup();
  for (uint32_t i = 0; i < reader_seed_count; ++i)
    if (!reader_try(reader_seeds[i].bytes, reader_seeds[i].size))
      reader_fail("seed %u is refused", i);
  if (argc == 5 && strcmp(argv[1], "--write") == 0) {
    status = reader_write(argv[2], reader_number(argc, argv, 3, 1), reader_number(argc, argv, 4, 0));
  } else if (argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9')) {
    for (int i = 1; i < argc; ++i)
      printf("%s: %s\n", argv[i], reader_try_file(argv[i]) ? "accepted" : "rejected");
  } else {
    reader_try_corpus(argv[0]);
    status = reader_try_generated(reader_number(argc, argv, 1, 2000), reader_number(argc, argv, 2, 1),
                                  reader_number(argc, argv, 3, 0));
  }
  reader_teardown();
  for (uint32_t i = 0; i < reader_seed_count; ++i)
    free(reader_seeds[i].bytes);
  return status;
}

__attribute__((constructor)) static void reader_add(void) {
  static reader_entry_t entry = {.file = __BASE_FILE__, .run = reader_main, .say_input = reader_print_input};
  readers_add(&entry);
}
#endif

#endif
