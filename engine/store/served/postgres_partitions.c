// Partitions of the chronicle on PostgreSQL: one for each day (UTC) on which rows expire, `kept_forever` for rows that
// never expire, and `kept_rest` for days without a partition, so that no row is ever refused. A day's partition is
// dropped as a whole after the day. Rows that are kept for less than a day, and rows of `kept_rest`, are removed in
// batches, because users expect them to be gone earlier.
//
// Programs that read the chronicle for long, such as pg_dump, delay new and dropped partitions. Commits of
// rooms would then wait, too, so each attempt ends after LOCK_MS.
#include "served/postgres_partitions.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define DAY_S 86400
#define DAYS_AHEAD 3 // partitions are created for rows that are stored on this many days, beginning today
#define LOCK_MS 200
#define NAME_BYTES 32u

static const char PARTITION[] =
    "ALTER TABLE chronicle RENAME TO former_chronicle;"
    "DROP INDEX index_chronicle_event, index_chronicle_account, index_chronicle_expires;"
    "CREATE TABLE chronicle (LIKE former_chronicle) PARTITION BY LIST ((expires / 86400));"
    "CREATE INDEX index_chronicle_event ON chronicle (event, at);"
    "CREATE INDEX index_chronicle_account ON chronicle (account, at);"
    "CREATE INDEX index_chronicle_expires ON chronicle (expires) WHERE expires - at < 86400;"
    "CREATE TABLE kept_forever PARTITION OF chronicle FOR VALUES IN (NULL);"
    "CREATE UNIQUE INDEX ON kept_forever (room, fence, tick, ordinal);"
    "CREATE TABLE kept_rest PARTITION OF chronicle DEFAULT;"
    "CREATE UNIQUE INDEX ON kept_rest (room, fence, tick, ordinal);"
    "CREATE INDEX ON kept_rest (expires);"
    "INSERT INTO chronicle SELECT * FROM former_chronicle;"
    "DROP TABLE former_chronicle";

store_result_t postgres_partition_chronicle(world_store_o *s, error_info_t *error) {
  return store_execute_script(s, PARTITION, error);
}

store_result_t postgres_is_partitioned(world_store_o *s, bool *out, error_info_t *error) {
  int64_t count = 0;
  store_result_t result =
      store_query_number(s,
                         "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('chronicle')"
                         " AND relkind = 'p'",
                         NULL, 0, &count, error);
  *out = count > 0;
  return result;
}

// Writes the name of the partition for a day since 1970. The alphabetical order of the names is the order of the days.
static void format_name(int64_t day, char out[NAME_BYTES]) {
  struct tm date;
  time_t time = (time_t)(day * DAY_S);
  gmtime_r(&time, &date);
  (void)strftime(out, NAME_BYTES, "kept_until_%Y_%m_%d", &date);
}

static store_result_t limit_locks(world_store_o *s, error_info_t *error) {
  char sql[64];
  (void)snprintf(sql, sizeof sql, "SET LOCAL lock_timeout = %d", LOCK_MS);
  return store_execute_script(s, sql, error);
}

// --- new partitions

// `out` receives true if the day has no partition and `kept_rest` has no row of the day, which a partition would
// require to be moved.
static store_result_t needs_partition(world_store_o *s, const char *name, int64_t day, bool *out, error_info_t *error) {
  int64_t count = 1;
  store_result_t result =
      store_query_number(s, "SELECT count(*) FROM (SELECT 1 WHERE to_regclass($1) IS NOT NULL) AS a",
                         STORE_VALUES(STORE_TEXT(name)), &count, error);
  if (result == STORE_DONE && count == 0)
    result = store_query_number(
        s, "SELECT count(*) FROM (SELECT 1 FROM kept_rest WHERE expires >= $1 AND expires < $2 LIMIT 1) AS a",
        STORE_VALUES(STORE_NUMBER(day * DAY_S), STORE_NUMBER((day + 1) * DAY_S)), &count, error);
  *out = count == 0;
  return result;
}

static store_result_t create_day(world_store_o *s, int64_t day, error_info_t *error) {
  char name[NAME_BYTES], sql[400];
  bool is_needed = false;
  format_name(day, name);
  store_result_t result = needs_partition(s, name, day, &is_needed, error);
  if (result != STORE_DONE || !is_needed)
    return result;
  // ATTACH, unlike CREATE TABLE … PARTITION OF, does not wait for programs that read other partitions
  (void)snprintf(sql, sizeof sql,
                 "CREATE TABLE %s (LIKE chronicle INCLUDING ALL);"
                 "CREATE UNIQUE INDEX ON %s (room, fence, tick, ordinal);"
                 "ALTER TABLE chronicle ATTACH PARTITION %s FOR VALUES IN (%" PRId64 ")",
                 name, name, name, day);
  result = limit_locks(s, error);
  return result == STORE_DONE ? store_execute_script(s, sql, error) : result;
}

store_result_t postgres_prepare_days(world_store_o *s, int64_t keep_s, error_info_t *error) {
  int64_t now = 0;
  store_result_t result = store_query_number(s, "SELECT " STORE_NOW, NULL, 0, &now, error);
  for (int64_t i = 0; result == STORE_DONE && i < DAYS_AHEAD; ++i)
    result = create_day(s, (now + keep_s) / DAY_S + i, error);
  return result;
}

// --- expired rows

// Drops the oldest partition of a past day. `name` receives its name, or "" if there is no such partition.
static store_result_t drop_day(world_store_o *s, int64_t today, char name[NAME_BYTES], error_info_t *error) {
  char sql[64], limit[NAME_BYTES];
  store_query_t query = {0};
  format_name(today, limit);
  store_query_begin(s, &query,
                    "SELECT c.relname FROM pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS c"
                    " ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('chronicle')"
                    " AND c.relname LIKE 'kept\\_until\\_%' AND c.relname < $1 ORDER BY c.relname LIMIT 1",
                    STORE_VALUES(STORE_TEXT(limit)), error);
  name[0] = '\0';
  if (store_next(s, &query, error))
    store_read_text(&query, 0, name, NAME_BYTES);
  store_result_t result = store_query_end(&query);
  if (result != STORE_DONE || !name[0])
    return result;
  (void)snprintf(sql, sizeof sql, "DROP TABLE %s", name);
  result = limit_locks(s, error);
  return result == STORE_DONE ? store_execute_script(s, sql, error) : result;
}

// Removes a batch of expired rows from a partition.
static store_result_t remove_rows(world_store_o *s, const char *name, const char *condition, int64_t now,
                                  int64_t *changed, error_info_t *error) {
  char sql[300];
  (void)snprintf(sql, sizeof sql,
                 "DELETE FROM %s WHERE ctid = ANY (ARRAY (SELECT ctid FROM %s WHERE expires <= $1%s ORDER BY expires"
                 " LIMIT $2))",
                 name, name, condition);
  return store_execute(s, sql, STORE_VALUES(STORE_NUMBER(now), STORE_NUMBER(CHRONICLE_BATCH_ROWS)), changed, error);
}

static store_result_t remove_short_rows(world_store_o *s, int64_t now, int64_t *changed, error_info_t *error) {
  char name[NAME_BYTES];
  int64_t exists = 0;
  format_name(now / DAY_S, name);
  store_result_t result =
      store_query_number(s, "SELECT count(*) FROM (SELECT 1 WHERE to_regclass($1) IS NOT NULL) AS a",
                         STORE_VALUES(STORE_TEXT(name)), &exists, error);
  return result == STORE_DONE && exists ? remove_rows(s, name, " AND expires - at < 86400", now, changed, error)
                                        : result;
}

store_result_t postgres_remove_expired(world_store_o *s, int64_t *changed, error_info_t *error) {
  char name[NAME_BYTES];
  int64_t now = 0;
  store_result_t result = store_query_number(s, "SELECT " STORE_NOW, NULL, 0, &now, error);
  if (result == STORE_DONE)
    result = drop_day(s, now / DAY_S, name, error);
  if (result == STORE_DONE && name[0]) { // there may be further partitions
    *changed = CHRONICLE_BATCH_ROWS;
    return STORE_DONE;
  }
  if (result == STORE_DONE)
    result = remove_rows(s, "kept_rest", "", now, changed, error);
  return result == STORE_DONE && *changed == 0 ? remove_short_rows(s, now, changed, error) : result;
}
