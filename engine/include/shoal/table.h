// Tables and byte strings in calls to and from Lua: functions that take or return the type `table`.
//
//   // .parameters = "options:table", .results = "answer:table"
//   static void plan(shoal_context *c, const shoal_value *in, shoal_value *out) {
//     double speed = shoal_table_get_number(&in[0], "walk.speed", 60); // options.walk.speed, or 60
//     const shoal_value *stops = shoal_table_find(&in[0], "stops");
//     for (const shoal_table_entry *entry = shoal_table_first(stops); entry; entry = shoal_table_next(stops, entry))
//       … entry->key.number, entry->value.string …
//     shoal_table_begin(c, &out[0], NULL);
//     shoal_table_put_number(c, &out[0], "seconds", 12);
//     shoal_table_begin(c, &out[0], "path");
//     shoal_table_put_string(c, &out[0], NULL, "by the river"); // without a key: appends to the list
//     shoal_table_end(c, &out[0]);
//     shoal_table_end(c, &out[0]);
//   }
//
// A table contains numbers, booleans, strings, entities and tables, under keys that are strings or list indices. Tables
// can be nested 16 levels deep and contain 65,536 entries in total. In a table from Lua, the list elements come first,
// in order, followed by the entries with string keys, sorted by bytes, so the order is deterministic. Other values and
// keys (a function, a fractional key, a table that contains itself) raise an error in the calling script. The message
// names the entry. An argument is valid only during the call, a result until the function is called again. If a
// function writes no table to its result, the script receives nil.
//
// Part of the public plugin headers: C11, usable from C++.
#ifndef SHOAL_TABLE_H
#define SHOAL_TABLE_H

#include "shoal/plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SHOAL_MAX_TABLE_ENTRIES 65536
#define SHOAL_MAX_DEPTH 16

// An entry of a table. `key` is a string (SHOAL_VALUE_TYPE_STRING) or an index of a list, from 1
// (SHOAL_VALUE_TYPE_NUMBER).
typedef struct shoal_table_entry {
  shoal_value key, value;
} shoal_table_entry;

// --- reading tables
// Any thread. NULL and values that are not tables have no entries.

// Returns the first entry of a table, or NULL if the table is empty.
SHOAL_NODISCARD static inline const shoal_table_entry *shoal_table_first(const shoal_value *table) {
  return table && table->type == SHOAL_VALUE_TYPE_TABLE && table->count > 0
             ? (const shoal_table_entry *)(const void *)table->string
             : NULL;
}

// Returns the entry after `entry`, which must be an entry of `table`, or NULL after the last entry.
SHOAL_NODISCARD static inline const shoal_table_entry *shoal_table_next(const shoal_value *table,
                                                                        const shoal_table_entry *entry) {
  const shoal_table_entry *end = (const shoal_table_entry *)(const void *)table->string + table->count;
  entry += 1 + (entry->value.type == SHOAL_VALUE_TYPE_TABLE ? entry->value.count : 0);
  return entry < end ? entry : NULL;
}

// Returns the value at a path of keys, such as "walk.speed", in which numbers are list indices, such as "stops.2".
// Returns NULL if the value is missing.
SHOAL_NODISCARD static inline const shoal_value *shoal_table_find(const shoal_value *table, const char *path) {
  while (table && *path) {
    size_t length = strcspn(path, ".");
    double index = 0;
    for (size_t i = 0; i < length && index >= 0; ++i)
      index = path[i] >= '0' && path[i] <= '9' ? index * 10 + (path[i] - '0') : -1;
    const shoal_table_entry *entry = shoal_table_first(table);
    while (entry && !(entry->key.type == SHOAL_VALUE_TYPE_STRING
                          ? entry->key.count == length && memcmp(entry->key.string, path, length) == 0
                          : entry->key.number == index))
      entry = shoal_table_next(table, entry);
    table = entry ? &entry->value : NULL;
    path += length + (path[length] == '.');
  }
  return table;
}

// Return the number, boolean, string or entity at a path. If the value is missing or has a different type, return
// `fallback` (for entities 0).
SHOAL_NODISCARD static inline double shoal_table_get_number(const shoal_value *table, const char *path,
                                                            double fallback) {
  const shoal_value *v = shoal_table_find(table, path);
  return v && v->type == SHOAL_VALUE_TYPE_NUMBER ? v->number : fallback;
}

SHOAL_NODISCARD static inline bool shoal_table_get_bool(const shoal_value *table, const char *path, bool fallback) {
  const shoal_value *v = shoal_table_find(table, path);
  return v && v->type == SHOAL_VALUE_TYPE_BOOL ? v->number != 0 : fallback;
}

SHOAL_NODISCARD static inline const char *shoal_table_get_string(const shoal_value *table, const char *path,
                                                                 const char *fallback) {
  const shoal_value *v = shoal_table_find(table, path);
  return v && v->type == SHOAL_VALUE_TYPE_STRING ? v->string : fallback;
}

SHOAL_NODISCARD static inline shoal_entity shoal_table_get_entity(const shoal_value *table, const char *path) {
  const shoal_value *v = shoal_table_find(table, path);
  return v && v->type == SHOAL_VALUE_TYPE_ENTITY ? v->entity : 0;
}

// --- writing tables
// Builds a table: in a result, or in an argument for another plugin's function (<shoal/call.h>). The outermost table
// has no key. shoal_table_end completes the value. In a list, `key` is NULL: the value gets the next index. The
// functions return false and fail the current call if a limit is exceeded, no table is open, or a value has the wrong
// type. Allowed in systems that run alone, the render phase, functions, panels and commands.

// Begins a table: the value itself (`key` is NULL) or a table inside the innermost open table.
static inline bool shoal_table_begin(shoal_context *c, shoal_value *to, const char *key) {
  return c->api->table_begin(c, to, key);
}

// Ends the innermost open table.
static inline bool shoal_table_end(shoal_context *c, shoal_value *to) {
  return c->api->table_end(c, to);
}

// Adds a number, boolean, string or entity to the innermost open table. Strings are copied.
static inline bool shoal_table_put(shoal_context *c, shoal_value *to, const char *key, const shoal_value *value) {
  return c->api->table_put(c, to, key, value);
}

// Returns a zeroed value of a type.
SHOAL_NODISCARD static inline shoal_value shoal_value_init(shoal_value_type type) {
  shoal_value v;
  memset(&v, 0, sizeof v);
  v.type = type;
  return v;
}

static inline bool shoal_table_put_number(shoal_context *c, shoal_value *to, const char *key, double number) {
  shoal_value v = shoal_value_init(SHOAL_VALUE_TYPE_NUMBER);
  v.number = number;
  return shoal_table_put(c, to, key, &v);
}

static inline bool shoal_table_put_bool(shoal_context *c, shoal_value *to, const char *key, bool value) {
  shoal_value v = shoal_value_init(SHOAL_VALUE_TYPE_BOOL);
  v.number = value;
  return shoal_table_put(c, to, key, &v);
}

static inline bool shoal_table_put_entity(shoal_context *c, shoal_value *to, const char *key, shoal_entity e) {
  shoal_value v = shoal_value_init(SHOAL_VALUE_TYPE_ENTITY);
  v.entity = e;
  return shoal_table_put(c, to, key, &v);
}

static inline bool shoal_table_put_string(shoal_context *c, shoal_value *to, const char *key,
                                          const char *string) { // `string` is copied
  shoal_value v = shoal_value_init(SHOAL_VALUE_TYPE_STRING);
  v.string = string ? string : "";
  v.count = (uint32_t)strlen(v.string);
  return shoal_table_put(c, to, key, &v);
}

// Copies `count` bytes, which may include zeros, to a result of type string. Returns true, or false and fails the call
// if `result` is not a result of the current function.
static inline bool shoal_return_bytes(shoal_context *c, shoal_value *result, const void *bytes, uint32_t count) {
  return c->api->return_bytes(c, result, bytes, count);
}

#ifdef __cplusplus
}
#endif

#endif
