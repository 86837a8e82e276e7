// Opens and creates databases of worlds, and implements the owner of a world.
#include "served/world_store_internal.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/now.h"
#include "served/world_schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- opening

static store_result_t create_tables(world_store_o *s, error_info_t *error) {
  store_result_t result = s->driver->create_tables(s, error);
  if (result == STORE_DONE)
    result = store_execute(s, "INSERT INTO world VALUES ($1, $2, $3, 0, 0, 0)",
                           STORE_VALUES(STORE_NUMBER(WORLD_SCHEMA_VERSION), STORE_TEXT(s->game), STORE_NUMBER(s->base)),
                           NULL, error);
  return result;
}

// Creates the tables if the database is empty. Two processes may do so at the same time.
static store_result_t create_if_empty(world_store_o *s, error_info_t *error) {
  bool has_tables = false;
  store_result_t result = s->driver->find_tables(s, &has_tables, error);
  if (result != STORE_DONE || has_tables)
    return result;
  result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  result = s->driver->find_tables(s, &has_tables, error);
  if (result == STORE_DONE && !has_tables)
    result = create_tables(s, error);
  result = store_end(s, result, error);
  if (result == STORE_FAILED && s->driver->find_tables(s, &has_tables, NULL) == STORE_DONE && has_tables)
    return STORE_DONE; // a different process has created the tables in the meantime
  return result;
}

static store_result_t check_version(world_store_o *s, error_info_t *error) {
  bool has_tables = false;
  int64_t version = 0;
  store_result_t result = s->driver->find_tables(s, &has_tables, error);
  if (result == STORE_DONE && !has_tables)
    return store_fail(s, STORE_DAMAGED, error, "the database is empty: ./shoal serve creates a world in it");
  if (result == STORE_DONE)
    result = store_query_number(s, "SELECT version FROM world", NULL, 0, &version, error);
  if (result == STORE_DONE && version != WORLD_SCHEMA_VERSION)
    return store_fail(s, STORE_DAMAGED, error,
                      "the database has format %" PRId64 ", but this version of Shoal uses format %d: use %s version",
                      version, WORLD_SCHEMA_VERSION, version > WORLD_SCHEMA_VERSION ? "a newer" : "an older");
  return result;
}

static store_result_t check_game(world_store_o *s, error_info_t *error) {
  world_status_t world;
  store_result_t result = world_store_get_world(s, &world, error);
  if (result == STORE_DONE && s->game[0] && strcmp(s->game, world.game) != 0)
    return store_fail(s, STORE_DAMAGED, error, "this is a world of the game %s, not of %s: use a different file",
                      world.game, s->game);
  return result;
}

bool world_store_is_address(const char *path) {
  return strncmp(path, "postgres://", 11) == 0 || strncmp(path, "postgresql://", 13) == 0;
}

// Returns true for a file, and for an address of a known kind. Otherwise, returns false with an error.
static bool check_scheme(const char *path, error_info_t *error) {
  const char *end = strstr(path, "://");
  return !end || world_store_is_address(path) ||
         error_set(error, "%.*s://: unknown kind of database: use a file, or postgres://user@host/database",
                   (int)(end - path), path);
}

void world_store_hide_password(const char *path, char *out, size_t capacity) {
  static const char PARAMETER[] = "password=";
  snprintf(out, capacity, "%s", path);
  if (!world_store_is_address(out))
    return;
  char *user = strstr(out, "://") + 3, *host = strchr(user, '@');
  char *colon = host ? memchr(user, ':', (size_t)(host - user)) : NULL;
  if (colon)
    memmove(colon, host, strlen(host) + 1);
  char *parameter = strstr(user, PARAMETER);
  if (parameter) {
    char *value = parameter + strlen(PARAMETER), *next = value + strcspn(value, "&");
    memmove(value, next, strlen(next) + 1);
  }
}

static char *copy_name(allocator_t *memory, const char *path) {
  char name[4096];
  world_store_hide_password(path, name, sizeof name);
  return alloc_copy_text(memory, name);
}

store_result_t world_store_open(const world_store_desc_t *desc, world_store_o **out, error_info_t *error) {
  shoal_assert(desc->path && desc->path[0], "the path of the database is missing");
  shoal_assert(!desc->may_create || desc->game, "a new world needs the name of its game");
  shoal_assert(!desc->engine || strlen(desc->engine) < ROOM_ENGINE_BYTES, "the engine's description is too long");
  *out = NULL;
  if (!check_scheme(desc->path, error))
    return STORE_FAILED;
  world_store_o *s = alloc_object(sizeof *s);
  s->path = copy_name(&s->memory, desc->path);
  s->game = alloc_copy_text(&s->memory, desc->game ? desc->game : "");
  s->engine = alloc_copy_text(&s->memory, desc->engine ? desc->engine : "");
  s->base = desc->base;
  s->driver = world_store_is_address(desc->path) ? &POSTGRES_DRIVER : &SQLITE_DRIVER;
  store_result_t result = s->driver->open(s, desc, error);
  if (result == STORE_DONE && desc->may_create)
    result = create_if_empty(s, error);
  if (result == STORE_DONE)
    result = check_version(s, error);
  if (result == STORE_DONE)
    result = check_game(s, error);
  *out = result == STORE_DONE ? s : NULL;
  if (result != STORE_DONE)
    world_store_close(s);
  return result;
}

void world_store_close(world_store_o *s) {
  if (!s)
    return;
  s->driver->close(s);
  alloc_free_text(&s->memory, s->path);
  alloc_free_text(&s->memory, s->game);
  alloc_free_text(&s->memory, s->engine);
  shoal_assert(s->memory.blocks == 0, "a world store leaked %zu bytes", s->memory.bytes);
  free(s);
}

// --- the owner

store_result_t world_store_get_world(world_store_o *s, world_status_t *out, error_info_t *error) {
  uint64_t owner = 0, beat = 0, age_s = 0;
  store_query_t query = {0};
  *out = (world_status_t){0};
  store_query_begin(s, &query, "SELECT game, base, owner, beat, " STORE_NOW " - beat_at FROM world", NULL, 0, error);
  bool ok = store_next(s, &query, error) && store_read_text(&query, 0, out->game, sizeof out->game) &&
            store_read_bits(&query, 1, &out->base) && store_read_number(&query, 2, INT64_MAX, &owner) &&
            store_read_number(&query, 3, INT64_MAX, &beat) && store_read_bits(&query, 4, &age_s);
  out->owner = (int64_t)owner;
  out->is_owned = beat > 0;
  out->beat_s = (int64_t)age_s > 0 ? (int64_t)age_s : 0; // the system time may have been set back
  store_result_t result = store_query_end(&query);
  if (result == STORE_DONE && !ok)
    return store_fail(s, STORE_DAMAGED, error, "the row of the world is missing or malformed: restore a backup");
  return result;
}

// Returns true if the world has no owner, or its owner is silent: this connection has read the same beat for
// WORLD_SILENT_MS. Otherwise, `remaining_s` receives the seconds until then.
static bool is_silent(world_store_o *s, int64_t owner, int64_t beat, int64_t *remaining_s) {
  if (beat == 0)
    return true;
  int64_t now = now_ns();
  if (s->seen_ns == 0 || owner != s->seen_owner || beat != s->seen_beat) {
    s->seen_owner = owner;
    s->seen_beat = beat;
    s->seen_ns = now;
  }
  int64_t silent_ms = (now - s->seen_ns) / NS_PER_MS;
  *remaining_s = (WORLD_SILENT_MS - silent_ms + 999) / 1000;
  return silent_ms >= WORLD_SILENT_MS;
}

static store_result_t claim(world_store_o *s, bool take_over, int64_t *owner, error_info_t *error) {
  int64_t former = 0, beat = 0, remaining_s = 0;
  store_result_t result = store_query_number(s, "SELECT owner FROM world", NULL, 0, &former, error);
  if (result == STORE_DONE)
    result = store_query_number(s, "SELECT beat FROM world", NULL, 0, &beat, error);
  if (result != STORE_DONE)
    return result;
  if (!is_silent(s, former, beat, &remaining_s) && !take_over)
    return store_fail(s, STORE_LOST, error,
                      "a different process serves this world: end it, wait (%" PRId64
                      " s without its beat remain), or use --take-over",
                      remaining_s);
  result = store_query_number(s, "SELECT " STORE_NEXT("owner") " FROM world", NULL, 0, owner, error);
  if (result != STORE_DONE)
    return result;
  return store_execute(s, "UPDATE world SET owner = $1, beat = 1, beat_at = " STORE_NOW ", base = $2",
                       STORE_VALUES(STORE_NUMBER(*owner), STORE_NUMBER(s->base)), NULL, error);
}

store_result_t world_store_claim_world(world_store_o *s, bool take_over, int64_t *owner, error_info_t *error) {
  store_result_t result = store_begin_write(s, error);
  return result == STORE_DONE ? store_end(s, claim(s, take_over, owner, error), error) : result;
}

store_result_t store_require_owner(world_store_o *s, int64_t owner, error_info_t *error) {
  int64_t current = 0;
  store_result_t result = store_query_number(s, "SELECT owner FROM world", NULL, 0, &current, error);
  if (result == STORE_DONE && current != owner)
    return store_fail(s, STORE_LOST, error, "a different process now serves this world: this process must end");
  return result;
}

// Executes `sql`, which changes the beat if `owner` (parameter $1) still owns the world. Returns STORE_LOST with an
// error if it does not.
static store_result_t set_beat(world_store_o *s, int64_t owner, const char *sql, error_info_t *error) {
  int64_t changed = 0;
  store_result_t result = store_execute(s, sql, STORE_VALUES(STORE_NUMBER(owner)), &changed, error);
  if (result == STORE_DONE && changed == 0)
    return store_fail(s, STORE_LOST, error, "a different process now serves this world: this process must end");
  return result;
}

store_result_t world_store_beat(world_store_o *s, int64_t owner, error_info_t *error) {
  return set_beat(s, owner, "UPDATE world SET beat = beat + 1, beat_at = " STORE_NOW " WHERE owner = $1 AND beat > 0",
                  error);
}

store_result_t world_store_release_world(world_store_o *s, int64_t owner, error_info_t *error) {
  return set_beat(s, owner, "UPDATE world SET beat = 0, beat_at = " STORE_NOW " WHERE owner = $1 AND beat > 0", error);
}

// --- backups

store_result_t world_store_back_up(world_store_o *s, const char *path, error_info_t *error) {
  if (file_status_permits(path, 0)) {
    error_set(error, "%s exists: name a new file, or remove it", path);
    return STORE_FAILED;
  }
  return s->driver->back_up(s, path, error);
}
