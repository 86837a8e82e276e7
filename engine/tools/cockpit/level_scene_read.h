// Reads scenes in Lua from their source text, without running it.
#ifndef SHOAL_COCKPIT_LEVEL_SCENE_READ_H
#define SHOAL_COCKPIT_LEVEL_SCENE_READ_H

#include "base/error.h"
#include "base/json_writer.h"
#include "luajit/lua_edit.h"

#include <jansson.h>

typedef struct cockpit_o cockpit_o;

// Writes "file" and "entities" of the request's "scene": a list of { "line", "code" (source text of an element that is
// not a table constructor), "assemblage", "name", "state", "parent", "x", "y" (in the scene; otherwise, in the
// assemblage), "components" }. `components` is nested as in the file. A value is { "value" } for a constant, and {
// "code" }, its source text, otherwise. Returns true on success, or false with an error.
bool level_scene_write(cockpit_o *cockpit, const json_t *request, json_writer_t *out, error_info_t *error);

// Stores the path of the scene file that the request's "scene" names: "scenes/night.lua". Returns true on success, or
// false with an error if the name is invalid.
bool level_scene_find_file(const json_t *request, char *out, size_t bytes, error_info_t *error);

// Stores the entity with this index in a list of entities. Returns its index among all elements of the table, or
// UINT32_MAX if the list has fewer entities.
uint32_t level_scene_find_entity(literal_span_t list, uint32_t index, literal_span_t *out);
// Returns true if the source text is a literal, or a table of literals with at most 8 levels of nested tables.
bool level_scene_is_constant(literal_span_t span);
// Copies the source text, truncated to fit. Returns the length of the complete text.
size_t level_scene_copy_source(literal_span_t span, char *out, size_t bytes);
// Copies the value of a string literal. Stores "" if the source text is not a string literal.
void level_scene_copy_text(literal_span_t span, char *out, size_t bytes);

#endif
