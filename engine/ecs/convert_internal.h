// A snapshot on its way to another version: convert.c goes through its sections, convert_rows.c brings over the rows of components
// and events. Private to ecs.
#ifndef SHOAL_ECS_CONVERT_INTERNAL_H
#define SHOAL_ECS_CONVERT_INTERNAL_H

#include "base/array.h"
#include "ecs/convert.h"
#include "ecs/snapshot_internal.h"
#include "ecs/world_internal.h"

#define GONE UINT32_MAX

typedef struct part_out_t {
  snapshot_section_t section;
  const void *from;
} part_out_t;

// The rows of one component as they stand in the snapshot: everything is borrowed from it.
typedef struct old_rows_t {
  schema_t schema;
  uint32_t count;
  const shoal_entity *owner;
  const uint32_t *instance, *next; // MANY
  columns_t columns;               // data and marks; see data
  void *data[2 * SCHEMA_MAX_FIELDS];
  uint32_t element_bytes[2 * SCHEMA_MAX_FIELDS];
  uint32_t first_section, end_section; // of the table
  uint32_t number;                     // in the snapshot
} old_rows_t;

// What they become.
typedef struct new_rows_t {
  manager_o *m;
  uint32_t count;
  columns_t columns;
  ARRAY(shoal_entity) owner;
  ARRAY(uint32_t) instance, next; // MANY
} new_rows_t;

typedef struct conversion_t {
  world_o *w;
  allocator_t a; // of everything below; all of it is freed at the end
  error_t *error;
  convert_say_t say;
  void *context;
  convert_report_t *report; // NULL: declarations' own ways are not heard
  convert_counts_t counts;
  const uint8_t *bytes;
  const snapshot_section_t *table;
  uint32_t section_count, at;
  snapshot_facts_t facts, new_facts;
  ARRAY(old_rows_t *) components;            // by old number
  ARRAY(uint32_t) managers, events, queries; // old number → new number or GONE
  ARRAY(bool) rebuilt;                       // by new number: queries that name it cannot come along
  ARRAY(strings_entry_t) texts;
  ARRAY(char) text_bytes;
  ARRAY(part_out_t) out;
  ARRAY(new_rows_t *) rows;   // made
  ARRAY(columns_t *) columns; // of events, made
  ARRAY(void *) blobs;        // written anew, with their sizes
  ARRAY(size_t) blob_bytes;
} conversion_t;

// --- convert.c
bool convert_damaged(conversion_t *c, const char *what);
__attribute__((format(printf, 2, 3))) void convert_say(conversion_t *c, const char *format, ...);
void *convert_blob(conversion_t *c, size_t bytes); // zeroed, freed at the end
const char *convert_text(const conversion_t *c, uint32_t id, size_t *length);
uint32_t convert_intern(conversion_t *c, const char *text, size_t length);

// --- convert_rows.c
// The rows of m from those of the component of the same name (NULL: it had none) and from those that aliases hand to it. False with
// a message. What declarations migrate themselves is noted in the report.
bool convert_rows(conversion_t *c, const old_rows_t *own, const old_rows_t *const *aliased, uint32_t aliased_count,
                  new_rows_t *out);
// The rows of an event or a single: field by field, in the same order. `quiet` says nothing and counts nothing.
bool convert_columns(conversion_t *c, const schema_t *old_schema, const columns_t *old, columns_t *now, bool quiet);

#endif
