// Events that operators emit: game/operator_events.h.
#include "components_fixture.h"

#include "game/operator_events.h"

#include <stdio.h>

FIXTURE(fixture_t, fixture_setup, fixture_teardown)

static const char GIFT[] = "gift";

// Declares the event `gift`, with a field of each kind, as a game does.
static event_o *declare_gift(fixture_t *f, const char *name, const char *origin) {
  schema_buffer_t buffer;
  error_info_t error = {0};
  allocator_t *a = world_allocator(f->world);
  schema_init(&buffer, name, SCHEMA_EVENT, origin);
  schema_t *schema = &buffer.schema;
  schema_add_field(schema, "amount", FIELD_U8, 1);
  schema_add_field(schema, "weight", FIELD_F32, 0);
  schema_add_field(schema, "rare", FIELD_BOOL, 0);
  schema_add_field(schema, "note", FIELD_STRING, 0);
  schema_add_field(schema, "target", FIELD_ENTITY, 0);
  field_set_choices(schema_add_field(schema, "metal", FIELD_ENUM, 0), a, (const char *const[]){"iron", "gold"}, 2);
  schema_add_field(schema, "pos.x", FIELD_F32, 0)->flags |= FIELD_IS_AXIS;
  schema_add_field(schema, "pos.y", FIELD_F32, 0)->flags |= FIELD_IS_AXIS;
  schema_add_field(schema, "items.count", FIELD_U8, 0);
  schema_add_field(schema, "items.1", FIELD_U8, 0);
  schema_add_field(schema, "items.2", FIELD_U8, 0);
  schema_flag_list_columns(schema);
  schema_add_field(schema, "secret", FIELD_U8, 0)->flags |= FIELD_HIDDEN;
  if (world_declare_schema(f->world, schema, &error) == 0)
    fail_msg("%s", error.text);
  schema_fini(schema, a);
  return world_find_event(f->world, name);
}

static bool create(fixture_t *f, const char *name, const char *json, error_info_t *error) {
  external_result_t *result = operator_event_create(f->world, name, json, error);
  bool ok = result != NULL;
  external_result_release(result);
  return ok;
}

static void accepts(fixture_t *f, const char *json) {
  error_info_t error = {0};
  if (!create(f, GIFT, json, &error))
    fail_msg("%s: %s", json, error.text);
}

static void rejects(fixture_t *f, const char *name, const char *json, const char *message) {
  error_info_t error = {0};
  if (create(f, name, json, &error))
    fail_msg("accepted: %s %s", name, json);
  if (!strstr(error.text, message))
    fail_msg("%s: \"%s\" does not contain \"%s\"", json, error.text, message);
}

TEST_IN(operator_event_may_have_fields_of_all_types, fixture_t, f) {
  declare_gift(f, GIFT, "events.lua");
  accepts(f, "{}");
  accepts(f, "{\"amount\": 255, \"weight\": -1.5e3, \"rare\": true, \"note\": \"f\\u00fcr alle\", \"target\": 0}");
  accepts(f, "{\"metal\": \"gold\", \"pos\": {\"x\": 1, \"y\": 2}, \"items\": [3, 4]}");
  accepts(f, "{\"pos\": {}, \"items\": []}");
  char json[64];
  snprintf(json, sizeof json, "{\"target\": %llu}", (unsigned long long)place(f, 1, 2));
  accepts(f, json);
}

TEST_IN(operator_event_with_unknown_names_is_rejected_with_the_nearest_name, fixture_t, f) {
  declare_gift(f, GIFT, "events.lua");
  declare_gift(f, "woken", "[shoal]");
  declare_gift(f, "pinged", "C");
  rejects(f, "gfit", "{}", "the game declares no event gfit: did you mean gift?");
  rejects(f, "woken", "{}", "only the engine emits the event woken");
  rejects(f, "pinged", "{}", "only the engine emits the event pinged");
  rejects(f, GIFT, "{\"amont\": 1}", "event gift: unknown field amont: did you mean amount?");
  rejects(f, GIFT, "{\"pos\": {\"z\": 1}}", "unknown field pos.z");
  rejects(f, GIFT, "{\"pos\": {\"\": {\"\": 1}}}", "unknown field pos.");
  rejects(f, GIFT, "{\"secret\": 1}", "unknown field secret; fields: ");
  rejects(f, GIFT, "{\"items.count\": 200}", "unknown field items.count");
}

TEST_IN(operator_event_with_invalid_values_is_rejected_with_the_expected_type, fixture_t, f) {
  declare_gift(f, GIFT, "events.lua");
  rejects(f, GIFT, "{\"amount\": \"3\"}", "gift.amount must be a number, got text \"3\"");
  rejects(f, GIFT, "{\"amount\": 256}", "gift.amount must be from 0 to 255, got 256");
  rejects(f, GIFT, "{\"amount\": -1}", "gift.amount must be from 0 to 255");
  rejects(f, GIFT, "{\"amount\": 1.5}", "gift.amount must be a whole number");
  rejects(f, GIFT, "{\"weight\": 1e39}", "gift.weight must be from");
  rejects(f, GIFT, "{\"rare\": 1}", "gift.rare must be a boolean, got 1");
  rejects(f, GIFT, "{\"note\": 3}", "gift.note must be a string, got 3");
  rejects(f, GIFT, "{\"target\": 77777}", "gift.target: the room has no entity 77777");
  rejects(f, GIFT, "{\"target\": 4294967297}", "gift.target must be the number of an entity");
  rejects(f, GIFT, "{\"target\": 1.5}", "gift.target must be the number of an entity");
  rejects(f, GIFT, "{\"metal\": \"silver\"}", "gift.metal must be one of iron, gold, got text \"silver\"");
  rejects(f, GIFT, "{\"pos\": 3}", "unknown field pos");
  rejects(f, GIFT, "{\"amount\": {}}", "gift.amount must be a number, got an object");
  rejects(f, GIFT, "{\"amount\": [1]}", "gift.amount must be a number, got a list of 1");
  rejects(f, GIFT, "{\"items\": [1, 2, 3]}", "gift.items has at most 2 values, got 3");
  rejects(f, GIFT, "{\"items\": [1, [2]]}", "gift.items.2 must be a number");
}

TEST_IN(malformed_json_of_an_operator_event_is_rejected_with_its_position, fixture_t, f) {
  char large[2 * OPERATOR_EVENT_MAX_BYTES];
  declare_gift(f, GIFT, "events.lua");
  rejects(f, GIFT, "", "JSON, line 1, column 0");
  rejects(f, GIFT, "{\"amount\": }", "JSON, line 1, column 12");
  rejects(f, GIFT, "{\n  \"amount\" 3}", "JSON, line 2, column");
  rejects(f, GIFT, "{\"amount\": 1, \"amount\": 2}", "duplicate");
  rejects(f, GIFT, "{\"amount\": 1} {}", "end of file expected");
  rejects(f, GIFT, "[1]", "must be a JSON object, such as {\"amount\": 3}, got a list of 1");
  memset(large, '[', sizeof large - 1);
  large[sizeof large - 1] = '\0';
  rejects(f, GIFT, large, "the maximum is 1022");
  large[1000] = '\0';
  rejects(f, GIFT, large, "JSON, line 1");
}

// Checks must not change the world, because only the host makes them.
TEST_IN(checking_an_operator_event_adds_no_string_to_the_world, fixture_t, f) {
  declare_gift(f, GIFT, "events.lua");
  uint32_t count = strings_count(world_strings(f->world));
  accepts(f, "{\"note\": \"a text that the world has never seen\"}");
  rejects(f, GIFT, "{\"note\": \"another new text\", \"amount\": true}", "amount");
  assert_int_equal(strings_count(world_strings(f->world)), count);
  assert_int_equal(world_find_event(f->world, GIFT)->columns.count, 0);
}

// Mutates valid events. The check must either report an error or return a result.
TEST_IN(mutated_operator_events_are_rejected_or_accepted_without_memory_errors, fixture_t, f) {
  static const char SEED[] =
      "{\"amount\":2,\"weight\":1.5,\"rare\":true,\"note\":\"x\",\"target\":0,\"metal\":\"gold\","
      "\"pos\":{\"x\":1,\"y\":2},\"items\":[3,4]}";
  static const char PARTS[][12] = {"{",    "}",         "[",     "]",    "\"",   ":",
                                   ",",    "1e999",     "-0",    "true", "null", "\\u0000",
                                   "\xff", "\"pos\":{", "items", "0.5",  "9e18", "\"items\":["};
  uint64_t random = 1;
  uint32_t accepted = 0, rejected = 0;
  declare_gift(f, GIFT, "events.lua");
  for (uint32_t i = 0; i < 20000; ++i) {
    char json[512];
    error_info_t error = {0};
    snprintf(json, sizeof json, "%s", SEED);
    for (uint32_t edits = 1 + i % 3; edits > 0; --edits) {
      random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
      size_t length = strlen(json), at = (size_t)(random >> 33) % (length + 1);
      const char *part = PARTS[(random >> 20) % (sizeof PARTS / sizeof *PARTS)];
      size_t removed = (random >> 50) % 4, bytes = random >> 56 & 1 ? strlen(part) : 0;
      removed = removed < length - at ? removed : length - at;
      if (length + bytes + 1 > sizeof json)
        break;
      memmove(json + at + bytes, json + at + removed, length - at - removed + 1);
      memcpy(json + at, part, bytes);
    }
    bool ok = create(f, GIFT, json, &error);
    accepted += ok;
    rejected += !ok;
    assert_true(ok || error.text[0]);
  }
  assert_true(accepted > 500 && rejected > 10000);
}
