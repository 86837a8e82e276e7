// Creates the views of kept events. The table kept_view contains the statement of each view, so that unchanged views
// stay, and the views of events that are no longer kept can be removed. SQLite can execute all these statements,
// because it also executes the questions to worlds on PostgreSQL (question_postgres.c). For these worlds, a comment at
// the end contains the statement for PostgreSQL.
#include "base/json_writer.h"
#include "served/chronicle_rows.h"
#include "served/world_store_internal.h"

#include <stdio.h>
#include <string.h>

#define VIEW_PREFIX "chronicle_"
#define COMMENT " -- as "
#define VIEW_BYTES (CHRONICLE_NAME_BYTES + sizeof VIEW_PREFIX)

// Writes a name without dots: "pos_x" for "pos.x".
static void write_flat_name(json_writer_t *out, const char *name) {
  for (; *name; ++name)
    json_write_bytes(out, *name == '.' ? "_" : name, 1);
}

static void write_view_name(json_writer_t *out, const char *event) {
  json_write_text(out, VIEW_PREFIX);
  write_flat_name(out, event);
}

// Writes the statement that creates a view in a kind of database. Names consist of letters, digits, _ and dots.
static void write_view(const store_driver_t *driver, json_writer_t *out, const chronicle_view_t *view) {
  json_write_text(out, "CREATE VIEW \"");
  write_view_name(out, view->event);
  json_write_text(out, "\" AS SELECT r.name AS room, c.tick, c.at, c.account");
  for (uint32_t i = 0; i < view->count; ++i) {
    char value[4 * CHRONICLE_NAME_BYTES + 320];
    driver->format_chronicle_value(&view->columns[i], value, sizeof value);
    json_write_text(out, ", ");
    json_write_text(out, value);
    json_write_text(out, " AS \"");
    write_flat_name(out, view->columns[i].name);
    json_write_text(out, "\"");
  }
  json_write_text(out, " FROM chronicle c JOIN room r ON r.number = c.room WHERE c.event = '");
  json_write_text(out, view->event);
  json_write_text(out, "'");
}

static store_result_t drop_view(world_store_o *s, const char *name, error_info_t *error) {
  char sql[VIEW_BYTES + 32];
  (void)snprintf(sql, sizeof sql, "DROP VIEW IF EXISTS \"%s\"", name);
  store_result_t result = store_execute(s, sql, NULL, 0, NULL, error);
  return result == STORE_DONE
             ? store_execute(s, "DELETE FROM kept_view WHERE name = $1", STORE_VALUES(STORE_TEXT(name)), NULL, error)
             : result;
}

// Creates the view, unless it exists with the same statement. Replaces a view with a different statement.
static store_result_t create_view(world_store_o *s, const chronicle_view_t *view, json_writer_t *text,
                                  error_info_t *error) {
  char name[VIEW_BYTES];
  int64_t count = 0;
  json_writer_clear(text);
  write_view_name(text, view->event);
  (void)snprintf(name, sizeof name, "%s", json_writer_text(text));
  json_writer_clear(text);
  write_view(&SQLITE_DRIVER, text, view);
  size_t own = 0; // position of this database's statement
  if (s->driver != &SQLITE_DRIVER) {
    json_write_text(text, COMMENT);
    own = text->text.count;
    write_view(s->driver, text, view);
  }
  const char *sql = json_writer_text(text);
  store_result_t result = store_query_number(s, "SELECT count(*) FROM kept_view WHERE name = $1 AND statement = $2",
                                             STORE_VALUES(STORE_TEXT(name), STORE_TEXT(sql)), &count, error);
  if (result != STORE_DONE || count > 0)
    return result;
  result = drop_view(s, name, error);
  if (result == STORE_DONE)
    result = store_execute(s, sql + own, NULL, 0, NULL, error);
  if (result == STORE_DONE)
    result = store_execute(s, "INSERT INTO kept_view (name, statement) VALUES ($1, $2)",
                           STORE_VALUES(STORE_TEXT(name), STORE_TEXT(sql)), NULL, error);
  return result;
}

static bool is_kept(const char *name, const chronicle_view_t *views, uint32_t count, json_writer_t *text) {
  for (uint32_t i = 0; i < count; ++i) {
    json_writer_clear(text);
    write_view_name(text, views[i].event);
    if (strcmp(json_writer_text(text), name) == 0)
      return true;
  }
  return false;
}

// Finds a view whose event is no longer kept. Sets `name` to "" if all views are needed.
static store_result_t find_unused_view(world_store_o *s, const chronicle_view_t *views, uint32_t count,
                                       json_writer_t *text, char name[VIEW_BYTES], error_info_t *error) {
  store_query_t query = {0};
  store_query_begin(s, &query, "SELECT name FROM kept_view ORDER BY name", NULL, 0, error);
  bool is_unused = false;
  while (!is_unused && store_next(s, &query, error))
    is_unused = store_read_text(&query, 0, name, VIEW_BYTES) && !is_kept(name, views, count, text);
  if (!is_unused)
    name[0] = '\0';
  return store_query_end(&query);
}

static store_result_t remove_unused_views(world_store_o *s, const chronicle_view_t *views, uint32_t count,
                                          json_writer_t *text, error_info_t *error) {
  char name[VIEW_BYTES];
  store_result_t result;
  while ((result = find_unused_view(s, views, count, text, name, error)) == STORE_DONE && name[0])
    if ((result = drop_view(s, name, error)) != STORE_DONE)
      break;
  return result;
}

// Changes the table if it has a former layout. Its views must be created again.
static store_result_t migrate(world_store_o *s, json_writer_t *text, error_info_t *error) {
  bool is_former = false;
  store_result_t result =
      s->driver->is_former_chronicle ? s->driver->is_former_chronicle(s, &is_former, error) : STORE_DONE;
  if (result == STORE_DONE && is_former)
    result = remove_unused_views(s, NULL, 0, text, error);
  return result == STORE_DONE && is_former ? s->driver->migrate_chronicle(s, error) : result;
}

store_result_t chronicle_create_views(world_store_o *s, int64_t owner, const chronicle_view_t *views, uint32_t count,
                                      error_info_t *error) {
  json_writer_t text;
  store_result_t result = store_begin_write(s, error);
  if (result != STORE_DONE)
    return result;
  json_writer_init(&text, &s->memory);
  result = store_require_owner(s, owner, error);
  if (result == STORE_DONE)
    result = migrate(s, &text, error);
  if (result == STORE_DONE)
    result = remove_unused_views(s, views, count, &text, error);
  for (uint32_t i = 0; result == STORE_DONE && i < count; ++i)
    result = create_view(s, &views[i], &text, error);
  json_writer_fini(&text);
  return store_end(s, result, error);
}
