// Test fixture: a world, and the file to which the test saves it.
#ifndef SHOAL_TESTS_SAVE_FIXTURE_H
#define SHOAL_TESTS_SAVE_FIXTURE_H

#include "ecs_fixture.h"
#include "temporary_folder.h"

#include "base/files.h"
#include "ecs/world_hash.h"
#include "store/save.h"
#include "store/save_internal.h"

#include <math.h>
#include <sqlite3.h>
#include <unistd.h>

typedef struct fixture_t {
  world_o *w;
  char folder[64], path[96];
} fixture_t;

static inline int setup(void **state) {
  static fixture_t f;
  temporary_folder_create_in_memory(f.folder, sizeof f.folder, "save");
  snprintf(f.path, sizeof f.path, "%s/a.sqlite", f.folder);
  f.w = make_world();
  *state = &f;
  return 0;
}

static inline int teardown(void **state) {
  fixture_t *f = *state;
  world_destroy(f->w);
  temporary_folder_remove(f->folder);
  return 0;
}

static inline void save_world(fixture_t *f) {
  error_info_t error = {0};
  if (!save_write(f->w, "test", f->path, NULL, &error))
    fail_msg("%s", error.text);
}

static inline void load_world(fixture_t *f, world_o *w) {
  error_info_t error = {0};
  if (!save_read(w, "test", f->path, NULL, &error))
    fail_msg("%s", error.text);
}

// Asserts that the load is rejected with this message and the world is unchanged.
static inline void assert_load_rejected(fixture_t *f, const char *words) {
  error_info_t error = {0};
  uint64_t before = world_hash(f->w);
  if (save_read(f->w, "test", f->path, NULL, &error))
    fail_msg("it was not refused");
  if (!strstr(error.text, words) || !strstr(error.text, f->path))
    fail_msg("'%s' does not contain '%s'", error.text, words);
  assert_int_equal(world_hash(f->w), before);
}

// Opens the file without synchronizing writes to disk.
static inline sqlite3 *open_file(fixture_t *f) {
  sqlite3 *db = NULL;
  assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
  assert_int_equal(sqlite3_exec(db, "PRAGMA synchronous = OFF", NULL, NULL, NULL), SQLITE_OK);
  return db;
}

// Edits the file with SQL, as a user of the sqlite3 shell might.
static inline void edit_file(fixture_t *f, const char *text) {
  sqlite3 *db = open_file(f);
  char *error = NULL;
  if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK)
    fail_msg("%s: %s", text, error);
  sqlite3_close(db);
}

static inline const char *query_file(fixture_t *f, const char *text) {
  static char out[512];
  sqlite3 *db = open_file(f);
  sqlite3_stmt *statement = NULL;
  out[0] = '\0';
  if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
    fail_msg("%s", sqlite3_errmsg(db));
  for (size_t used = 0; sqlite3_step(statement) == SQLITE_ROW;)
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      const char *v = (const char *)sqlite3_column_text(statement, i);
      used += (size_t)snprintf(out + used, sizeof out - used, "%s%s", used ? "," : "", v ? v : "NULL");
    }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return out;
}

// Fills the world so that all parts of its state are in use: swapped rows, freed ids, chained instances, strings,
// unread events.
static inline void fill_world(fixture_t *f, uint32_t count) {
  world_o *w = f->w;
  for (uint32_t i = 0; i < count; ++i) {
    shoal_entity e = SPAWN(w, POSITION, HEALTH, NAME);
    char name[32];
    snprintf(name, sizeof name, "e%u", i);
    set(w, e, HEALTH, 0, i);
    set(w, e, POSITION, POSITION_X, i % 7 == 0 ? NAN : i % 5 == 0 ? -0.0 : i * 0.1);
    set(w, e, NAME, 0, id_of(w, name));
    if (i % 2) {
      add(w, e, GUN, id_of(w, "left"));
      add(w, e, GUN, id_of(w, "right"));
    }
    if (i % 3 == 0)
      add(w, e, FROZEN, 0);
  }
  for (uint32_t i = 0; i < count; i += 4)
    world_destroy_entity(w, i + 1);
  query_o *q = QUERY(w, HAS(POSITION), HAS(HEALTH));
  world_watch_query(w, id_of(w, "system"), q);
  random_u32(world_random(w));
  for (int i = 0; i < 5; ++i)
    world_end_tick(w);
}

#endif
