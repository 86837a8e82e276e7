// Macros that declare components, singletons and events, for plugins, embedding programs and the built-in components.
// Part of the public headers: C11, usable from C++. Plugins include <shoal/plugin.h>.
#ifndef SHOAL_DECLARE_H
#define SHOAL_DECLARE_H

#include "shoal/types.h"

#ifdef __cplusplus
#include "shoal/row.hpp"
#else
#define SHOAL_DECLARE_ROW(name_, TARGET_, FIELDS_)
#endif

#ifdef __GNUC__
#define SHOAL_MAYBE_UNUSED __attribute__((unused))
#else
#define SHOAL_MAYBE_UNUSED
#endif

// Declarations use designated initializers and omit members, which are then zero. Designated initializers are standard
// C++ since C++20. GCC and Clang also accept them in C++17. The pragmas suppress the warnings about both in
// declarations only.
#if defined(__cplusplus) && defined(__clang__)
#define SHOAL_ALLOW_DESIGNATORS _Pragma("GCC diagnostic ignored \"-Wc++20-designator\"")
#elif defined(__cplusplus) && __GNUC__ >= 11
#define SHOAL_ALLOW_DESIGNATORS _Pragma("GCC diagnostic ignored \"-Wc++20-extensions\"")
#else
#define SHOAL_ALLOW_DESIGNATORS
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#define SHOAL_DECLARATION_BEGIN                                                                                        \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")                    \
      _Pragma("GCC diagnostic ignored \"-Wpedantic\"") SHOAL_ALLOW_DESIGNATORS
#define SHOAL_DECLARATION_END _Pragma("GCC diagnostic pop")
#else
#define SHOAL_DECLARATION_BEGIN
#define SHOAL_DECLARATION_END
#endif

// clang-format off
#define SHOAL_POINTER_f32(name_) float *name_;
#define SHOAL_POINTER_f64(name_) double *name_;
#define SHOAL_POINTER_i8(name_) int8_t *name_;
#define SHOAL_POINTER_i16(name_) int16_t *name_;
#define SHOAL_POINTER_i32(name_) int32_t *name_;
#define SHOAL_POINTER_u8(name_) uint8_t *name_;
#define SHOAL_POINTER_u16(name_) uint16_t *name_;
#define SHOAL_POINTER_u32(name_) uint32_t *name_;
#define SHOAL_POINTER_bool(name_) uint8_t *name_;
#define SHOAL_POINTER_entity(name_) shoal_entity *name_;
#define SHOAL_POINTER_string(name_) uint32_t *name_;
#define SHOAL_POINTER_enum(name_) uint8_t *name_;
#define SHOAL_POINTER_asset(name_) uint32_t *name_;
#define SHOAL_POINTER_mat4(name_) float (*name_)[16];
#define SHOAL_POINTER_vec2(name_) struct { float *x, *y; } name_;
#define SHOAL_POINTER_vec3(name_) struct { float *x, *y, *z; } name_;
#define SHOAL_POINTER_vec4(name_) struct { float *x, *y, *z, *w; } name_;
#define SHOAL_POINTER_quat(name_) struct { float *x, *y, *z, *w; } name_;

#define SHOAL_CONST_POINTER_f32(name_) const float *name_;
#define SHOAL_CONST_POINTER_f64(name_) const double *name_;
#define SHOAL_CONST_POINTER_i8(name_) const int8_t *name_;
#define SHOAL_CONST_POINTER_i16(name_) const int16_t *name_;
#define SHOAL_CONST_POINTER_i32(name_) const int32_t *name_;
#define SHOAL_CONST_POINTER_u8(name_) const uint8_t *name_;
#define SHOAL_CONST_POINTER_u16(name_) const uint16_t *name_;
#define SHOAL_CONST_POINTER_u32(name_) const uint32_t *name_;
#define SHOAL_CONST_POINTER_bool(name_) const uint8_t *name_;
#define SHOAL_CONST_POINTER_entity(name_) const shoal_entity *name_;
#define SHOAL_CONST_POINTER_string(name_) const uint32_t *name_;
#define SHOAL_CONST_POINTER_enum(name_) const uint8_t *name_;
#define SHOAL_CONST_POINTER_asset(name_) const uint32_t *name_;
#define SHOAL_CONST_POINTER_mat4(name_) const float (*name_)[16];
#define SHOAL_CONST_POINTER_vec2(name_) struct { const float *x, *y; } name_;
#define SHOAL_CONST_POINTER_vec3(name_) struct { const float *x, *y, *z; } name_;
#define SHOAL_CONST_POINTER_vec4(name_) struct { const float *x, *y, *z, *w; } name_;
#define SHOAL_CONST_POINTER_quat(name_) struct { const float *x, *y, *z, *w; } name_;

#define SHOAL_VALUE_f32(name_) float name_;
#define SHOAL_VALUE_f64(name_) double name_;
#define SHOAL_VALUE_i8(name_) int8_t name_;
#define SHOAL_VALUE_i16(name_) int16_t name_;
#define SHOAL_VALUE_i32(name_) int32_t name_;
#define SHOAL_VALUE_u8(name_) uint8_t name_;
#define SHOAL_VALUE_u16(name_) uint16_t name_;
#define SHOAL_VALUE_u32(name_) uint32_t name_;
#define SHOAL_VALUE_bool(name_) uint8_t name_;
#define SHOAL_VALUE_entity(name_) shoal_entity name_;
#define SHOAL_VALUE_string(name_) uint32_t name_;
#define SHOAL_VALUE_enum(name_) uint8_t name_;
#define SHOAL_VALUE_asset(name_) uint32_t name_;
#define SHOAL_VALUE_mat4(name_) float name_[16];
#define SHOAL_VALUE_vec2(name_) struct { float x, y; } name_;
#define SHOAL_VALUE_vec3(name_) struct { float x, y, z; } name_;
#define SHOAL_VALUE_vec4(name_) struct { float x, y, z, w; } name_;
#define SHOAL_VALUE_quat(name_) struct { float x, y, z, w; } name_;

#define SHOAL_DEFAULT_f32(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_f64(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_i8(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_i16(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_i32(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_u8(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_u16(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_u32(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_bool(name_, ...) .default_number = __VA_ARGS__
#define SHOAL_DEFAULT_string(name_, ...) .default_string = __VA_ARGS__
#define SHOAL_DEFAULT_enum(name_, ...) .default_string = __VA_ARGS__
#define SHOAL_DEFAULT_asset(name_, ...) .default_string = __VA_ARGS__
#define SHOAL_DEFAULT_entity(name_, ...) .default_number = 0, __VA_ARGS__
#define SHOAL_DEFAULT_mat4(name_, ...) .default_number = 0, __VA_ARGS__
#define SHOAL_DEFAULT_vec2(name_, x_, y_, ...) .default_vector = {x_, y_, 0, 0}, __VA_ARGS__
#define SHOAL_DEFAULT_vec3(name_, x_, y_, z_, ...) .default_vector = {x_, y_, z_, 0}, __VA_ARGS__
#define SHOAL_DEFAULT_vec4(name_, x_, y_, z_, w_, ...) .default_vector = {x_, y_, z_, w_}, __VA_ARGS__
#define SHOAL_DEFAULT_quat(name_, x_, y_, z_, w_, ...) .default_vector = {x_, y_, z_, w_}, __VA_ARGS__

// The field's name is part of `...`: ISO C and C++ require at least one argument for `...`, and a field may have none
// after its name. The type is not passed on, because bool may be a macro.
#define SHOAL_FIRST(name_, ...) name_
#define SHOAL_FIRST_STRING(name_, ...) #name_
#define SHOAL_MEMBER(type_, ...) SHOAL_POINTER_##type_(SHOAL_FIRST(__VA_ARGS__, ))
#define SHOAL_CONST_MEMBER(type_, ...) SHOAL_CONST_POINTER_##type_(SHOAL_FIRST(__VA_ARGS__, ))
#define SHOAL_VALUE(type_, ...) SHOAL_VALUE_##type_(SHOAL_FIRST(__VA_ARGS__, ))
#define SHOAL_FIELD(type_, ...)                                                                                        \
  {.name = SHOAL_FIRST_STRING(__VA_ARGS__, ), .type = SHOAL_TYPE_##type_, SHOAL_DEFAULT_##type_(__VA_ARGS__, )},

// The last arguments are the initializer of `required`.
#define SHOAL_DECLARE(name_, FIELDS_, kind_, manager_, ...)                                                            \
  SHOAL_DECLARE_FIELDS(name_, SHOAL_NO_TARGET, FIELDS_, kind_, manager_, __VA_ARGS__)

// TARGET_ declares the fields that precede FIELDS_: the target of a relation (<shoal/relation.h>).
#define SHOAL_NO_TARGET(F)
#define SHOAL_DECLARE_FIELDS(name_, TARGET_, FIELDS_, kind_, manager_, ...)                                            \
  SHOAL_DECLARATION_BEGIN                                                                                              \
  typedef struct name_##_columns { TARGET_(SHOAL_MEMBER) FIELDS_(SHOAL_MEMBER) } name_##_columns;                      \
  typedef struct name_##_const_columns {                                                                               \
    TARGET_(SHOAL_CONST_MEMBER) FIELDS_(SHOAL_CONST_MEMBER)                                                            \
  } name_##_const_columns SHOAL_MAYBE_UNUSED;                                                                          \
  typedef struct name_##_values { TARGET_(SHOAL_VALUE) FIELDS_(SHOAL_VALUE) } name_##_values SHOAL_MAYBE_UNUSED;       \
  static const shoal_field name_##_fields[] SHOAL_MAYBE_UNUSED = {TARGET_(SHOAL_FIELD) FIELDS_(SHOAL_FIELD)};          \
  static const shoal_component name_##_component SHOAL_MAYBE_UNUSED = {                                                \
      #name_, kind_, name_##_fields, (uint32_t)(sizeof(name_##_fields) / sizeof(name_##_fields[0])),                   \
      (uint32_t)(sizeof(name_##_columns) / sizeof(void *)), manager_, __VA_ARGS__};                                    \
  SHOAL_DECLARE_ROW(name_, TARGET_, FIELDS_)                                                                           \
  SHOAL_DECLARATION_END
// clang-format on

// The following macros declare a component, a component with many rows per entity, a singleton, and an event. FIELDS_
// is a macro that applies its argument to each field: F(type, name, default, …). See shoal_type for the types.
//
// A declaration of `heat` defines
// - heat_columns, a struct with a typed pointer for each field (for a vector, with a pointer for each of .x .y .z .w:
//   columns->pos.x is the x column),
// - heat_const_columns, the same struct with pointers to const, for columns that are only read,
// - heat_values, a struct with the values of one row, for SHOAL_SET and SHOAL_GET; strings are ids,
// - heat_component, the declaration, whose address is passed to lists and functions,
// - in C++, heat_row, one row of the columns (<shoal/row.hpp>).
#define SHOAL_COMPONENT(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_COMPONENT, NULL, {NULL})
#define SHOAL_MANY(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_MANY, NULL, {NULL})
#define SHOAL_SINGLE(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_SINGLE, NULL, {NULL})
#define SHOAL_EVENT(name_, FIELDS_) SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_EVENT, NULL, {NULL})
// Declares a component with a manager. `manager_` is the address of a shoal_manager.
#define SHOAL_COMPONENT_WITH_MANAGER(name_, FIELDS_, manager_)                                                         \
  SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_COMPONENT, manager_, {NULL})
// Declares a component that requires up to SHOAL_MAX_NAMES components: SHOAL_COMPONENT_REQUIRING(glider, GLIDER_FIELDS,
// "transform"). An entity that gets this component also gets the required components, with their defaults. Removing a
// required component fails while the entity has this component.
#define SHOAL_COMPONENT_REQUIRING(name_, FIELDS_, ...)                                                                 \
  SHOAL_DECLARE(name_, FIELDS_, SHOAL_KIND_COMPONENT, NULL, {__VA_ARGS__})

// The index of a column, for functions such as shoal_set: SHOAL_COLUMN_INDEX(heat, value) or, for a part of a vector,
// SHOAL_COLUMN_INDEX(heat, pos.y).
#define SHOAL_COLUMN_INDEX(name_, field_) ((uint32_t)(offsetof(name_##_columns, field_) / sizeof(void *)))

// The parts of a vec4 or quat as an initializer, for loops: const float *const tint[4] =
// SHOAL_VEC4_PARTS(columns->tint);
#define SHOAL_VEC4_PARTS(vector_)                                                                                      \
  { (vector_).x, (vector_).y, (vector_).z, (vector_).w }

// A NULL-terminated list of at most 32 declared components, singletons and events.
#define SHOAL_COMPONENTS(...)                                                                                          \
  SHOAL_LIST(const shoal_component *, SHOAL_EACH(SHOAL_ADDRESS_OF_COMPONENT, __VA_ARGS__) NULL)

#ifdef __cplusplus
#define SHOAL_LIST(type_, ...)                                                                                         \
  []() {                                                                                                               \
    static type_ const shoal_list_items[] = {__VA_ARGS__};                                                             \
    return static_cast<type_ const *>(shoal_list_items);                                                               \
  }()
#else
#define SHOAL_LIST(type_, ...) ((type_ const[]){__VA_ARGS__})
#endif

#define SHOAL_ADDRESS_OF_COMPONENT(name_) &name_##_component,
// clang-format off
#define SHOAL_EACH(M_, ...)                                                                                            \
  SHOAL_EACH_N(__VA_ARGS__, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY,            \
  SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY,      \
  SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY,      \
  SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY,      \
  SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_TOO_MANY, SHOAL_EACH_32,       \
  SHOAL_EACH_31, SHOAL_EACH_30, SHOAL_EACH_29, SHOAL_EACH_28, SHOAL_EACH_27, SHOAL_EACH_26, SHOAL_EACH_25,             \
  SHOAL_EACH_24, SHOAL_EACH_23, SHOAL_EACH_22, SHOAL_EACH_21, SHOAL_EACH_20, SHOAL_EACH_19, SHOAL_EACH_18,             \
  SHOAL_EACH_17, SHOAL_EACH_16, SHOAL_EACH_15, SHOAL_EACH_14, SHOAL_EACH_13, SHOAL_EACH_12, SHOAL_EACH_11,             \
  SHOAL_EACH_10, SHOAL_EACH_9, SHOAL_EACH_8, SHOAL_EACH_7, SHOAL_EACH_6, SHOAL_EACH_5, SHOAL_EACH_4, SHOAL_EACH_3,     \
  SHOAL_EACH_2, SHOAL_EACH_1, SHOAL_EACH_0)(M_, __VA_ARGS__)
#define SHOAL_EACH_N(                                                                                                  \
  a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, a21, a22, a23, a24,       \
  a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, a44, a45, a46, a47,   \
  a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, N_, ...) N_
// Used for a list of 33 to 64 names: the compiler then reports an undeclared identifier whose name is the message.
#define SHOAL_TOO_MANY(M_, ...) SHOAL_COMPONENTS_takes_at_most_32_names_declare_a_NULL_terminated_array_instead,
#define SHOAL_EACH_1(M_, a_) M_(a_)
#define SHOAL_EACH_2(M_, a_, ...) M_(a_) SHOAL_EACH_1(M_, __VA_ARGS__)
#define SHOAL_EACH_3(M_, a_, ...) M_(a_) SHOAL_EACH_2(M_, __VA_ARGS__)
#define SHOAL_EACH_4(M_, a_, ...) M_(a_) SHOAL_EACH_3(M_, __VA_ARGS__)
#define SHOAL_EACH_5(M_, a_, ...) M_(a_) SHOAL_EACH_4(M_, __VA_ARGS__)
#define SHOAL_EACH_6(M_, a_, ...) M_(a_) SHOAL_EACH_5(M_, __VA_ARGS__)
#define SHOAL_EACH_7(M_, a_, ...) M_(a_) SHOAL_EACH_6(M_, __VA_ARGS__)
#define SHOAL_EACH_8(M_, a_, ...) M_(a_) SHOAL_EACH_7(M_, __VA_ARGS__)
#define SHOAL_EACH_9(M_, a_, ...) M_(a_) SHOAL_EACH_8(M_, __VA_ARGS__)
#define SHOAL_EACH_10(M_, a_, ...) M_(a_) SHOAL_EACH_9(M_, __VA_ARGS__)
#define SHOAL_EACH_11(M_, a_, ...) M_(a_) SHOAL_EACH_10(M_, __VA_ARGS__)
#define SHOAL_EACH_12(M_, a_, ...) M_(a_) SHOAL_EACH_11(M_, __VA_ARGS__)
#define SHOAL_EACH_13(M_, a_, ...) M_(a_) SHOAL_EACH_12(M_, __VA_ARGS__)
#define SHOAL_EACH_14(M_, a_, ...) M_(a_) SHOAL_EACH_13(M_, __VA_ARGS__)
#define SHOAL_EACH_15(M_, a_, ...) M_(a_) SHOAL_EACH_14(M_, __VA_ARGS__)
#define SHOAL_EACH_16(M_, a_, ...) M_(a_) SHOAL_EACH_15(M_, __VA_ARGS__)
#define SHOAL_EACH_17(M_, a_, ...) M_(a_) SHOAL_EACH_16(M_, __VA_ARGS__)
#define SHOAL_EACH_18(M_, a_, ...) M_(a_) SHOAL_EACH_17(M_, __VA_ARGS__)
#define SHOAL_EACH_19(M_, a_, ...) M_(a_) SHOAL_EACH_18(M_, __VA_ARGS__)
#define SHOAL_EACH_20(M_, a_, ...) M_(a_) SHOAL_EACH_19(M_, __VA_ARGS__)
#define SHOAL_EACH_21(M_, a_, ...) M_(a_) SHOAL_EACH_20(M_, __VA_ARGS__)
#define SHOAL_EACH_22(M_, a_, ...) M_(a_) SHOAL_EACH_21(M_, __VA_ARGS__)
#define SHOAL_EACH_23(M_, a_, ...) M_(a_) SHOAL_EACH_22(M_, __VA_ARGS__)
#define SHOAL_EACH_24(M_, a_, ...) M_(a_) SHOAL_EACH_23(M_, __VA_ARGS__)
#define SHOAL_EACH_25(M_, a_, ...) M_(a_) SHOAL_EACH_24(M_, __VA_ARGS__)
#define SHOAL_EACH_26(M_, a_, ...) M_(a_) SHOAL_EACH_25(M_, __VA_ARGS__)
#define SHOAL_EACH_27(M_, a_, ...) M_(a_) SHOAL_EACH_26(M_, __VA_ARGS__)
#define SHOAL_EACH_28(M_, a_, ...) M_(a_) SHOAL_EACH_27(M_, __VA_ARGS__)
#define SHOAL_EACH_29(M_, a_, ...) M_(a_) SHOAL_EACH_28(M_, __VA_ARGS__)
#define SHOAL_EACH_30(M_, a_, ...) M_(a_) SHOAL_EACH_29(M_, __VA_ARGS__)
#define SHOAL_EACH_31(M_, a_, ...) M_(a_) SHOAL_EACH_30(M_, __VA_ARGS__)
#define SHOAL_EACH_32(M_, a_, ...) M_(a_) SHOAL_EACH_31(M_, __VA_ARGS__)
// clang-format on

#endif
