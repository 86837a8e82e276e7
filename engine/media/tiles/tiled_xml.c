// Reads Tiled's XML with expat, element by element. A table defines for each element, depending on its parent, which
// part of the JSON structure it becomes. Declarations in a DOCTYPE are refused, because their entities could expand
// without limit. Depth, value count and text length are limited. Cells are never expanded to one value each. Format:
// https://doc.mapeditor.org/en/stable/reference/tmx-map-format/
#include "tiles/tiled_xml.h"

#include "base/array.h"
#include "base/assert.h"

#include <expat.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 64u         // maximum nesting of elements
#define MAX_VALUES (5u << 20) // maximum number of elements and attributes

// Names of attributes, delimited by spaces, that Tiled's JSON stores as numbers and as booleans. All other attributes
// are strings.
static const char NUMBERS[] =
    " tilewidth tileheight tilecount columns margin spacing id tileid duration x y width height firstgid gid rotation "
    "opacity offsetx offsety parallaxx parallaxy pixelsize probability nextlayerid nextobjectid compressionlevel "
    "parallaxoriginx parallaxoriginy ";
static const char BOOLEANS[] = " visible infinite repeatx repeaty locked wrap bold italic kerning underline strikeout ";

// The role of an element in the JSON structure of its parent element.
typedef enum role_t {
  ROLE_NONE,
  ROLE_OWNER,    // no structure of its own: child elements are added to the parent
  ROLE_ITEM,     // an object in the parent's list `key`
  ROLE_LAYER,    // an object in the parent's list "layers", with the type `key`
  ROLE_OBJECT,   // the parent's member `key`, an object that contains the attributes
  ROLE_FLAG,     // the parent's member `key` with the value true
  ROLE_IMAGE,    // the parent's members "image", "imagewidth", …
  ROLE_POINTS,   // the parent's member `key`, a list of points
  ROLE_PROPERTY, // a property or a member of a property
  ROLE_CELLS,    // the parent's members "data", "encoding" and "compression"
  ROLE_CELL,     // one cell, which is appended to the text of the parent
} role_t;

typedef struct rule_t {
  const char *parent, *element; // `parent`: "*" for any parent
  role_t role;
  const char *key;
} rule_t;

static const rule_t RULES[] = {
    {"map", "tileset", ROLE_ITEM, "tilesets"},
    {"tile", "objectgroup", ROLE_OBJECT, "objectgroup"},
    {"*", "objectgroup", ROLE_LAYER, "objectgroup"},
    {"*", "layer", ROLE_LAYER, "tilelayer"},
    {"*", "imagelayer", ROLE_LAYER, "imagelayer"},
    {"*", "group", ROLE_LAYER, "group"},
    {"template", "tileset", ROLE_OBJECT, "tileset"},
    {"template", "object", ROLE_OBJECT, "object"},
    {"tileset", "image", ROLE_IMAGE, NULL},
    {"tileset", "tileoffset", ROLE_OBJECT, "tileoffset"},
    {"tileset", "tile", ROLE_ITEM, "tiles"},
    {"tile", "image", ROLE_IMAGE, NULL},
    {"tile", "animation", ROLE_OWNER, NULL},
    {"animation", "frame", ROLE_ITEM, "animation"},
    {"imagelayer", "image", ROLE_IMAGE, NULL},
    {"layer", "data", ROLE_CELLS, NULL},
    {"data", "chunk", ROLE_ITEM, "chunks"},
    {"data", "tile", ROLE_CELL, NULL},
    {"chunk", "tile", ROLE_CELL, NULL},
    {"objectgroup", "object", ROLE_ITEM, "objects"},
    {"object", "ellipse", ROLE_FLAG, "ellipse"},
    {"object", "point", ROLE_FLAG, "point"},
    {"object", "capsule", ROLE_FLAG, "capsule"},
    {"object", "polygon", ROLE_POINTS, "polygon"},
    {"object", "polyline", ROLE_POINTS, "polyline"},
    {"object", "text", ROLE_OBJECT, "text"},
    {"*", "properties", ROLE_OWNER, NULL},
    {"properties", "property", ROLE_PROPERTY, NULL},
};

typedef struct element_t {
  const char *name; // name of the element's rule; "" for an ignored element
  json_t *value;    // structure that the child elements fill; NULL for an ignored element
} element_t;

typedef struct xml_reader_t {
  XML_Parser parser;
  const char *root_name;
  json_t *root; // root element as JSON; owned
  element_t open[MAX_DEPTH];
  uint32_t depth, value_count;
  char problem[160]; // message of the first stop_parsing() call; "" before that call
  // Text of the innermost element: cells, or a multi-line property value.
  allocator_t memory;
  ARRAY(char) text;
} xml_reader_t;

static void stop_parsing(xml_reader_t *reader, const char *problem) {
  if (!reader->problem[0])
    snprintf(reader->problem, sizeof reader->problem, "%s", problem);
  XML_StopParser(reader->parser, XML_FALSE);
}

// --- values

static bool is_in_list(const char *list, const char *name) {
  char word[40];
  int length = snprintf(word, sizeof word, " %s ", name);
  return length > 0 && (size_t)length < sizeof word && strstr(list, word);
}

static json_t *parse_number(const char *text) {
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end || !isfinite(number))
    return json_string(text); // the reader reports that a number was expected
  bool is_integer = fabs(number) <= 4294967295.0 && number == floor(number);
  return is_integer ? json_integer((json_int_t)number) : json_real(number);
}

static json_t *parse_attribute(const char *name, const char *text) {
  if (is_in_list(BOOLEANS, name))
    return json_boolean(strcmp(text, "1") == 0 || strcmp(text, "true") == 0);
  return is_in_list(NUMBERS, name) ? parse_number(text) : json_string(text);
}

static void set_attributes(json_t *out, const char **attributes) {
  for (; *attributes; attributes += 2)
    json_object_set_new(out, attributes[0], parse_attribute(attributes[0], attributes[1]));
}

static const char *find_attribute(const char **attributes, const char *name) {
  for (; *attributes; attributes += 2)
    if (strcmp(attributes[0], name) == 0)
      return attributes[1];
  return NULL;
}

static json_t *parse_value(const char *type, const char *text) {
  if (strcmp(type, "bool") == 0)
    return json_boolean(strcmp(text, "true") == 0);
  bool is_number = strcmp(type, "int") == 0 || strcmp(type, "float") == 0 || strcmp(type, "object") == 0;
  return is_number ? parse_number(text) : json_string(text);
}

// Returns the list `name` of an object. Creates the list if it is missing.
static json_t *get_or_add_list(json_t *owner, const char *name) {
  json_t *list = json_object_get(owner, name);
  if (!list) {
    list = json_array();
    json_object_set_new(owner, name, list);
  }
  return list;
}

// --- elements

static json_t *add_item(json_t *owner, const char *list, const char **attributes) {
  json_t *item = json_object();
  set_attributes(item, attributes);
  json_array_append_new(get_or_add_list(owner, list), item);
  return item;
}

static json_t *add_layer(json_t *owner, const char *type, const char **attributes) {
  json_t *layer = add_item(owner, "layers", attributes);
  json_object_set_new(layer, "type", json_string(type));
  return layer;
}

static json_t *add_object(json_t *owner, const char *key, const char **attributes) {
  json_t *object = json_object();
  set_attributes(object, attributes);
  json_object_set_new(owner, key, object);
  return object;
}

// Adds a property to its owner: to the list of an object, a tile and so on, or to the members of a class-typed
// property. Returns the property.
static json_t *add_property(json_t *owner, const char **attributes) {
  const char *name = find_attribute(attributes, "name"), *type = find_attribute(attributes, "type");
  const char *value = find_attribute(attributes, "value");
  json_t *item = json_object();
  name = name ? name : "";
  type = type ? type : "string";
  json_object_set_new(item, "name", json_string(name));
  json_object_set_new(item, "type", json_string(type));
  if (strcmp(type, "class") == 0)
    json_object_set_new(item, "value", json_object());
  else if (strcmp(type, "list") == 0)
    json_object_set_new(item, "value", json_array());
  else if (value)
    json_object_set_new(item, "value", parse_value(type, value));
  json_array_append_new(get_or_add_list(owner, "properties"), item); // keeps the item alive while it is open
  return item;
}

static json_t *add_image(json_t *owner, const char **attributes) {
  const char *source = find_attribute(attributes, "source"), *colour = find_attribute(attributes, "trans");
  const char *width = find_attribute(attributes, "width"), *height = find_attribute(attributes, "height");
  if (source)
    json_object_set_new(owner, "image", json_string(source));
  else
    json_object_set_new(owner, "embedded", json_true());
  if (colour)
    json_object_set_new(owner, "transparentcolor", json_string(colour));
  if (width)
    json_object_set_new(owner, "imagewidth", parse_number(width));
  if (height)
    json_object_set_new(owner, "imageheight", parse_number(height));
  return NULL;
}

static json_t *add_points(json_t *owner, const char *key, const char **attributes) {
  const char *cursor = find_attribute(attributes, "points");
  double x, y;
  int length = 0;
  json_t *list = json_array();
  for (; cursor && sscanf(cursor, " %lf,%lf%n", &x, &y, &length) == 2; cursor += length)
    json_array_append_new(list, json_pack("{s:f,s:f}", "x", isfinite(x) ? x : 0.0, "y", isfinite(y) ? y : 0.0));
  json_object_set_new(owner, key, list);
  return NULL;
}

static void append_text(xml_reader_t *reader, const char *text, size_t bytes) {
  array_reserve(&reader->memory, &reader->text, reader->text.count + (uint32_t)bytes);
  memcpy(reader->text.items + reader->text.count, text, bytes);
  reader->text.count += (uint32_t)bytes;
}

// Adds a cell of a layer that is saved as XML. The cells become a string of numbers, as with the encoding "csv".
// Returns NULL, so that elements in the cell are ignored.
static json_t *add_cell(xml_reader_t *reader, const char **attributes) {
  const char *tile = find_attribute(attributes, "gid");
  tile = tile ? tile : "0";
  append_text(reader, tile, strlen(tile));
  append_text(reader, ",", 1);
  return NULL;
}

static json_t *add_cells(xml_reader_t *reader, json_t *owner, const char **attributes) {
  const char *encoding = find_attribute(attributes, "encoding");
  const char *compression = find_attribute(attributes, "compression");
  json_object_set_new(owner, "encoding", json_string(encoding ? encoding : "csv"));
  json_object_set_new(owner, "compression", json_string(compression ? compression : ""));
  if (json_is_true(json_object_get(reader->root, "infinite"))) // an empty layer has no <chunk> elements
    get_or_add_list(owner, "chunks");
  return owner;
}

static json_t *apply_rule(xml_reader_t *reader, const rule_t *rule, json_t *owner, const char **attributes) {
  switch (rule->role) {
  case ROLE_OWNER: return owner;
  case ROLE_ITEM: return add_item(owner, rule->key, attributes);
  case ROLE_LAYER: return add_layer(owner, rule->key, attributes);
  case ROLE_OBJECT: return add_object(owner, rule->key, attributes);
  case ROLE_FLAG: json_object_set_new(owner, rule->key, json_true()); return NULL;
  case ROLE_IMAGE: return add_image(owner, attributes);
  case ROLE_POINTS: return add_points(owner, rule->key, attributes);
  case ROLE_PROPERTY: return add_property(owner, attributes);
  case ROLE_CELLS: return add_cells(reader, owner, attributes);
  case ROLE_CELL: return add_cell(reader, attributes);
  case ROLE_NONE: break;
  }
  shoal_assert(false, "<%s> has no role", rule->element);
  return NULL;
}

static const rule_t *find_rule(const char *parent, const char *name) {
  for (size_t i = 0; i < sizeof RULES / sizeof *RULES; ++i)
    if (strcmp(RULES[i].element, name) == 0 && (RULES[i].parent[0] == '*' || strcmp(RULES[i].parent, parent) == 0))
      return &RULES[i];
  return NULL;
}

// --- callbacks of expat

static void count_values(xml_reader_t *reader, const char **attributes) {
  char problem[96];
  for (++reader->value_count; *attributes; attributes += 2)
    ++reader->value_count;
  if (reader->value_count <= MAX_VALUES)
    return;
  snprintf(problem, sizeof problem, "too many elements and attributes (at most %u)", MAX_VALUES);
  stop_parsing(reader, problem);
}

static void open_root(xml_reader_t *reader, const char *name, const char **attributes) {
  char problem[128];
  if (strcmp(name, reader->root_name) != 0) {
    snprintf(problem, sizeof problem, "expected the root element <%s>, got <%.40s>", reader->root_name, name);
    stop_parsing(reader, problem);
    return;
  }
  reader->root = json_object();
  set_attributes(reader->root, attributes);
  if (strcmp(name, "map") == 0) // Tiled omits empty lists
    json_object_set_new(reader->root, "layers", json_array());
  reader->open[reader->depth++] = (element_t){reader->root_name, reader->root};
}

static void on_start(void *context, const char *name, const char **attributes) {
  xml_reader_t *reader = context;
  char problem[64];
  if (reader->problem[0])
    return;
  count_values(reader, attributes);
  if (reader->depth == MAX_DEPTH) {
    snprintf(problem, sizeof problem, "elements are nested too deeply (at most %u levels)", MAX_DEPTH);
    stop_parsing(reader, problem);
    return;
  }
  if (reader->depth == 0) {
    open_root(reader, name, attributes);
    return;
  }
  const element_t *parent = &reader->open[reader->depth - 1];
  const rule_t *rule = parent->value ? find_rule(parent->name, name) : NULL;
  if (!rule || rule->role != ROLE_CELL)
    reader->text.count = 0;
  reader->open[reader->depth++] =
      (element_t){rule ? rule->element : "", rule ? apply_rule(reader, rule, parent->value, attributes) : NULL};
}

// Stores the text of an element: the cells of a layer or chunk, a text object, or a multi-line property value.
static void store_text(xml_reader_t *reader, const element_t *element) {
  bool is_layer = strcmp(element->name, "data") == 0 && !json_object_get(element->value, "chunks");
  bool is_property = strcmp(element->name, "property") == 0 && !json_object_get(element->value, "value");
  const char *key = is_layer || strcmp(element->name, "chunk") == 0 ? "data"
                    : is_property                                   ? "value"
                    : strcmp(element->name, "text") == 0            ? "text"
                                                                    : NULL;
  if (key)
    json_object_set_new(element->value, key,
                        json_stringn(reader->text.items ? reader->text.items : "", reader->text.count));
}

// Adds a property to the members of the enclosing class-typed property, if there is one.
static void add_member(const json_t *owner, const json_t *property) {
  json_t *members = json_object_get(owner, "value");
  if (json_is_object(members))
    json_object_set(members, json_string_value(json_object_get(property, "name")), json_object_get(property, "value"));
}

static void on_end(void *context, const char *name) {
  xml_reader_t *reader = context;
  (void)name;
  if (reader->problem[0]) // the end of the element that caused the problem is still reported
    return;
  shoal_assert(reader->depth > 0, "the element %s was not open", name);
  const element_t *element = &reader->open[--reader->depth];
  if (!element->value)
    return;
  store_text(reader, element);
  if (strcmp(element->name, "property") == 0)
    add_member(reader->open[reader->depth - 1].value, element->value);
}

static void on_text(void *context, const char *text, int bytes) {
  append_text(context, text, (size_t)bytes);
}

// Accepts the DOCTYPE line of Tiled, which only names a DTD that expat does not read. Rejects an internal subset, which
// could declare entities.
static void on_doctype(void *context, const char *name, const char *system_id, const char *public_id, int has_subset) {
  (void)name, (void)system_id, (void)public_id;
  if (has_subset)
    stop_parsing(context, "declarations in a DOCTYPE are not supported: remove [ … ] from the DOCTYPE");
}

// Reports an entity that only the DTD could declare. Without a DOCTYPE, expat itself reports it.
static void on_skipped_entity(void *context, const char *name, int is_parameter_entity) {
  char problem[128];
  (void)is_parameter_entity;
  snprintf(problem, sizeof problem, "undefined entity &%.40s;: write the character", name);
  stop_parsing(context, problem);
}

json_t *tiled_xml_parse(const char *text, size_t bytes, const char *root, uint32_t *line, error_info_t *error) {
  shoal_assert(bytes <= INT_MAX, "the file is too large: %zu bytes", bytes);
  xml_reader_t reader = {.parser = XML_ParserCreate(NULL), .root_name = root};
  *line = 1;
  if (!reader.parser) {
    error_set(error, "out of memory");
    return NULL;
  }
  XML_SetUserData(reader.parser, &reader);
  XML_SetElementHandler(reader.parser, on_start, on_end);
  XML_SetCharacterDataHandler(reader.parser, on_text);
  XML_SetStartDoctypeDeclHandler(reader.parser, on_doctype);
  XML_SetSkippedEntityHandler(reader.parser, on_skipped_entity);
  bool ok = XML_Parse(reader.parser, text, (int)bytes, 1) == XML_STATUS_OK && !reader.problem[0];
  if (!ok) {
    *line = (uint32_t)XML_GetCurrentLineNumber(reader.parser);
    error_set(error, "invalid %s: %s", root,
              reader.problem[0] ? reader.problem : XML_ErrorString(XML_GetErrorCode(reader.parser)));
    json_decref(reader.root);
    reader.root = NULL;
  }
  XML_ParserFree(reader.parser);
  array_free(&reader.memory, &reader.text);
  return reader.root;
}
