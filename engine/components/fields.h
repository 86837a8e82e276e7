// Field tables: a component's schema as data. Each component file has one static table and declares it with fields_declare.
#ifndef SHOAL_COMPONENTS_FIELDS_H
#define SHOAL_COMPONENTS_FIELDS_H

#include "base/error.h"
#include "ecs/schema.h"
#include "ecs/world.h"

typedef struct field_desc_t {
  const char *name;
  field_type_t type;          // FIELD_F32 where `vector` is set
  uint32_t vector;            // 0: one column; 2…4: that many, name.x name.y …
  uint32_t flags;             // FIELD_HIDDEN, FIELD_READ_ONLY
  double initial;             // of a single column
  float initial_vector[4];    // of a vector
  const char *text;           // STRING, ASSET: the default (default: "")
  const char *const *choices; // ENUM: names, NULL-terminated; the first is the default
} field_desc_t;

// FIELD(F32, "radius", .initial = 10)
#define FIELD(type_, name_, ...)                                                                                       \
  { .name = name_, .type = FIELD_##type_, __VA_ARGS__ }
#define FIELD_VEC4(name_, ...)                                                                                         \
  {                                                                                                                    \
    .name = name_, .type = FIELD_F32, .vector = 4, .initial_vector = { __VA_ARGS__ }                                   \
  }
#define FIELD_COUNT(table) ((uint32_t)(sizeof(table) / sizeof(table)[0]))

// How sprites, shapes and texts mix with what lies behind them.
extern const char *const FIELD_BLEND_CHOICES[];

// Declares the table as a component or an event of the world. Returns its id, 0 with a message when the world refuses it.
uint32_t fields_declare(world_o *w, const char *name, schema_kind_t kind, const field_desc_t *fields, uint32_t count,
                        error_t *error);

#endif
