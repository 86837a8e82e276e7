// Finds values by scanning strings and brackets. Maps have millions of cells, so a parsed tree with positions would be
// larger than the text.
#include "base/json_edit.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

#define GAP_BYTES 96u // size of a gap's buffer; longer gaps are not copied

// Text around the items of a list or object.
typedef struct layout_t {
  char lead[GAP_BYTES];      // white space between the opening bracket and the first item
  char separator[GAP_BYTES]; // text between two items, including the comma
  char tail[GAP_BYTES];      // white space between the last item and the closing bracket
  char colon[16];            // text between a key and its value
} layout_t;

void json_edit_init(json_edit_t *edit, allocator_t *memory, const char *text, size_t bytes) {
  shoal_assert(bytes < UINT32_MAX, "a text of %zu bytes is too large", bytes);
  *edit = (json_edit_t){.memory = memory, .bytes = (uint32_t)bytes, .text = alloc_resize(memory, NULL, 0, bytes + 1)};
  memcpy(edit->text, text, bytes);
  edit->text[bytes] = '\0';
  splices_init(&edit->splices, memory);
}

void json_edit_fini(json_edit_t *edit) {
  alloc_resize(edit->memory, edit->text, (size_t)edit->bytes + 1, 0);
  splices_fini(&edit->splices);
  edit->text = NULL;
}

// --- finding

static uint32_t skip_space(const json_edit_t *edit, uint32_t at) {
  while (edit->text[at] == ' ' || edit->text[at] == '\n' || edit->text[at] == '\t' || edit->text[at] == '\r')
    ++at;
  return at;
}

static uint32_t skip_string(const json_edit_t *edit, uint32_t at) {
  for (++at; at < edit->bytes && edit->text[at] != '"'; ++at)
    at += edit->text[at] == '\\';
  return at < edit->bytes ? at + 1 : edit->bytes;
}

static uint32_t skip_value(const json_edit_t *edit, uint32_t at) {
  uint32_t depth = 0;
  do {
    char c = edit->text[at];
    if (c == '"') {
      at = skip_string(edit, at);
      continue;
    }
    if (depth == 0 && c != '{' && c != '[') // a number, true, false or null
      return at + (uint32_t)strcspn(edit->text + at, ",]} \t\r\n");
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    ++at;
  } while (depth > 0 && at < edit->bytes);
  return at;
}

json_span_t json_edit_root(const json_edit_t *edit) {
  uint32_t at = skip_space(edit, 0);
  return (json_span_t){at, skip_value(edit, at)};
}

static bool is_container(const json_edit_t *edit, json_span_t span) {
  return span.end > 0 && (edit->text[span.at] == '{' || edit->text[span.at] == '[');
}

bool json_edit_is_list(const json_edit_t *edit, json_span_t span) {
  return span.end > 0 && edit->text[span.at] == '[';
}

bool json_edit_next(const json_edit_t *edit, json_span_t container, uint32_t *at, json_item_t *out) {
  if (!is_container(edit, container))
    return false;
  uint32_t i = skip_space(edit, *at > 0 ? *at : container.at + 1);
  i = *at > 0 && edit->text[i] == ',' ? skip_space(edit, i + 1) : i;
  if (i >= container.end - 1)
    return false;
  *out = (json_item_t){0};
  if (edit->text[container.at] == '{') {
    out->key = (json_span_t){i, skip_string(edit, i)};
    i = skip_space(edit, skip_space(edit, out->key.end) + 1);
  }
  out->value = (json_span_t){i, skip_value(edit, i)};
  shoal_assert(out->value.end > i, "byte %u does not begin a value (is the text JSON?)", i);
  *at = out->value.end;
  return true;
}

uint32_t json_edit_count(const json_edit_t *edit, json_span_t container) {
  json_item_t item;
  uint32_t count = 0;
  for (uint32_t at = 0; json_edit_next(edit, container, &at, &item);)
    ++count;
  return count;
}

bool json_edit_equals(const json_edit_t *edit, json_span_t span, const char *text) {
  size_t bytes = strlen(text);
  if (span.end == 0 || edit->text[span.at] != '"')
    return false;
  if (!memchr(edit->text + span.at, '\\', span.end - span.at))
    return span.end - span.at == bytes + 2 && memcmp(edit->text + span.at + 1, text, bytes) == 0;
  json_t *value = json_edit_value(edit, span);
  bool equal = json_string_value(value) && strcmp(json_string_value(value), text) == 0;
  json_decref(value);
  return equal;
}

// Returns the index of the last item with this key, or UINT32_MAX if the key is missing.
static uint32_t find_index(const json_edit_t *edit, json_span_t object, const char *key, json_item_t *out) {
  json_item_t item;
  uint32_t index = UINT32_MAX, i = 0;
  for (uint32_t at = 0; json_edit_next(edit, object, &at, &item); ++i)
    if (json_edit_equals(edit, item.key, key)) {
      index = i;
      *out = item;
    }
  return index;
}

json_span_t json_edit_find(const json_edit_t *edit, json_span_t object, const char *key) {
  json_item_t item = {0};
  find_index(edit, object, key, &item);
  return item.value;
}

json_t *json_edit_value(const json_edit_t *edit, json_span_t span) {
  return span.end > 0 ? json_loadb(edit->text + span.at, span.end - span.at, JSON_DECODE_ANY, NULL) : NULL;
}

double json_edit_number(const json_edit_t *edit, json_span_t span, double fallback) {
  char first = span.end > 0 ? edit->text[span.at] : '\0';
  return first == '-' || (first >= '0' && first <= '9') ? strtod(edit->text + span.at, NULL) : fallback;
}

// --- layout

static void copy_gap(const json_edit_t *edit, uint32_t at, uint32_t end, char *out, size_t bytes) {
  if (end - at >= bytes)
    return; // keeps the default, because the gap does not fit
  memcpy(out, edit->text + at, end - at);
  out[end - at] = '\0';
}

static uint32_t get_item_start(const json_item_t *i) {
  return i->key.end > 0 ? i->key.at : i->value.at;
}

// Guesses the gap between the items of a container with a single item. The guess is the line break before the item or,
// if the item is itself a container on one line, the gap between the first two items of that container.
static void guess_item_gap(const json_edit_t *edit, json_span_t single_item, layout_t *out) {
  json_item_t first, second;
  uint32_t at = 0;
  if (strchr(out->lead, '\n') && strlen(out->lead) + 1 < sizeof out->separator) {
    out->separator[0] = ',';
    memcpy(out->separator + 1, out->lead, strlen(out->lead) + 1);
  } else if (json_edit_next(edit, single_item, &at, &first) && json_edit_next(edit, single_item, &at, &second) &&
             !memchr(edit->text + first.value.end, '\n', get_item_start(&second) - first.value.end)) {
    copy_gap(edit, first.value.end, get_item_start(&second), out->separator, sizeof out->separator);
  }
}

// Reads the layout of a list or object. Gaps that the container lacks keep their values in `out`.
static void read_layout(const json_edit_t *edit, json_span_t container, layout_t *out) {
  json_item_t item, previous = {0};
  uint32_t count = 0;
  for (uint32_t at = 0; json_edit_next(edit, container, &at, &item); previous = item) {
    if (count == 0) {
      copy_gap(edit, container.at + 1, get_item_start(&item), out->lead, sizeof out->lead);
      if (item.key.end > 0)
        copy_gap(edit, item.key.end, item.value.at, out->colon, sizeof out->colon);
    }
    if (++count == 2)
      copy_gap(edit, previous.value.end, get_item_start(&item), out->separator, sizeof out->separator);
  }
  if (count > 0)
    copy_gap(edit, previous.value.end, container.end - 1, out->tail, sizeof out->tail);
  if (count == 1)
    guess_item_gap(edit, previous.value, out);
}

static layout_t get_default_layout(const json_edit_t *edit) {
  layout_t root = {.colon = ":"}, out = {.separator = ", ", .colon = ":"};
  read_layout(edit, json_edit_root(edit), &root);
  memcpy(out.colon, root.colon, sizeof out.colon);
  if (strcmp(out.colon, ":") != 0) {
    out.lead[0] = ' ';
    out.tail[0] = ' ';
  }
  return out;
}

// Returns the layout of a value nested in a value that has `layout`: one line per item, indented one level
// deeper, if `layout` has one line per item; otherwise a single line.
static layout_t derive_nested_layout(const layout_t *layout) {
  layout_t out = *layout;
  const char *lead = strrchr(layout->lead, '\n'), *tail = strrchr(layout->tail, '\n');
  size_t inner_indent = lead ? strlen(lead) : 0, outer_indent = tail ? strlen(tail) : 0;
  bool is_multiline = lead && tail && strchr(layout->separator, '\n') && inner_indent > outer_indent &&
                      inner_indent * 2 < GAP_BYTES / 2;
  if (!is_multiline) {
    if (strchr(out.lead, '\n'))
      out.lead[0] = '\0';
    if (strchr(out.tail, '\n'))
      out.tail[0] = '\0';
    if (strchr(out.separator, '\n'))
      memcpy(out.separator, ", ", 3);
    return out;
  }
  size_t indent = inner_indent - outer_indent, lead_bytes = strlen(layout->lead),
         between_bytes = strlen(layout->separator);
  memcpy(out.tail, layout->lead, lead_bytes + 1);
  for (size_t i = 0; i <= indent; ++i) { // the last byte is the '\0'
    out.lead[lead_bytes + i] = i < indent ? lead[inner_indent - 1] : '\0';
    out.separator[between_bytes + i] = i < indent ? lead[inner_indent - 1] : '\0';
  }
  return out;
}

// --- writing

static bool has_nested_values(const json_t *list) {
  size_t i;
  json_t *item;
  json_array_foreach((json_t *)(uintptr_t)list, i, item) {
    if (json_is_object(item) || json_is_array(item))
      return true;
  }
  return false;
}

static void write_scalar(json_writer_t *out, const json_t *value) {
  char text[64];
  if (json_is_string(value)) {
    json_write_quoted(out, json_string_value(value), json_string_length(value));
  } else if (json_is_integer(value)) {
    snprintf(text, sizeof text, "%lld", (long long)json_integer_value(value));
    json_write_text(out, text);
  } else if (json_is_real(value)) {
    json_writer_t number;
    json_writer_init(&number, out->allocator);
    json_write_number(&number, json_real_value(value));
    json_write_bytes(out, number.text.items, number.text.count);
    json_writer_fini(&number);
  } else {
    json_write_text(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
  }
}

// Appends a value without a comma before it. `layout`: layout of the value if it is a list or an object.
static void write_value(json_writer_t *out, const json_t *value, const layout_t *layout) {
  const char *key;
  json_t *item;
  size_t i = 0;
  layout_t inner = derive_nested_layout(layout);
  if (json_is_object(value) && json_object_size(value) > 0) {
    json_write_text(out, "{");
    json_object_foreach((json_t *)(uintptr_t)value, key, item) {
      json_write_text(out, i++ == 0 ? layout->lead : layout->separator);
      json_write_quoted(out, key, strlen(key));
      json_write_text(out, layout->colon);
      write_value(out, item, &inner);
    }
    json_write_text(out, layout->tail);
    json_write_text(out, "}");
  } else if (json_is_array(value) && json_array_size(value) > 0) {
    bool nested = has_nested_values(value);
    json_write_text(out, "[");
    json_array_foreach((json_t *)(uintptr_t)value, i, item) {
      json_write_text(out, i == 0 ? (nested ? layout->lead : "") : (nested ? layout->separator : ", "));
      write_value(out, item, &inner);
    }
    json_write_text(out, nested ? layout->tail : "");
    json_write_text(out, "]");
  } else if (json_is_object(value) || json_is_array(value)) {
    json_write_text(out, json_is_object(value) ? "{}" : "[]");
  } else {
    write_scalar(out, value);
  }
}

void json_edit_splice(json_edit_t *edit, json_span_t span, const char *text, size_t bytes) {
  uint32_t text_offset = edit->splices.replacements.text.count;
  json_write_bytes(&edit->splices.replacements, text, bytes);
  splices_add(&edit->splices, edit, span.at, span.end, text_offset);
}

void json_edit_apply(json_edit_t *edit) {
  json_writer_t out;
  json_writer_init(&out, edit->memory);
  splices_write(&edit->splices, edit, edit->text, edit->bytes, &out);
  alloc_resize(edit->memory, edit->text, (size_t)edit->bytes + 1, 0);
  edit->bytes = out.text.count;
  edit->text = json_writer_detach_text(&out);
  splices_fini(&edit->splices);
  splices_init(&edit->splices, edit->memory);
}

static void replace_range(json_edit_t *edit, uint32_t at, uint32_t end, json_writer_t *text) {
  json_edit_splice(edit, (json_span_t){at, end}, json_writer_text(text), text->text.count);
  json_edit_apply(edit);
}

// --- edits

static bool is_equal(const json_t *a, const json_t *b) {
  return json_equal(a, b) || (json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b));
}

// Appends an item to a list or object. `last`: the last item; its value is missing if the container is empty.
static void add_item(json_edit_t *edit, json_span_t container, const json_item_t *last, const layout_t *layout,
                     json_writer_t *text) {
  json_writer_t out;
  json_writer_init(&out, edit->memory);
  bool is_first = last->value.end == 0;
  json_write_text(&out, is_first ? layout->lead : layout->separator);
  json_write_bytes(&out, text->text.items, text->text.count);
  json_write_text(&out, is_first ? layout->tail : "");
  replace_range(edit, is_first ? container.at + 1 : last->value.end, is_first ? container.end - 1 : last->value.end,
                &out);
  json_writer_fini(&out);
}

static json_item_t find_last_item(const json_edit_t *edit, json_span_t container) {
  json_item_t item, last = {0};
  for (uint32_t at = 0; json_edit_next(edit, container, &at, &item);)
    last = item;
  return last;
}

// Returns the layout for values inside a container that has `layout`: the layout of the last value of the same kind, or
// a layout derived from `layout`.
static layout_t find_value_layout(const json_edit_t *edit, json_span_t container, const layout_t *layout,
                                  const json_t *value) {
  json_item_t item;
  json_span_t sibling = {0};
  char bracket = json_is_object(value) ? '{' : '[';
  for (uint32_t at = 0; json_edit_next(edit, container, &at, &item);)
    if (edit->text[item.value.at] == bracket && item.value.end - item.value.at > 2)
      sibling = item.value;
  layout_t out = derive_nested_layout(layout);
  if (sibling.end > 0)
    read_layout(edit, sibling, &out);
  return out;
}

void json_edit_set(json_edit_t *edit, json_span_t object, const char *key, const json_t *value) {
  json_item_t item = {0};
  json_writer_t text;
  layout_t layout = get_default_layout(edit);
  shoal_assert(is_container(edit, object) && edit->text[object.at] == '{', "byte %u does not begin an object",
               object.at);
  read_layout(edit, object, &layout);
  json_writer_init(&text, edit->memory);
  if (find_index(edit, object, key, &item) != UINT32_MAX) {
    json_t *old = json_edit_value(edit, item.value);
    layout_t inner = derive_nested_layout(&layout);
    read_layout(edit, item.value, &inner);
    write_value(&text, value, &inner);
    if (!is_equal(old, value))
      replace_range(edit, item.value.at, item.value.end, &text);
    json_decref(old);
  } else {
    layout_t inner = derive_nested_layout(&layout);
    json_write_quoted(&text, key, strlen(key));
    json_write_text(&text, layout.colon);
    write_value(&text, value, &inner);
    item = find_last_item(edit, object);
    add_item(edit, object, &item, &layout, &text);
  }
  json_writer_fini(&text);
}

void json_edit_append_text(json_edit_t *edit, json_span_t list, const char *value, size_t bytes) {
  json_writer_t text;
  layout_t layout = get_default_layout(edit);
  json_item_t last = find_last_item(edit, list);
  shoal_assert(json_edit_is_list(edit, list), "byte %u does not begin a list", list.at);
  layout.lead[0] = layout.tail[0] = '\0';
  read_layout(edit, list, &layout);
  json_writer_init(&text, edit->memory);
  json_write_bytes(&text, value, bytes);
  add_item(edit, list, &last, &layout, &text);
  json_writer_fini(&text);
}

void json_edit_append(json_edit_t *edit, json_span_t list, const json_t *value) {
  json_writer_t text;
  layout_t layout = get_default_layout(edit), inner = find_value_layout(edit, list, &layout, value);
  json_writer_init(&text, edit->memory);
  write_value(&text, value, &inner);
  json_edit_append_text(edit, list, json_writer_text(&text), text.text.count);
  json_writer_fini(&text);
}

void json_edit_remove(json_edit_t *edit, json_span_t container, uint32_t index) {
  json_item_t item, previous = {0}, target = {0}, next = {0};
  uint32_t i = 0;
  for (uint32_t at = 0; json_edit_next(edit, container, &at, &item); ++i) {
    previous = i + 1 == index ? item : previous;
    target = i == index ? item : target;
    next = i == index + 1 ? item : next;
  }
  shoal_assert(index < i, "item %u is out of range (count %u)", index, i);
  json_span_t range = {container.at + 1, container.end - 1}; // range of the only item
  if (next.value.end > 0)
    range = (json_span_t){get_item_start(&target), get_item_start(&next)};
  else if (previous.value.end > 0)
    range = (json_span_t){previous.value.end, target.value.end};
  json_edit_splice(edit, range, "", 0);
  json_edit_apply(edit);
}

bool json_edit_remove_key(json_edit_t *edit, json_span_t object, const char *key) {
  json_item_t item;
  uint32_t index = find_index(edit, object, key, &item);
  if (index != UINT32_MAX)
    json_edit_remove(edit, object, index);
  return index != UINT32_MAX;
}
