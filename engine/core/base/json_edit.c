// Finds values by scanning strings and brackets: maps have millions of cells, and a tree with positions would be larger
// than the text.
#include "base/json_edit.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

#define GAP_BYTES 96u // maximum length of the white space that is copied from a sibling

// Text around the items of a list or object.
typedef struct layout_t {
  char lead[GAP_BYTES];    // between the opening bracket and the first item
  char between[GAP_BYTES]; // between two items, with the comma
  char tail[GAP_BYTES];    // between the last item and the closing bracket
  char colon[16];          // between key and value
} layout_t;

void json_edit_init(json_edit_t *x, allocator_t *memory, const char *text, size_t bytes) {
  shoal_assert(bytes < UINT32_MAX, "a text of %zu bytes is too large", bytes);
  *x = (json_edit_t){.memory = memory, .bytes = (uint32_t)bytes, .text = alloc_resize(memory, NULL, 0, bytes + 1)};
  memcpy(x->text, text, bytes);
  x->text[bytes] = '\0';
  splices_init(&x->splices, memory);
}

void json_edit_fini(json_edit_t *x) {
  alloc_resize(x->memory, x->text, (size_t)x->bytes + 1, 0);
  splices_fini(&x->splices);
  x->text = NULL;
}

// --- finding

static uint32_t skip_space(const json_edit_t *x, uint32_t at) {
  while (x->text[at] == ' ' || x->text[at] == '\n' || x->text[at] == '\t' || x->text[at] == '\r')
    ++at;
  return at;
}

static uint32_t skip_string(const json_edit_t *x, uint32_t at) {
  for (++at; at < x->bytes && x->text[at] != '"'; ++at)
    at += x->text[at] == '\\';
  return at < x->bytes ? at + 1 : x->bytes;
}

static uint32_t skip_value(const json_edit_t *x, uint32_t at) {
  uint32_t depth = 0;
  do {
    char c = x->text[at];
    if (c == '"') {
      at = skip_string(x, at);
      continue;
    }
    if (depth == 0 && c != '{' && c != '[') // a number, true, false or null
      return at + (uint32_t)strcspn(x->text + at, ",]} \t\r\n");
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    ++at;
  } while (depth > 0 && at < x->bytes);
  return at;
}

json_span_t json_edit_root(const json_edit_t *x) {
  uint32_t at = skip_space(x, 0);
  return (json_span_t){at, skip_value(x, at)};
}

static bool is_container(const json_edit_t *x, json_span_t s) {
  return s.end > 0 && (x->text[s.at] == '{' || x->text[s.at] == '[');
}

bool json_edit_is_list(const json_edit_t *x, json_span_t s) {
  return s.end > 0 && x->text[s.at] == '[';
}

bool json_edit_next(const json_edit_t *x, json_span_t container, uint32_t *at, json_item_t *out) {
  if (!is_container(x, container))
    return false;
  uint32_t i = skip_space(x, *at > 0 ? *at : container.at + 1);
  i = *at > 0 && x->text[i] == ',' ? skip_space(x, i + 1) : i;
  if (i >= container.end - 1)
    return false;
  *out = (json_item_t){0};
  if (x->text[container.at] == '{') {
    out->key = (json_span_t){i, skip_string(x, i)};
    i = skip_space(x, skip_space(x, out->key.end) + 1);
  }
  out->value = (json_span_t){i, skip_value(x, i)};
  shoal_assert(out->value.end > i, "byte %u does not begin a value (is the text JSON?)", i);
  *at = out->value.end;
  return true;
}

uint32_t json_edit_count(const json_edit_t *x, json_span_t container) {
  json_item_t item;
  uint32_t count = 0;
  for (uint32_t at = 0; json_edit_next(x, container, &at, &item);)
    ++count;
  return count;
}

bool json_edit_equals(const json_edit_t *x, json_span_t s, const char *text) {
  size_t bytes = strlen(text);
  if (s.end == 0 || x->text[s.at] != '"')
    return false;
  if (!memchr(x->text + s.at, '\\', s.end - s.at))
    return s.end - s.at == bytes + 2 && memcmp(x->text + s.at + 1, text, bytes) == 0;
  json_t *value = json_edit_value(x, s);
  bool same = json_string_value(value) && strcmp(json_string_value(value), text) == 0;
  json_decref(value);
  return same;
}

// Returns the number of items before the last item with this key; UINT32_MAX if it is missing.
static uint32_t find_index(const json_edit_t *x, json_span_t object, const char *key, json_item_t *out) {
  json_item_t item;
  uint32_t found = UINT32_MAX, i = 0;
  for (uint32_t at = 0; json_edit_next(x, object, &at, &item); ++i)
    if (json_edit_equals(x, item.key, key)) {
      found = i;
      *out = item;
    }
  return found;
}

json_span_t json_edit_find(const json_edit_t *x, json_span_t object, const char *key) {
  json_item_t item = {0};
  find_index(x, object, key, &item);
  return item.value;
}

json_t *json_edit_value(const json_edit_t *x, json_span_t s) {
  return s.end > 0 ? json_loadb(x->text + s.at, s.end - s.at, JSON_DECODE_ANY, NULL) : NULL;
}

double json_edit_number(const json_edit_t *x, json_span_t s, double otherwise) {
  char first = s.end > 0 ? x->text[s.at] : '\0';
  return first == '-' || (first >= '0' && first <= '9') ? strtod(x->text + s.at, NULL) : otherwise;
}

// --- layout

static void copy_gap(const json_edit_t *x, uint32_t at, uint32_t end, char *out, size_t bytes) {
  if (end - at >= bytes)
    return; // an unusual gap: keeps the default
  memcpy(out, x->text + at, end - at);
  out[end - at] = '\0';
}

static uint32_t item_begin(const json_item_t *i) {
  return i->key.end > 0 ? i->key.at : i->value.at;
}

// Guesses the gap between the items of a container with a single item: the line break before this item or, if the item
// is itself a container on one line, the gap between its first two items.
static void guess_item_gap(const json_edit_t *x, json_span_t only, layout_t *out) {
  json_item_t a, b;
  uint32_t at = 0;
  if (strchr(out->lead, '\n') && strlen(out->lead) + 1 < sizeof out->between) {
    out->between[0] = ',';
    memcpy(out->between + 1, out->lead, strlen(out->lead) + 1);
  } else if (json_edit_next(x, only, &at, &a) && json_edit_next(x, only, &at, &b) &&
             !memchr(x->text + a.value.end, '\n', item_begin(&b) - a.value.end)) {
    copy_gap(x, a.value.end, item_begin(&b), out->between, sizeof out->between);
  }
}

// Reads the layout of a list or object. Gaps that the container lacks keep their values in `out`.
static void read_layout(const json_edit_t *x, json_span_t container, layout_t *out) {
  json_item_t item, last = {0};
  uint32_t count = 0;
  for (uint32_t at = 0; json_edit_next(x, container, &at, &item); last = item) {
    if (count == 0) {
      copy_gap(x, container.at + 1, item_begin(&item), out->lead, sizeof out->lead);
      if (item.key.end > 0)
        copy_gap(x, item.key.end, item.value.at, out->colon, sizeof out->colon);
    }
    if (++count == 2)
      copy_gap(x, last.value.end, item_begin(&item), out->between, sizeof out->between);
  }
  if (count > 0)
    copy_gap(x, last.value.end, container.end - 1, out->tail, sizeof out->tail);
  if (count == 1)
    guess_item_gap(x, last.value, out);
}

static layout_t get_default_layout(const json_edit_t *x) {
  layout_t root = {.colon = ":"}, out = {.between = ", ", .colon = ":"};
  read_layout(x, json_edit_root(x), &root);
  memcpy(out.colon, root.colon, sizeof out.colon);
  if (strcmp(out.colon, ":") != 0) {
    out.lead[0] = ' ';
    out.tail[0] = ' ';
  }
  return out;
}

// Returns the layout of a value nested in a value with the layout `l`: one line per item, indented one level deeper, if
// `l` has one line per item; otherwise a single line.
static layout_t derive_nested_layout(const layout_t *l) {
  layout_t out = *l;
  const char *lead = strrchr(l->lead, '\n'), *tail = strrchr(l->tail, '\n');
  size_t inner = lead ? strlen(lead) : 0, outer = tail ? strlen(tail) : 0;
  bool lines = lead && tail && strchr(l->between, '\n') && inner > outer && inner * 2 < GAP_BYTES / 2;
  if (!lines) {
    if (strchr(out.lead, '\n'))
      out.lead[0] = '\0';
    if (strchr(out.tail, '\n'))
      out.tail[0] = '\0';
    if (strchr(out.between, '\n'))
      memcpy(out.between, ", ", 3);
    return out;
  }
  size_t step = inner - outer, lead_bytes = strlen(l->lead), between_bytes = strlen(l->between);
  memcpy(out.tail, l->lead, lead_bytes + 1);
  for (size_t i = 0; i <= step; ++i) { // the last byte is the '\0'
    out.lead[lead_bytes + i] = i < step ? lead[inner - 1] : '\0';
    out.between[between_bytes + i] = i < step ? lead[inner - 1] : '\0';
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

// Appends a value without a comma before it. `l`: layout of the value if it is a list or an object.
static void write_value(json_writer_t *out, const json_t *value, const layout_t *l) {
  const char *key;
  json_t *item;
  size_t i = 0;
  layout_t inner = derive_nested_layout(l);
  if (json_is_object(value) && json_object_size(value) > 0) {
    json_write_text(out, "{");
    json_object_foreach((json_t *)(uintptr_t)value, key, item) {
      json_write_text(out, i++ == 0 ? l->lead : l->between);
      json_write_quoted(out, key, strlen(key));
      json_write_text(out, l->colon);
      write_value(out, item, &inner);
    }
    json_write_text(out, l->tail);
    json_write_text(out, "}");
  } else if (json_is_array(value) && json_array_size(value) > 0) {
    bool nested = has_nested_values(value);
    json_write_text(out, "[");
    json_array_foreach((json_t *)(uintptr_t)value, i, item) {
      json_write_text(out, i == 0 ? (nested ? l->lead : "") : (nested ? l->between : ", "));
      write_value(out, item, &inner);
    }
    json_write_text(out, nested ? l->tail : "");
    json_write_text(out, "]");
  } else if (json_is_object(value) || json_is_array(value)) {
    json_write_text(out, json_is_object(value) ? "{}" : "[]");
  } else {
    write_scalar(out, value);
  }
}

void json_edit_splice(json_edit_t *x, json_span_t s, const char *text, size_t bytes) {
  uint32_t from = x->splices.replacements.text.count;
  json_write_bytes(&x->splices.replacements, text, bytes);
  splices_add(&x->splices, x, s.at, s.end, from);
}

void json_edit_apply(json_edit_t *x) {
  json_writer_t out;
  json_writer_init(&out, x->memory);
  splices_write(&x->splices, x, x->text, x->bytes, &out);
  alloc_resize(x->memory, x->text, (size_t)x->bytes + 1, 0);
  x->bytes = out.text.count;
  x->text = json_writer_detach_text(&out);
  splices_fini(&x->splices);
  splices_init(&x->splices, x->memory);
}

static void replace_range(json_edit_t *x, uint32_t at, uint32_t end, json_writer_t *text) {
  json_edit_splice(x, (json_span_t){at, end}, json_writer_text(text), text->text.count);
  json_edit_apply(x);
}

// --- edits

static bool is_equal(const json_t *a, const json_t *b) {
  return json_equal(a, b) || (json_is_number(a) && json_is_number(b) && json_number_value(a) == json_number_value(b));
}

// Adds an item after the last one. `before`: the last item; its value is missing if the list is empty.
static void add_item(json_edit_t *x, json_span_t container, const json_item_t *before, const layout_t *l,
                     json_writer_t *text) {
  json_writer_t out;
  json_writer_init(&out, x->memory);
  bool is_first = before->value.end == 0;
  json_write_text(&out, is_first ? l->lead : l->between);
  json_write_bytes(&out, text->text.items, text->text.count);
  json_write_text(&out, is_first ? l->tail : "");
  replace_range(x, is_first ? container.at + 1 : before->value.end, is_first ? container.end - 1 : before->value.end,
                &out);
  json_writer_fini(&out);
}

static json_item_t find_last_item(const json_edit_t *x, json_span_t container) {
  json_item_t item, last = {0};
  for (uint32_t at = 0; json_edit_next(x, container, &at, &item);)
    last = item;
  return last;
}

// Returns the layout for values inside a container that has the layout `l`: that of the last value of the same kind, or
// one that is derived from `l`.
static layout_t find_value_layout(const json_edit_t *x, json_span_t container, const layout_t *l, const json_t *value) {
  json_item_t item;
  json_span_t sibling = {0};
  char opens = json_is_object(value) ? '{' : '[';
  for (uint32_t at = 0; json_edit_next(x, container, &at, &item);)
    if (x->text[item.value.at] == opens && item.value.end - item.value.at > 2)
      sibling = item.value;
  layout_t out = derive_nested_layout(l);
  if (sibling.end > 0)
    read_layout(x, sibling, &out);
  return out;
}

void json_edit_set(json_edit_t *x, json_span_t object, const char *key, const json_t *value) {
  json_item_t item = {0};
  json_writer_t text;
  layout_t l = get_default_layout(x);
  shoal_assert(is_container(x, object) && x->text[object.at] == '{', "byte %u does not begin an object", object.at);
  read_layout(x, object, &l);
  json_writer_init(&text, x->memory);
  if (find_index(x, object, key, &item) != UINT32_MAX) {
    json_t *old = json_edit_value(x, item.value);
    layout_t inner = derive_nested_layout(&l);
    read_layout(x, item.value, &inner);
    write_value(&text, value, &inner);
    if (!is_equal(old, value))
      replace_range(x, item.value.at, item.value.end, &text);
    json_decref(old);
  } else {
    layout_t inner = derive_nested_layout(&l);
    json_write_quoted(&text, key, strlen(key));
    json_write_text(&text, l.colon);
    write_value(&text, value, &inner);
    item = find_last_item(x, object);
    add_item(x, object, &item, &l, &text);
  }
  json_writer_fini(&text);
}

void json_edit_append_text(json_edit_t *x, json_span_t list, const char *value, size_t bytes) {
  json_writer_t text;
  layout_t l = get_default_layout(x);
  json_item_t last = find_last_item(x, list);
  shoal_assert(json_edit_is_list(x, list), "byte %u does not begin a list", list.at);
  l.lead[0] = l.tail[0] = '\0';
  read_layout(x, list, &l);
  json_writer_init(&text, x->memory);
  json_write_bytes(&text, value, bytes);
  add_item(x, list, &last, &l, &text);
  json_writer_fini(&text);
}

void json_edit_append(json_edit_t *x, json_span_t list, const json_t *value) {
  json_writer_t text;
  layout_t l = get_default_layout(x), inner = find_value_layout(x, list, &l, value);
  json_writer_init(&text, x->memory);
  write_value(&text, value, &inner);
  json_edit_append_text(x, list, json_writer_text(&text), text.text.count);
  json_writer_fini(&text);
}

void json_edit_remove(json_edit_t *x, json_span_t container, uint32_t index) {
  json_item_t item, before = {0}, found = {0}, after = {0};
  uint32_t i = 0;
  for (uint32_t at = 0; json_edit_next(x, container, &at, &item); ++i) {
    before = i + 1 == index ? item : before;
    found = i == index ? item : found;
    after = i == index + 1 ? item : after;
  }
  shoal_assert(index < i, "item %u is out of range (count %u)", index, i);
  json_span_t removed = {container.at + 1, container.end - 1}; // the only item
  if (after.value.end > 0)
    removed = (json_span_t){item_begin(&found), item_begin(&after)};
  else if (before.value.end > 0)
    removed = (json_span_t){before.value.end, found.value.end};
  json_edit_splice(x, removed, "", 0);
  json_edit_apply(x);
}

bool json_edit_remove_key(json_edit_t *x, json_span_t object, const char *key) {
  json_item_t item;
  uint32_t index = find_index(x, object, key, &item);
  if (index != UINT32_MAX)
    json_edit_remove(x, object, index);
  return index != UINT32_MAX;
}
