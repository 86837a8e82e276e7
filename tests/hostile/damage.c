// Creates hostile files by damaging valid ones, identically in every run.
#include "hostile.h"

#include "base/files.h"
#include "base/hash.h"
#include "base/random.h"
#include "store/save_internal.h"
#include "time/recording.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_HEAD                                                                                                      \
  (16u + sizeof(recording_head_t) + 8u) // size of a recording's head: magic, format and padding; the header; its hash
#define CHUNK_HEAD 16u                  // size of a chunk's head: hash, size, kind

typedef struct bytes_t {
  uint8_t *data;
  size_t size;
} bytes_t;

typedef struct maker_t {
  const char *path, *step; // the output file and the current step, for messages
  bytes_t file;
} maker_t;

static bytes_t copy(const void *data, size_t size) {
  return (bytes_t){.data = memcpy(malloc(size + 1), data, size), .size = size};
}

static bytes_t from_hex(const maker_t *m, const char *hex) {
  bytes_t b = {.data = malloc(strlen(hex) + 1)};
  for (unsigned value; *hex; hex += 2) {
    hex += strspn(hex, " ");
    if (!*hex)
      break;
    if (sscanf(hex, "%2x", &value) != 1)
      hostile_die("%s: these are no bytes", m->step);
    b.data[b.size++] = (uint8_t)value;
  }
  return b;
}

// Replaces the `gone` bytes at offset `at` with `part`.
static void splice(bytes_t *b, size_t at, size_t gone, bytes_t part) {
  bytes_t made = {.data = malloc(b->size - gone + part.size + 1), .size = b->size - gone + part.size};
  memcpy(made.data, b->data, at);
  if (part.size > 0)
    memcpy(made.data + at, part.data, part.size);
  memcpy(made.data + at + part.size, b->data + at + gone, b->size - at - gone);
  free(b->data);
  *b = made;
}

static size_t resolve_offset(const maker_t *m, long long at, size_t size) {
  size_t found = at < 0 ? size + (size_t)at : (size_t)at;
  if (found > size)
    hostile_die("%s: the file has %zu bytes", m->step, size);
  return found;
}

static void overwrite(const maker_t *m, bytes_t *b, long long at, const char *hex) {
  bytes_t part = from_hex(m, hex);
  size_t from = resolve_offset(m, at, b->size);
  if (from + part.size > b->size)
    hostile_die("%s: it has %zu bytes", m->step, b->size);
  memcpy(b->data + from, part.data, part.size);
  free(part.data);
}

// --- files of any format

static bool run_byte_step(maker_t *m, const char *word, const char *rest) {
  long long at = 0, count = 0;
  unsigned byte = 0;
  int used = 0;
  bytes_t *b = &m->file;
  if (strcmp(word, "text") == 0) {
    free(b->data);
    *b = copy(rest, strlen(rest));
  } else if (strcmp(word, "append") == 0 && sscanf(rest, "%lld %u", &count, &byte) == 2) {
    bytes_t more = {.data = memset(malloc((size_t)count + 1), (int)byte, (size_t)count), .size = (size_t)count};
    splice(b, b->size, 0, more);
    free(more.data);
  } else if (strcmp(word, "cut") == 0 && sscanf(rest, "%lld", &at) == 1) {
    b->size = resolve_offset(m, at, b->size);
  } else if (strcmp(word, "bytes") == 0 && sscanf(rest, "%lld %n", &at, &used) == 1) {
    overwrite(m, b, at, rest + used);
  } else if (strcmp(word, "fill") == 0 && sscanf(rest, "%lld %lld %u", &at, &count, &byte) == 3) {
    size_t from = resolve_offset(m, at, b->size);
    memset(b->data + from, (int)byte, resolve_offset(m, (long long)from + count, b->size) - from);
  } else if (strcmp(word, "flip") == 0 && sscanf(rest, "%lld %lld", &at, &count) == 2) {
    random_t random;
    random_seed(&random, (uint64_t)at);
    for (; count > 0; --count)
      b->data[random_u32(&random) % b->size] ^= (uint8_t)(1u << random_u32(&random) % 8);
  } else {
    return false;
  }
  return true;
}

// --- saves

static sqlite3 *open_save(maker_t *m) {
  sqlite3 *db = NULL;
  error_info_t error = {0};
  if (!file_write(m->path, m->file.data, m->file.size, &error) || sqlite3_open(m->path, &db) != SQLITE_OK)
    hostile_die("%s: %s", m->step, db ? sqlite3_errmsg(db) : error.text);
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
  sqlite3_exec(db, "PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA writable_schema = ON", NULL, NULL,
               NULL);
  return db;
}

static void close_save(maker_t *m, sqlite3 *db) {
  allocator_t memory = {0};
  error_info_t error = {0};
  sqlite3_close(db);
  free(m->file.data);
  char *bytes = file_read(&memory, m->path, &m->file.size, &error);
  if (!bytes)
    hostile_die("%s", error.text);
  m->file = copy(bytes, m->file.size);
  file_free(&memory, bytes, m->file.size);
}

static void run_sql(maker_t *m, const char *text) {
  char *error = NULL;
  sqlite3 *db = open_save(m);
  if (sqlite3_exec(db, text, NULL, NULL, &error) != SQLITE_OK)
    hostile_die("%s: %s", m->step, error);
  close_save(m, db);
}

// Returns the offset of section `i` of a state (snapshot/snapshot.h: a header of 32 bytes, then 32 bytes per section).
static long long section_at(const maker_t *m, const bytes_t *b, long long i) {
  uint64_t offset = 0;
  size_t from = resolve_offset(m, 32 + 32 * i + 16, b->size - sizeof offset);
  memcpy(&offset, b->data + from, sizeof offset);
  return (long long)offset;
}

// Overwrites bytes of the world's state, at an offset within a section unless `section` is -1.
static void change_state(maker_t *m, long long section, long long at, const char *hex) {
  sqlite3_stmt *statement = NULL;
  sqlite3 *db = open_save(m);
  if (sqlite3_prepare_v2(db, "SELECT data FROM state", -1, &statement, NULL) != SQLITE_OK ||
      sqlite3_step(statement) != SQLITE_ROW)
    hostile_die("%s: %s", m->step, sqlite3_errmsg(db));
  bytes_t b = copy(sqlite3_column_blob(statement, 0), (size_t)sqlite3_column_bytes(statement, 0));
  sqlite3_finalize(statement);
  overwrite(m, &b, section < 0 ? at : section_at(m, &b, section) + at, hex);
  sqlite3_prepare_v2(db, "UPDATE state SET data = ?", -1, &statement, NULL);
  sqlite3_bind_blob(statement, 1, b.data, (int)b.size, SQLITE_STATIC);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  free(b.data);
  close_save(m, db);
}

// Recomputes the checksums of all tables that exist.
static void update_save_checksums(maker_t *m) {
  sqlite3_stmt *statement = NULL;
  sqlite3 *db = open_save(m);
  static char names[4000][64];
  int count = 0;
  sqlite3_prepare_v2(db, "SELECT name FROM checksums", -1, &statement, NULL);
  while (statement && sqlite3_step(statement) == SQLITE_ROW && count < 4000)
    snprintf(names[count++], sizeof names[0], "%s", (const char *)sqlite3_column_text(statement, 0));
  sqlite3_finalize(statement);
  for (int i = 0; i < count; ++i) {
    uint64_t hash = 0;
    error_info_t error;
    if (save_compute_checksum(db, "main", names[i], &hash, &error))
      save_execute_statement(db, &error, "UPDATE checksums SET saved = '%016llx' WHERE name = %Q",
                             (unsigned long long)hash, names[i]);
  }
  close_save(m, db);
}

static bool save_step(maker_t *m, const char *word, const char *rest) {
  long long i = 0, at = 0;
  int used = 0;
  if (strcmp(word, "sql") == 0)
    run_sql(m, rest);
  else if (strcmp(word, "state") == 0 && sscanf(rest, "%lld %n", &at, &used) == 1)
    change_state(m, -1, at, rest + used);
  else if (strcmp(word, "section") == 0 && sscanf(rest, "%lld %lld %n", &i, &at, &used) == 2)
    change_state(m, i, at, rest + used);
  else if (strcmp(word, "seal") == 0)
    update_save_checksums(m);
  else
    return false;
  return true;
}

// --- recordings

static bool is_recording(const bytes_t *b) {
  return b->size >= FILE_HEAD && memcmp(b->data, "SHOALRPL", 8) == 0;
}

static size_t chunk_size(const bytes_t *b, size_t at) {
  uint32_t size = 0;
  if (at + CHUNK_HEAD <= b->size)
    memcpy(&size, b->data + at + 8, sizeof size);
  return CHUNK_HEAD + size;
}

static size_t find_chunk(const maker_t *m, long long i) {
  size_t at = FILE_HEAD;
  for (; i > 0 && at < m->file.size; --i)
    at += chunk_size(&m->file, at);
  if (at > m->file.size || i > 0)
    hostile_die("%s: there is no such chunk", m->step);
  return at;
}

static void update_recording_checksums(bytes_t *b) {
  uint64_t hash = hash_bytes(b->data + 16, sizeof(recording_head_t), 0);
  memcpy(b->data + 16 + sizeof(recording_head_t), &hash, sizeof hash);
  for (size_t at = FILE_HEAD; at + chunk_size(b, at) <= b->size; at += chunk_size(b, at)) {
    uint32_t kind;
    memcpy(&kind, b->data + at + 12, sizeof kind);
    hash = hash_bytes(b->data + at + CHUNK_HEAD, chunk_size(b, at) - CHUNK_HEAD, kind);
    memcpy(b->data + at, &hash, sizeof hash);
  }
}

// Inserts a chunk before chunk `i`. Its data is the bytes `hex`, repeated `count` times.
static void put_chunk(maker_t *m, long long i, long long count, uint32_t kind, const char *hex) {
  bytes_t one = from_hex(m, hex), all = {.size = CHUNK_HEAD + (size_t)count * one.size};
  uint32_t size = (uint32_t)(all.size - CHUNK_HEAD);
  all.data = calloc(1, all.size + 1);
  memcpy(all.data + 8, &size, sizeof size);
  memcpy(all.data + 12, &kind, sizeof kind);
  for (long long k = 0; k < count; ++k)
    memcpy(all.data + CHUNK_HEAD + (size_t)k * one.size, one.data, one.size);
  splice(&m->file, find_chunk(m, i), 0, all);
  free(one.data);
  free(all.data);
}

static void repeat_chunk(maker_t *m, long long i, long long count) {
  size_t at = find_chunk(m, i), size = chunk_size(&m->file, at);
  bytes_t more = {.data = malloc((size_t)count * size + 1), .size = (size_t)count * size};
  for (long long k = 0; k < count; ++k)
    memcpy(more.data + (size_t)k * size, m->file.data + at, size);
  splice(&m->file, at, 0, more);
  free(more.data);
}

static bool recording_step(maker_t *m, const char *word, const char *rest) {
  long long i = 0, at = 0;
  unsigned kind = 0;
  int used = 0;
  if (strcmp(word, "head") == 0 && sscanf(rest, "%lld %n", &at, &used) == 1) {
    overwrite(m, &m->file, 16 + at, rest + used);
  } else if (strcmp(word, "chunk") == 0 && sscanf(rest, "%lld %lld %n", &i, &at, &used) == 2) {
    size_t from = find_chunk(m, i);
    size_t inside = at < 0 ? chunk_size(&m->file, from) + (size_t)at : CHUNK_HEAD + (size_t)at;
    overwrite(m, &m->file, (long long)(from + inside), rest + used);
  } else if (strcmp(word, "drop") == 0 && sscanf(rest, "%lld", &i) == 1) {
    size_t from = find_chunk(m, i);
    splice(&m->file, from, chunk_size(&m->file, from), (bytes_t){0});
  } else if (strcmp(word, "repeat") == 0 && sscanf(rest, "%lld %lld", &i, &at) == 2) {
    repeat_chunk(m, i, at);
  } else if (strcmp(word, "puts") == 0 && sscanf(rest, "%lld %lld %u %n", &i, &at, &kind, &used) == 3) {
    put_chunk(m, i, at, kind, rest + used);
  } else if (strcmp(word, "put") == 0 && sscanf(rest, "%lld %u %n", &i, &kind, &used) == 2) {
    put_chunk(m, i, 1, kind, rest + used);
  } else if (strcmp(word, "seal") == 0 && is_recording(&m->file)) {
    update_recording_checksums(&m->file);
  } else {
    return false;
  }
  return true;
}

// --- replacements of the file

static bool run_file_kind_step(const maker_t *m, const char *word, const char *rest) {
  if (strcmp(word, "folder") == 0)
    return mkdir(m->path, 0777) == 0;
  if (strcmp(word, "fifo") == 0)
    return mkfifo(m->path, 0666) == 0;
  return strcmp(word, "link") == 0 && symlink(rest, m->path) == 0;
}

static bool run_step(maker_t *m, char *step, bool *odd) {
  char *rest = strchr(step, ' ');
  if (rest)
    *rest++ = '\0';
  rest = rest ? rest : step + strlen(step);
  if (run_byte_step(m, step, rest) || recording_step(m, step, rest))
    return true;
  if (run_file_kind_step(m, step, rest))
    return *odd = true;
  return save_step(m, step, rest);
}

void hostile_make(const char *path, const uint8_t *good, size_t size, const char *recipe) {
  char *steps = strdup(recipe);
  maker_t m = {.path = path, .step = recipe, .file = copy(good, size)};
  bool odd = false;
  error_info_t error = {0};
  rmdir(path); // removes a file or folder at the path
  unlink(path);
  for (char *step = steps, *next; step; step = next) {
    next = strstr(step, " ;; ");
    if (next) {
      *next = '\0';
      next += 4;
    }
    if (!run_step(&m, step, &odd))
      hostile_die("the step '%s' of '%.60s' means nothing here: %s", step, recipe, strerror(errno));
  }
  if (!odd && !file_write(path, m.file.data, m.file.size, &error))
    hostile_die("%s", error.text);
  free(m.file.data);
  free(steps);
}
