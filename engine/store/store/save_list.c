// Lists the saves of a folder with their metadata.
#include "store/save_list.h"

#include "base/assert.h"
#include "base/file_status.h"
#include "base/files.h"

#include <jansson.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUFFIX ".sqlite"
#define MAX_STEPS 100000 // limit of SQLite VM steps per file, because a file's content is untrusted

static int interrupt_query(void *context) {
  (void)context;
  return 1;
}

// Reads a save's metadata into `slot`. Returns NULL if the file is a save of the game, otherwise the problem.
static const char *read_metadata(const char *path, const char *game, json_t *slot) {
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  const char *problem = "the file is not a save";
  int status = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL);
  if (status == SQLITE_OK) {
    sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_progress_handler(db, MAX_STEPS, interrupt_query, NULL);
    const char *sql = "SELECT g.value, t.value, r.value FROM meta g, meta t, meta r WHERE g.key = 'game' AND "
                      "t.key = 'tick' AND r.key = 'tick_rate'";
    status = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    if (status == SQLITE_OK)
      status = sqlite3_step(statement);
    if (status == SQLITE_ROW) {
      const char *saved_game = (const char *)sqlite3_column_text(statement, 0);
      double tick = sqlite3_column_double(statement, 1), tick_rate = sqlite3_column_double(statement, 2);
      problem = !saved_game || strcmp(saved_game, game) != 0 ? "the file is a save of a different game" : NULL;
      if (!problem && !(tick >= 0 && tick < 9e15 && tick_rate >= 1 && tick_rate < 1e6))
        problem = "the file is damaged";
      if (!problem) {
        json_object_set_new(slot, "tick", json_integer((json_int_t)tick));
        json_object_set_new(slot, "time", json_real(tick / tick_rate));
      }
    }
  }
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return status == SQLITE_CANTOPEN || status == SQLITE_IOERR ? "the file cannot be read" : problem;
}

static json_t *describe_slot(const char *folder, const char *file, const char *game) {
  char path[FILE_PATH_BYTES], modified[32] = "";
  file_status_t status;
  struct tm local_time;
  json_t *slot = json_object();
  path_join(path, sizeof path, folder, file);
  json_object_set_new(slot, "name", json_stringn(file, strlen(file) - strlen(SUFFIX)));
  if (file_status(path, &status) && localtime_r(&(time_t){status.modified_ns / 1000000000}, &local_time))
    strftime(modified, sizeof modified, "%Y-%m-%d %H:%M", &local_time);
  json_object_set_new(slot, "saved", json_string(modified));
  snprintf(path + strlen(path) - strlen(SUFFIX), sizeof SUFFIX, ".png");
  if (file_exists(path))
    json_object_set_new(slot, "picture",
                        // the name of the picture as an asset (platform/assets.h)
                        json_sprintf("save:%.*s", (int)(strlen(file) - strlen(SUFFIX)), file));
  path_join(path, sizeof path, folder, file);
  const char *problem = read_metadata(path, game, slot);
  if (problem)
    json_object_set_new(slot, "problem", json_string(problem));
  return slot;
}

char *save_list_slots(allocator_t *a, const char *folder, const char *game, size_t *bytes, error_info_t *error) {
  shoal_assert(folder[0] && game[0], "`folder` and `game` must not be empty");
  file_list_t files = {0};
  if (!file_list_optional(a, folder, SUFFIX, &files, error))
    return NULL;
  json_t *list = json_array();
  for (uint32_t i = 0; i < files.count; ++i)
    if (!strchr(files.paths[i], '/') && strlen(files.paths[i]) > strlen(SUFFIX))
      json_array_append_new(list, describe_slot(folder, files.paths[i], game));
  file_list_free(a, &files);
  char *text = json_dumps(list, JSON_COMPACT), *out = NULL;
  json_decref(list);
  if (text) {
    *bytes = strlen(text);
    out = alloc_copy_text(a, text);
    free(text);
  } else {
    error_set(error, "%s: file names are not valid UTF-8", folder);
  }
  return out;
}
