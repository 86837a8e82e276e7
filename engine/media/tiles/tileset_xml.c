// Reads Tiled's XML tilesets (.tsx) into the structure of its JSON tilesets (.tsj), so that both have one reader.
// Format: https://doc.mapeditor.org/en/stable/reference/tmx-map-format/#tileset
#include "tiles/tileset_xml.h"

#include "base/assert.h"

#include <expat.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16u // maximum nesting of the elements that are read

// Attributes that Tiled's JSON stores as numbers. All other attributes are strings.
static const char *const NUMBERS[] = {"tilewidth", "tileheight", "tilecount", "columns", "margin", "spacing", "id",
                                      "tileid",    "duration",   "x",         "y",       "width",  "height",  NULL};

typedef struct tileset_parser_t {
  XML_Parser parser;
  // Values of the open elements: the object that the child elements fill, or NULL for an ignored element.
  json_t *open[MAX_DEPTH];
  uint32_t depth;    // number of open elements
  json_t *root;      // owned
  char text[256];    // text of the innermost property, for values with several lines
  char problem[160]; // message of the first stop_parsing() call; "" before that call
} tileset_parser_t;

static void stop_parsing(tileset_parser_t *p, const char *problem) {
  if (!p->problem[0])
    snprintf(p->problem, sizeof p->problem, "%s", problem);
  XML_StopParser(p->parser, XML_FALSE);
}

static bool is_number(const char *name) {
  for (const char *const *entry = NUMBERS; *entry; ++entry)
    if (strcmp(*entry, name) == 0)
      return true;
  return false;
}

static json_t *parse_number(const char *text) {
  char *end = NULL;
  double number = strtod(text, &end);
  if (end == text || *end)
    return json_string(text); // the reader reports that a number was expected
  return number >= -1e9 && number <= 1e9 && number == (double)(json_int_t)number ? json_integer((json_int_t)number)
                                                                                 : json_real(number);
}

static void set_attributes(json_t *out, const char **attributes) {
  for (; *attributes; attributes += 2)
    json_object_set_new(out, attributes[0],
                        is_number(attributes[0]) ? parse_number(attributes[1]) : json_string(attributes[1]));
}

static const char *find_attribute(const char **attributes, const char *name) {
  for (; *attributes; attributes += 2)
    if (strcmp(attributes[0], name) == 0)
      return attributes[1];
  return NULL;
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

static json_t *parse_value(const char *type, const char *text) {
  if (strcmp(type, "bool") == 0)
    return json_boolean(strcmp(text, "true") == 0);
  return strcmp(type, "int") == 0 || strcmp(type, "float") == 0 || strcmp(type, "object") == 0 ? parse_number(text)
                                                                                               : json_string(text);
}

// Adds a property to its owner: to the list of a tile or tileset, or to the members of a property of type class.
// Returns the property.
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
  else if (value)
    json_object_set_new(item, "value", parse_value(type, value));
  json_t *members = json_object_get(owner, "value"); // the members, if the owner is a property of type class
  if (json_is_object(members))
    json_object_set(members, name, json_object_get(item, "value"));
  json_array_append_new(get_or_add_list(owner, "properties"), item); // keeps the item alive while it is open
  return item;
}

static json_t *add_item(json_t *owner, const char *list, const char **attributes) {
  json_t *item = json_object();
  set_attributes(item, attributes);
  json_array_append_new(get_or_add_list(owner, list), item);
  return item;
}

static json_t *add_image(json_t *owner, const char **attributes) {
  static const char *const names[][2] = {{"source", "image"}, {"width", "imagewidth"}, {"height", "imageheight"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    const char *value = find_attribute(attributes, names[i][0]);
    if (value)
      json_object_set_new(owner, names[i][1], i == 0 ? json_string(value) : parse_number(value));
  }
  return NULL;
}

// Returns the value of a new element whose parent element has the value `owner`; NULL if the new element has no content
// to read.
static json_t *add_element(json_t *owner, const char *name, const char **attributes) {
  if (strcmp(name, "tile") == 0)
    return add_item(owner, "tiles", attributes);
  if (strcmp(name, "frame") == 0)
    return add_item(owner, "animation", attributes);
  if (strcmp(name, "property") == 0)
    return add_property(owner, attributes);
  if (strcmp(name, "image") == 0)
    return add_image(owner, attributes);
  if (strcmp(name, "tileoffset") == 0) {
    json_t *offset = json_object();
    set_attributes(offset, attributes);
    json_object_set_new(owner, name, offset);
    return NULL;
  }
  return strcmp(name, "properties") == 0 || strcmp(name, "animation") == 0 ? owner : NULL;
}

static void on_start(void *context, const char *name, const char **attributes) {
  tileset_parser_t *parser = context;
  parser->text[0] = '\0';
  if (parser->depth == MAX_DEPTH) {
    stop_parsing(parser, "elements are nested too deeply (at most 16 levels)");
    return;
  }
  json_t *value = NULL;
  if (parser->depth == 0 && strcmp(name, "tileset") == 0) {
    value = parser->root = json_object();
    set_attributes(value, attributes);
  } else if (parser->depth == 0) {
    char problem[96];
    snprintf(problem, sizeof problem, "expected the root element <tileset>, got <%.40s>", name);
    stop_parsing(parser, problem);
    return;
  } else if (parser->open[parser->depth - 1]) {
    value = add_element(parser->open[parser->depth - 1], name, attributes);
  }
  parser->open[parser->depth++] = value;
}

static void on_end(void *context, const char *name) {
  tileset_parser_t *parser = context;
  if (parser->problem[0]) // the end of the element that caused the problem is still reported
    return;
  shoal_assert(parser->depth > 0, "the element %s was not open", name);
  json_t *value = parser->open[--parser->depth];
  // A multi-line property stores its value as text instead of in an attribute.
  if (value && strcmp(name, "property") == 0 && !json_object_get(value, "value"))
    json_object_set_new(value, "value", json_string(parser->text));
  parser->text[0] = '\0';
}

static void on_text(void *context, const char *text, int bytes) {
  tileset_parser_t *p = context;
  size_t length = strlen(p->text), remaining = sizeof p->text - 1 - length;
  size_t count = (size_t)bytes < remaining ? (size_t)bytes : remaining;
  memcpy(p->text + length, text, count);
  p->text[length + count] = '\0';
}

static void on_doctype(void *context, const char *name, const char *system_id, const char *public_id, int has_subset) {
  (void)name, (void)system_id, (void)public_id, (void)has_subset;
  stop_parsing(
      context,
      "document type declarations are not supported: remove the DOCTYPE"); // their entities could expand without limit
}

json_t *tileset_xml_parse(const char *text, size_t bytes, uint32_t *line, error_info_t *error) {
  shoal_assert(bytes <= INT_MAX, "the file is too large: %zu bytes", bytes);
  tileset_parser_t parser = {.parser = XML_ParserCreate(NULL)};
  *line = 1;
  if (!parser.parser) {
    error_set(error, "out of memory");
    return NULL;
  }
  XML_SetUserData(parser.parser, &parser);
  XML_SetElementHandler(parser.parser, on_start, on_end);
  XML_SetCharacterDataHandler(parser.parser, on_text);
  XML_SetStartDoctypeDeclHandler(parser.parser, on_doctype);
  bool ok = XML_Parse(parser.parser, text, (int)bytes, 1) == XML_STATUS_OK && !parser.problem[0];
  if (!ok) {
    *line = (uint32_t)XML_GetCurrentLineNumber(parser.parser);
    error_set(error, "invalid tileset: %s",
              parser.problem[0] ? parser.problem : XML_ErrorString(XML_GetErrorCode(parser.parser)));
    json_decref(parser.root);
    parser.root = NULL;
  }
  XML_ParserFree(parser.parser);
  return parser.root;
}
